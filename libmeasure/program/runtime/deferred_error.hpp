// SPDX-License-Identifier: BSD-3-Clause
/// DeferredError: the first failure on one process, kept until all processes of a team can agree on it.
#pragma once

#include <measure/comm.hpp>

#include <mpi.h>

#include <optional>
#include <string>
#include <utility>

namespace program {

/// The first failure on this process. Calls that all processes make together are made whether or not one before has
/// failed; what went wrong is told afterwards.
class DeferredError {
public:
    /// Whether a call succeeded. Local. \param call  its name, a literal
    bool ok(int code, char const* call) noexcept {
        if (code != MPI_SUCCESS && !any()) {
            code_ = code;
            call_ = call;
        }
        return code == MPI_SUCCESS;
    }
    /// A call moved fewer elements than it should. Local. \param call  its name, a literal
    void too_few(int moved, int wanted, char const* call) noexcept {
        if (any())
            return;
        call_ = call;
        moved_ = moved;
        wanted_ = wanted;
    }
    /// A failure that is not MPI's. Local. \param text  not empty
    void note(std::string text) {
        if (!any())
            text_ = std::move(text);
    }
    [[nodiscard]] bool any() const noexcept { return call_ != nullptr || !text_.empty(); }
    /// "MPI_File_write: no space left on device"; one line.
    [[nodiscard]] std::string text() const;

private:
    int code_ = MPI_SUCCESS;
    char const* call_ = nullptr;
    int moved_ = 0;
    int wanted_ = 0;
    std::string text_{};
};

/// What the lowest rank in trouble has to say.
struct AgreedError {
    int rank = 0;
    std::string text{};
};

/// The same on all processes; nothing where none is in trouble. Collective over the team.
[[nodiscard]] std::optional<AgreedError> agree(measure::Comm const& team, DeferredError const& trouble);

}  // namespace program
