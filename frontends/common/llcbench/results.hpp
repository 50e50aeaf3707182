// SPDX-License-Identifier: BSD-3-Clause
/// Results: where a run's text goes: a file with an .info file beside it, or the session's text.
#pragma once

#include "llcbench/machine.hpp"
#include "llcbench/output.hpp"
#include "program/runtime/output_file.hpp"
#include "program/runtime/session.hpp"

#include <optional>
#include <ostream>

namespace llcbench {

/// The files have their names only once they are whole. Rows of a run that is cut short stay in FILE.part.
class Results {
public:
    /// Collective; to be made before the session begins. The machine, the root's, and the session outlive it.
    /// \throws measure::UsageError on all ranks where a file cannot be written, or is another one of the run's
    Results(OutputOptions const& options, Machine const& machine, program::Session& session);

    [[nodiscard]] std::ostream& stream();
    /// To be called behind each row: ends the run at its next decision point where the row could not be written.
    void check_row();
    /// Says in the file, unless it is csv, why rows are missing, and where it is. Local; acts on the root.
    void cut_short(std::string const& reason);
    /// The files get their names. Local; acts on the root.
    /// \param more  the suite's own lines of the .info file
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
