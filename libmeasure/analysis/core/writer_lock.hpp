// SPDX-License-Identifier: BSD-3-Clause
/// The lock that keeps a second writer from a file.
#pragma once

#include <fcntl.h>

#include <limits>

namespace measure {

/// Locks the last byte that a file can have, by fcntl. The rest stays free: MPI libraries lock the parts of a file that
/// they write (Open MPI 5.0 each of them), and would wait for a lock of the whole file that their own process has.
[[nodiscard]] inline struct ::flock writer_lock() noexcept {
    struct ::flock lock {};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    lock.l_start = std::numeric_limits<off_t>::max() - 1;
    lock.l_len = 1;
    return lock;
}

}  // namespace measure
