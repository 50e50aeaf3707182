// SPDX-License-Identifier: BSD-3-Clause
/// The parts of the catalogue. They are compiled separately, because the tests instantiate much code.
#pragma once

#include "bodies/collectives.hpp"
#include "mpiperf/catalogue/catalogue.hpp"

#include <span>
#include <vector>

namespace mpiperf {

/// A test of each collective that has such a relative in this MPI library. Each call allocates the names again; they
/// live until the program ends.
[[nodiscard]] std::vector<Test> collective_tests(bodies::Relative relative);
[[nodiscard]] std::span<Test const> message_tests() noexcept;
/// Each operation of remote memory access with each method of completion. The names live until the program ends.
[[nodiscard]] std::vector<Test> one_sided_tests();
/// Concurrent messages: windows between pairs, threads, partitions.
[[nodiscard]] std::span<Test const> stream_tests() noexcept;
/// Communication steps of applications on topologies, and creation of communicators.
[[nodiscard]] std::span<Test const> topology_tests() noexcept;
/// Memory and files. The descriptions of vectorised loops name the instruction set of this processor.
[[nodiscard]] std::vector<Test> storage_tests();
/// Controls that involve no MPI library.
[[nodiscard]] std::span<Test const> control_tests() noexcept;

}  // namespace mpiperf
