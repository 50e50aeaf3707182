// SPDX-License-Identifier: BSD-3-Clause
/// TemporaryFolder: a folder for temporary files, which no other user can enter.
#pragma once

#include "program/runtime/file_lock.hpp"
#include "program/runtime/temporary_file.hpp"

#include <string>
#include <string_view>

namespace program {

/// A folder in TMPDIR that nobody else has, so that names in it may be plain. The destructor removes it with all that
/// is in it. When a signal ends the process, the folder can be removed only if it is empty, so its files must be
/// TemporaryFiles. After SIGKILL it stays until this host makes a folder of the same stem in TMPDIR. Local.
class TemporaryFolder {
public:
    /// \param stem  begins its name: "measure-launch"  \throws std::runtime_error
    explicit TemporaryFolder(std::string_view stem);
    ~TemporaryFolder();
    TemporaryFolder(TemporaryFolder const&) = delete;
    TemporaryFolder& operator=(TemporaryFolder const&) = delete;

    /// The path of a file in it, which is not created.
    [[nodiscard]] std::string file(std::string_view name) const;

private:
    TemporaryFile name_;
    LockFile lock_;
};

}  // namespace program
