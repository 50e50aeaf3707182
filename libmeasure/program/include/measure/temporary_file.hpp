// SPDX-License-Identifier: BSD-3-Clause
/// TemporaryFile: a file that is gone when the program of `run_main` is, unless SIGKILL or a crash ends it.
#pragma once

#include "measure/comm.hpp"

#include <memory>
#include <string>

#pragma GCC visibility push(default)
namespace measure {

/// Owns the name of a file that the ranks of a team share, not the open file. The root's destructor unlinks it, and so
/// does every rank's handler where a signal, the watchdog or an abort ends the program. Move-only. Local.
class TemporaryFile {
public:
    /// Does not create the file. \param team  `Comm::solo()` for a file of this rank alone
    /// \throws std::length_error for a path of more than 1023 bytes, std::runtime_error when a rank has 128 already
    TemporaryFile(Comm const& team, std::string path);
    /// What is moved from owns nothing.
    TemporaryFile(TemporaryFile&& other) noexcept;
    /// Unlinks the file that was owned here before.
    TemporaryFile& operator=(TemporaryFile&& other) noexcept;
    /// Unlinks the file, on the root.
    ~TemporaryFile();

    [[nodiscard]] std::string const& path() const noexcept;  ///< as given

private:
    struct Owner;
    std::unique_ptr<Owner> owner_;
};

}  // namespace measure
#pragma GCC visibility pop
