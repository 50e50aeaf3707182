// SPDX-License-Identifier: BSD-3-Clause
/// Setting: a measurement at one value of its argument. Pure.
#pragma once

#include "skampi/setup.hpp"

#include <measure/record.hpp>

#include <cstdint>
#include <string>
#include <utility>

namespace skampi {

struct Setting {
    Task const* task = nullptr;
    std::int64_t argument = 0;
    int nodes = 1;              ///< number of participating processes
    measure::Bytes length = 0;  ///< message length in bytes
    std::int64_t chunks = 1;
};

[[nodiscard]] inline Setting setting(Task const& task, std::int64_t argument) noexcept {
    Setting s{&task, argument, task.nodes, task.length, task.chunks};
    if (task.variation == Variation::nodes)
        s.nodes = static_cast<int>(argument);
    if (task.variation == Variation::length)
        s.length = argument;
    if (task.variation == Variation::chunks)
        s.chunks = argument;
    if (is_pair(*task.routine))
        s.nodes = 2;
    if (task.routine->pattern == Pattern::simple)
        s.nodes = 1;
    return s;
}

/// Makes the record of a point without a value. \param at  empty for the whole measurement
[[nodiscard]] inline measure::Record record_without_value(Task const& task, measure::Point at,
                                                          measure::PointStatus status, std::string message) {
    auto record = measure::make_record(task.name, std::move(at), status, std::move(message));
    record.semantics = task.routine->semantics();
    return record;
}

}  // namespace skampi
