// SPDX-License-Identifier: BSD-3-Clause
/// Agreement: how tasks that have no `measure::Comm` tell each other of a loop.
#pragma once

#include "mpbench/transport.hpp"

#include <concepts>
#include <cstdint>
#include <span>
#include <vector>

namespace mpbench {

/// A layer that carries, untimed, the master's number to all tasks, and the same count of numbers of each task in order
/// to the master.
template <class T>
concept Agreeing = Transport<T> && requires(T& t, std::int64_t& decision, std::span<double const> values) {
    { t.share(decision) } -> std::same_as<void>;
    { t.gather(values) } -> std::same_as<std::vector<double>>;
};

}  // namespace mpbench
