// SPDX-License-Identifier: BSD-3-Clause
/// TemporaryFile: a file that is removed when the program of `run_main` ends, unless SIGKILL or a crash ends it.
#pragma once

#include "measure/comm.hpp"

#include <memory>
#include <string>

#pragma GCC visibility push(default)
namespace measure {

/// Owns the name of a file that the ranks of a team share, but not the open file. The destructor on the root unlinks
/// the file. If a signal, the watchdog or an abort ends the program, every rank unlinks it. Move-only. Local.
class TemporaryFile {
public:
    /// Registers the file for removal; does not create it. \param team  `Comm::solo()` for a file of this rank alone
    /// \throws std::length_error for a path of more than 1023 bytes, std::runtime_error if this rank already has 128
    /// files
    TemporaryFile(Comm const& team, std::string path);
    /// Takes over the file of `other`, which then owns no file.
    TemporaryFile(TemporaryFile&& other) noexcept;
    /// On the root, unlinks the previously owned file. Takes over the file of `other`.
    TemporaryFile& operator=(TemporaryFile&& other) noexcept;
    /// On the root, unlinks the file.
    ~TemporaryFile();

    [[nodiscard]] std::string const& path() const noexcept;  ///< the path given to the constructor

private:
    struct Owner;
    std::unique_ptr<Owner> owner_;
};

}  // namespace measure
#pragma GCC visibility pop
