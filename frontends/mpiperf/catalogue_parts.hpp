// SPDX-License-Identifier: BSD-3-Clause
/// The parts of the catalogue, compiled one by one, because each test has code of its own; and what they share.
#pragma once

#include "bodies/collectives.hpp"
#include "catalogue.hpp"
#include "operations.hpp"

#include <cstdint>
#include <span>

namespace mpiperf {

[[nodiscard]] std::span<Test const> collective_tests() noexcept;
[[nodiscard]] std::span<Test const> nonblocking_tests() noexcept;
[[nodiscard]] std::span<Test const> message_tests() noexcept;
/// Empty where the MPI library has no persistent collectives.
[[nodiscard]] std::span<Test const> persistent_tests() noexcept;
[[nodiscard]] std::span<Test const> topology_tests() noexcept;

template <class C>
constexpr bool is_rooted =
    C::shape.send == bodies::Extent::each_at_root || C::shape.receive == bodies::Extent::each_at_root ||
    C::shape.receive == bodies::Extent::one_at_root || C::name == "Bcast";

/// A test of a relative of the blocking collective C::Blocking, but for how it is measured.
template <class C>
constexpr Test relative_of_blocking() {
    using Blocking = typename C::Blocking;
    return {.name = C::name,
            .text = Blocking::text,
            .element = bodies::element_size(Blocking::shape),
            .rooted = is_rooted<Blocking>,
            .check = [](std::int64_t count,
                        int processes) { bodies::check_counts(Blocking::shape, C::name, count, processes); },
            .shape = &Blocking::shape,
            .int_counts = true};
}

template <class C>
constexpr CallOf call_of() {
    return {C::Blocking::shape, C::Blocking::content, C::name};
}

}  // namespace mpiperf
