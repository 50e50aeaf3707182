// SPDX-License-Identifier: BSD-3-Clause
/// CallName: what is known of a call of MPI beside its arguments. The list of all is made by calls.py.
#pragma once

#include <cstdint>
#include <string_view>

namespace measure::profile {

/// How the size that benchmarks of an operation have follows from the bytes of a rank.
enum class SizeFrom : std::uint8_t {
    none,           ///< it has none, or no benchmark measures it
    sent,           ///< what the rank sends
    received,       ///< what it receives
    both,           ///< what it sends or receives
    sent_by_ranks,  ///< what it sends to each rank
};

struct CallName {
    std::string_view name;  ///< without MPI_
    SizeFrom size;
    bool meets;  ///< a blocking collective: its ranks may wait for each other in it
};

}  // namespace measure::profile
