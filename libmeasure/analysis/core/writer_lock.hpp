// SPDX-License-Identifier: BSD-3-Clause
/// File lock that prevents a second writer.
#pragma once

#include <fcntl.h>

#include <limits>

namespace measure {

/// Locks the last possible byte of a file, by fcntl. The other bytes stay free because MPI libraries lock the ranges
/// that they write (Open MPI 5.0 locks each one), and would wait for a lock of the whole file held by their own
/// process.
[[nodiscard]] inline struct ::flock writer_lock() noexcept {
    struct ::flock lock {};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    lock.l_start = std::numeric_limits<off_t>::max() - 1;
    lock.l_len = 1;
    return lock;
}

}  // namespace measure
