// SPDX-License-Identifier: BSD-3-Clause
/// FileGuard: a process of a session of its own that unlinks this one's files where this one was killed and could not.
/// A launcher that is gone has its ranks killed: Hydra by SIGKILL, as soon as nobody reads what it prints.
#pragma once

#include <string>

namespace program::file_guard {

/// From now on the file is unlinked when this process is gone. The first call starts the guard (/bin/sh); where that
/// cannot be, or the path has a line end, nothing is guarded. Not for two threads at once.
void add(std::string const& path) noexcept;

/// Starts the guard with a descriptor of this process: the lock that belongs to it is released when what is guarded has
/// been unlinked, and not before, so that the next run does not lose files of the same names. Before the first `add`.
void hold(int descriptor) noexcept;

/// The file is no longer guarded.
void remove(std::string const& path) noexcept;

/// Nothing is guarded any longer. Async-signal-safe.
void remove_all() noexcept;

}  // namespace program::file_guard
