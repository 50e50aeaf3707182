// SPDX-License-Identifier: BSD-3-Clause
/// Range: from where to where an argument is varied, as far as processes and memory allow. Used by `parameters` only.
#pragma once

#include "skampi/parameters/keys.hpp"

#include <cstdint>

namespace skampi::keys {

/// One end of a range as it is given.
struct Bound {
    enum class Kind { none, number, least, most };
    Kind kind = Kind::none;
    std::int64_t value = 0;  ///< of a number
    grammar::Place place{};
};

/// What a range follows from, beside the task.
struct Request {
    Bound start{};
    Bound end{};
    grammar::Place root_place{};
    grammar::Place step_place{};  ///< of Stepwidth
    grammar::Place max_steps_place{};
    int processes = 1;
    measure::Bytes memory = 0;
};

/// Sets `start`, `end` and `skip` of a task in which everything else is set.
void resolve_range(Task& task, Request const& request, Faults& faults);

}  // namespace skampi::keys
