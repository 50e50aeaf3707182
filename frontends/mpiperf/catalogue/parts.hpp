// SPDX-License-Identifier: BSD-3-Clause
/// The parts of the catalogue, compiled one by one, because tests have code of their own.
#pragma once

#include "bodies/collectives.hpp"
#include "mpiperf/catalogue/catalogue.hpp"

#include <span>
#include <vector>

namespace mpiperf {

/// A test of each collective that has such a relative with this MPI library. Their names are kept for the rest of the
/// program, once more with each call.
[[nodiscard]] std::vector<Test> collective_tests(bodies::Relative relative);
[[nodiscard]] std::span<Test const> message_tests() noexcept;
/// Each operation of remote memory access with each way to complete it. As the names of collectives, theirs are kept.
[[nodiscard]] std::vector<Test> one_sided_tests();
/// Several messages at once: windows of pairs, threads, parts.
[[nodiscard]] std::span<Test const> stream_tests() noexcept;
/// Steps of applications on topologies, and communicators.
[[nodiscard]] std::span<Test const> topology_tests() noexcept;
/// Memory and files. The texts of loops in vectors name the instruction set of this processor.
[[nodiscard]] std::vector<Test> storage_tests();
/// What no MPI library has a part in.
[[nodiscard]] std::span<Test const> control_tests() noexcept;

}  // namespace mpiperf
