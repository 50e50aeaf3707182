// SPDX-License-Identifier: BSD-3-Clause
/// Semantics: which operation a benchmark measures and what its size is the size of, for readers that compare records
/// of several programs. Pure.
#pragma once

#include <string>
#include <string_view>

#pragma GCC visibility push(default)
namespace measure {

/// What kind of communication an operation is.
enum class OperationKind {
    collective,  ///< moves or joins data of all processes
    barrier,     ///< without data
    ping_pong,   ///< the time is half of there and back
    parallel,    ///< every process sends and receives at once
    message,     ///< seen by its sender
    stream,      ///< message after message one way
    streams,     ///< both ways
    by_hand,     ///< what programs put in place of a collective operation
    local,       ///< no process needs anything of others
};
[[nodiscard]] std::string_view name(OperationKind kind) noexcept;  ///< as records have it: "ping_pong"

/// What the coordinate `bytes` counts.
enum class SizeOf {
    whole,   ///< all that is sent, joined or delivered
    block,   ///< what one process, or one pair, has of it
    blocks,  ///< the blocks of one process together, where others count one of them
};
[[nodiscard]] std::string_view name(SizeOf size) noexcept;  ///< as records have it: "block"

/// What a benchmark measures.
struct Semantics {
    std::string operation{};  ///< the same in all suites: MPI's name without MPI_ ("Allreduce"), or that of a pattern
    OperationKind kind = OperationKind::collective;  ///< of communication
    SizeOf size = SizeOf::whole;                     ///< what `bytes` counts
    double share = 1;     ///< the operation's time over the benchmark's: 0.5 where both ways are timed
    double messages = 0;  ///< of that size which a process sends and receives meanwhile; 0: nobody counts them

    friend bool operator==(Semantics const&, Semantics const&) = default;  ///< the same members
};

}  // namespace measure
#pragma GCC visibility pop
