// SPDX-License-Identifier: BSD-3-Clause
/// Agreement: how tasks without a `measure::Comm` exchange the results of a loop.
#pragma once

#include "mpbench/transport.hpp"

#include <concepts>
#include <cstdint>
#include <span>
#include <vector>

namespace mpbench {

/// A layer with two untimed operations: `share` sends the master's number to all tasks, and `gather` collects equally
/// many numbers of each task, in task order, on the master.
template <class T>
concept Agreeing = Transport<T> && requires(T& t, std::int64_t& decision, std::span<double const> values) {
    { t.share(decision) } -> std::same_as<void>;
    { t.gather(values) } -> std::same_as<std::vector<double>>;
};

}  // namespace mpbench
