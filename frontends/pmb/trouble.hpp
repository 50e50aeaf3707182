// SPDX-License-Identifier: BSD-3-Clause
/// Trouble: what MPI refused on one process, kept until all processes of the team can agree on it.
#pragma once

#include <measure/comm.hpp>

#include <mpi.h>

#include <string>
#include <utility>

namespace pmb {

/// The first failure on this process. Calls that all processes make together are made whether or not one before has
/// failed; what went wrong is told afterwards.
class Trouble {
public:
    /// \param subject  begins every message: the name of a file
    explicit Trouble(std::string subject) : subject_{std::move(subject)} {}

    /// Whether a call succeeded. Local. \param what  the name of the call, a literal
    bool ok(int code, char const* what) noexcept {
        if (code != MPI_SUCCESS && !any()) {
            code_ = code;
            what_ = what;
        }
        return code == MPI_SUCCESS;
    }
    /// A failure that is not MPI's. Local. \param text  not empty
    void note(std::string text) {
        if (!any())
            text_ = std::move(text);
    }

    /// Collective over the team; forgets the failure. \throws KernelError on all its processes with the text of the
    /// lowest rank that has one
    void agree(measure::Comm const& team);

private:
    [[nodiscard]] bool any() const noexcept { return code_ != MPI_SUCCESS || !text_.empty(); }
    [[nodiscard]] std::string message() const;

    std::string subject_;
    int code_ = MPI_SUCCESS;
    char const* what_ = "";
    std::string text_{};
};

}  // namespace pmb
