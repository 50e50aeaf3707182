// SPDX-License-Identifier: BSD-3-Clause
/// Results: the output of a run: a file, optionally with an .info file, or the session's text.
#pragma once

#include "llcbench/machine.hpp"
#include "llcbench/output.hpp"
#include "program/runtime/output_file.hpp"
#include "program/runtime/session.hpp"

#include <optional>
#include <ostream>

namespace llcbench {

/// The files appear only when they are complete. Rows of an incomplete run stay in FILE.part.
class Results {
public:
    /// Collective; call it before `Session::begin`. The session and the machine, which is the root's, must outlive it.
    /// \throws measure::UsageError on all ranks if a file cannot be written or is already a file of this run
    Results(OutputOptions const& options, Machine const& machine, program::Session& session);

    [[nodiscard]] std::ostream& stream();
    /// Call it after each row. If the row could not be written, the run ends at its next decision point.
    void check_row();
    /// Writes the reason for missing rows to the file, unless it is csv, and warns about FILE.part. Local; acts on the
    /// root.
    void cut_short(std::string const& reason);
    /// Finishes the files under their names. Local; acts on the root.
    /// \param more  the suite's lines of the .info file
    /// \throws std::runtime_error
    void keep(measure::Environment const& environment, Fields const& more);

private:
    Machine const& machine_;
    program::Session& session_;
    Format format_;
    std::optional<program::OutputFile> output_{};
    std::optional<program::OutputFile> info_{};
};

}  // namespace llcbench
