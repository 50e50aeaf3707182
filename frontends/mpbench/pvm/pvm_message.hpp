// SPDX-License-Identifier: BSD-3-Clause
/// PvmMessage: sends and receives single values between the tasks of a PVM program, untimed.
#pragma once

#include "mpbench/pvm/pvm_transport.hpp"

#include <fmt/format.h>

#include <chrono>
#include <pvm3.h>
#include <stdexcept>
#include <type_traits>
#include <vector>

namespace mpbench {

/// Maximum time that a task may take to start and to prepare its memory.
inline constexpr std::chrono::seconds pvm_patience{30};

namespace pvm_tag {
inline constexpr int place = 21;
inline constexpr int contract = 22;
inline constexpr int ready = 23;
inline constexpr int order = 24;
inline constexpr int lost = 1000;  ///< plus the rank
}  // namespace pvm_tag

/// Sends a value. \param task  PVM's task identifier  \throws std::runtime_error
template <class T>
void pvm_give(int task, int tag, T value) {
    static_assert(std::is_trivially_copyable_v<T>);
    pvm_check(pvm_psend(task, tag, &value, sizeof value, PVM_BYTE), "pvm_psend");
}

/// Waits for a value from `pvm_give`. \throws std::runtime_error
template <class T>
T pvm_take(int task, int tag) {
    static_assert(std::is_trivially_copyable_v<T>);
    T value{};
    int unused = 0;
    int length = 0;
    pvm_check(pvm_precv(task, tag, &value, sizeof value, PVM_BYTE, &unused, &unused, &length), "pvm_precv");
    pvm_check(length == sizeof value ? PvmOk : PvmMismatch, "pvm_precv");
    return value;
}

/// Like `pvm_take`, but fails after `pvm_patience`. \param ids  task identifiers by rank
template <class T>
T pvm_await(std::vector<int> const& ids, int rank, int tag) {
    T value{};
    timeval limit{.tv_sec = pvm_patience.count(), .tv_usec = 0};
    if (pvm_check(pvm_trecv(ids[static_cast<std::size_t>(rank)], tag, &limit), "pvm_trecv") == 0)
        throw std::runtime_error(fmt::format("task {} has not answered for {} s", rank, pvm_patience.count()));
    pvm_check(pvm_upkbyte(reinterpret_cast<char*>(&value), sizeof value, 1), "pvm_upkbyte");
    return value;
}

}  // namespace mpbench
