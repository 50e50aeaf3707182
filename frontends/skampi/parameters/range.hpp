// SPDX-License-Identifier: BSD-3-Clause
/// Range: the range of an argument, limited by processes and memory. Used by `parameters` only.
#pragma once

#include "skampi/parameters/keys.hpp"

#include <cstdint>

namespace skampi::keys {

/// One end of a range as given in the file.
struct Bound {
    enum class Kind { none, number, least, most };
    Kind kind = Kind::none;
    std::int64_t value = 0;  ///< the number, for Kind::number
    grammar::Place place{};
};

/// The inputs of a range besides the task.
struct Request {
    Bound start{};
    Bound end{};
    grammar::Place root_place{};
    grammar::Place step_place{};  ///< place of Stepwidth
    grammar::Place max_steps_place{};
    int processes = 1;
    measure::Bytes memory = 0;
};

/// Sets `start`, `end` and `skip` of a task whose other members are set.
void resolve_range(Task& task, Request const& request, Faults& faults);

}  // namespace skampi::keys
