// SPDX-License-Identifier: BSD-3-Clause
/// TemporaryFolder: a folder for temporary files, which no other user can enter.
#pragma once

#include "program/runtime/file_lock.hpp"
#include "program/runtime/temporary_file.hpp"

#include <string>
#include <string_view>

namespace program {

/// A folder in TMPDIR that nobody else has, so that names in it may be plain. It goes with all that is in it; where a
/// signal ends the process it goes empty, so that its files are to be TemporaryFiles, which are to be gone before.
/// After SIGKILL it stays until a folder of the same stem is made in TMPDIR. Local.
class TemporaryFolder {
public:
    /// \param stem  begins its name: "measure-ab"  \throws std::runtime_error
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
