// SPDX-License-Identifier: BSD-3-Clause
/// FileGuard: a process of a session of its own that ends this one's child and unlinks its files where this one was
/// killed and could not. A launcher that is gone has its ranks killed: Hydra by SIGKILL, as soon as nobody reads what
/// it prints.
#pragma once

#include <sys/types.h>

#include <string>

namespace program::file_guard {

/// From now on the file, or the empty folder, is unlinked when this process is gone. Starts a guard (/bin/sh) where
/// there is none; where that cannot be, or the path has a line end, nothing is guarded. Not for two threads at once.
void add(std::string const& path) noexcept;

/// Starts a guard, a further one where there is one, that has a descriptor of this process: the lock that belongs to it
/// is released when the files that are added from now on have been unlinked, and not before, so that the next run does
/// not lose files of the same names. At most four begin.
void hold(int descriptor) noexcept;

/// The file is no longer guarded.
void remove(std::string const& path) noexcept;

/// No file is guarded any longer; the child is. Async-signal-safe.
void remove_all() noexcept;

/// The one child of this process that is ended when this process is gone, before files are unlinked, because it may
/// write them: SIGTERM for the child, and SIGKILL for its process group and its descendants where the group is not over
/// within 3 s. Starts the guard as `add` does.
/// \param process  leads its process group; 0: there is no child any more
void child(::pid_t process) noexcept;

}  // namespace program::file_guard
