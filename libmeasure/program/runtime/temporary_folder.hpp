// SPDX-License-Identifier: BSD-3-Clause
/// TemporaryFolder: a folder for temporary files that no other user can enter.
#pragma once

#include "program/runtime/file_lock.hpp"
#include "program/runtime/temporary_file.hpp"

#include <string>
#include <string_view>

namespace program {

/// A private folder in TMPDIR, so that file names in it need not be unique elsewhere. The destructor removes it with
/// its content. When a signal ends the process, only an empty folder can be removed, so its files must be
/// TemporaryFiles. After SIGKILL the folder remains until this host creates a folder with the same stem in TMPDIR.
/// Local.
class TemporaryFolder {
public:
    /// \param stem  start of its name: "measure-launch"  \throws std::runtime_error
    explicit TemporaryFolder(std::string_view stem);
    ~TemporaryFolder();
    TemporaryFolder(TemporaryFolder const&) = delete;
    TemporaryFolder& operator=(TemporaryFolder const&) = delete;

    /// The path of a file in it. Does not create the file.
    [[nodiscard]] std::string file(std::string_view name) const;

private:
    TemporaryFile name_;
    LockFile lock_;
};

}  // namespace program
