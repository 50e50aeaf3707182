// SPDX-License-Identifier: BSD-3-Clause
/// Semantics: the operation that a benchmark measures and the meaning of its size, to compare records of different
/// programs. Pure.
#pragma once

#include <string>
#include <string_view>

#pragma GCC visibility push(default)
namespace measure {

/// Kind of communication of an operation.
enum class OperationKind {
    collective,  ///< moves or combines data of all processes
    barrier,     ///< synchronises without data
    ping_pong,   ///< messages there and back; the time is half a round trip
    parallel,    ///< every process sends and receives at the same time
    message,     ///< one message, timed by its sender
    stream,      ///< successive messages in one direction
    streams,     ///< successive messages in both directions
    by_hand,     ///< replacement for a collective operation that programs implement themselves
    local,       ///< no process needs data of other processes
};
[[nodiscard]] std::string_view name(OperationKind kind) noexcept;  ///< name used in records: "ping_pong"

/// Meaning of the coordinate `bytes`.
enum class SizeOf {
    whole,   ///< all data that is sent, combined or delivered
    block,   ///< the part of one process or one pair
    blocks,  ///< all blocks of one process together, where other programs count a single block
};
[[nodiscard]] std::string_view name(SizeOf size) noexcept;  ///< name used in records: "block"

/// Operation and size that a benchmark measures.
struct Semantics {
    std::string operation{};  ///< equal in all suites: MPI's name without MPI_ ("Allreduce"), or the name of a pattern
    OperationKind kind = OperationKind::collective;  ///< kind of communication
    SizeOf size = SizeOf::whole;                     ///< meaning of `bytes`
    double share = 1;     ///< time of the operation / time of the benchmark: 0.5 if both directions are timed
    double messages = 0;  ///< messages of `bytes` that a process sends and receives; 0: not counted

    friend bool operator==(Semantics const&, Semantics const&) = default;  ///< equal if all members are equal
};

}  // namespace measure
#pragma GCC visibility pop
