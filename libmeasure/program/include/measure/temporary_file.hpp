// SPDX-License-Identifier: BSD-3-Clause
/// TemporaryFile: a file that is removed when the program of `run_main` ends, unless SIGKILL or a crash ends it.
#pragma once

#include "measure/comm.hpp"

#include <memory>
#include <string>

#pragma GCC visibility push(default)
namespace measure {

/// Owns the name of a file that the ranks of a team share, not the open file. The root's destructor unlinks the file.
/// If a signal, the watchdog or an abort ends the program, every rank unlinks it. Move-only. Local.
class TemporaryFile {
public:
    /// Registers the file for removal; does not create it. \param team  `Comm::solo()` for a file of this rank alone
    /// \throws std::length_error for a path of more than 1023 bytes, std::runtime_error if this rank already has 128
    /// files
    TemporaryFile(Comm const& team, std::string path);
    /// Takes over the file; `other` then owns none.
    TemporaryFile(TemporaryFile&& other) noexcept;
    /// Unlinks the previously owned file, on the root, and takes over the file of `other`.
    TemporaryFile& operator=(TemporaryFile&& other) noexcept;
    /// Unlinks the file, on the root.
    ~TemporaryFile();

    [[nodiscard]] std::string const& path() const noexcept;  ///< the path given to the constructor

private:
    struct Owner;
    std::unique_ptr<Owner> owner_;
};

}  // namespace measure
#pragma GCC visibility pop
