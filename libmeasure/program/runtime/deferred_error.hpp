// SPDX-License-Identifier: BSD-3-Clause
/// DeferredError: the first failure on one process, kept until all processes of a team can agree on it.
#pragma once

#include <measure/comm.hpp>

#include <mpi.h>

#include <optional>
#include <string>
#include <utility>

namespace program {

/// The first failure on this process. It is reported later, because collective calls must be made by all processes even
/// if an earlier call has failed on some of them.
class DeferredError {
public:
    /// Notes the result of an MPI call. Local. \param call  its name, a literal  \return whether it succeeded
    bool ok(int code, char const* call) noexcept {
        if (code != MPI_SUCCESS && !any()) {
            code_ = code;
            call_ = call;
        }
        return code == MPI_SUCCESS;
    }
    /// Notes that a call moved fewer elements than requested. Local. \param call  its name, a literal
    void too_few(int moved, int wanted, char const* call) noexcept {
        if (any())
            return;
        call_ = call;
        moved_ = moved;
        wanted_ = wanted;
    }
    /// Notes a failure outside of MPI. Local. \param text  not empty
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

/// The error of the lowest rank with a failure.
struct AgreedError {
    int rank = 0;
    std::string text{};
};

/// The same error on all processes; empty if no process has failed. Collective over the team.
[[nodiscard]] std::optional<AgreedError> agree(measure::Comm const& team, DeferredError const& trouble);

}  // namespace program
