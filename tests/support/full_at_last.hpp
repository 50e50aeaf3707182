// SPDX-License-Identifier: BSD-3-Clause
/// Full at last: simulates a remote file system that reports missing space only when a file is flushed to its disk.
/// Replaces the program's fsync: one source of a program includes it.
#pragma once

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace test {

inline bool is_full_at_last = false;

}  // namespace test

int fsync(int file) {
    if (!test::is_full_at_last)
        return static_cast<int>(::syscall(SYS_fsync, file));
    errno = EDQUOT;
    return -1;
}
