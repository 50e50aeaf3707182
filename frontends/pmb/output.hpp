// SPDX-License-Identifier: BSD-3-Clause
/// Output: where the text of a run goes. A row is written out at once, so that a run that is killed leaves whole rows.
#pragma once

#include "program/runtime/output_file.hpp"
#include "program/runtime/session.hpp"
#include "table.hpp"

#include <string>
#include <string_view>

namespace pmb {

/// On other ranks than the root nothing is written.
class Output {
public:
    /// Collective: opens the file of -o. \throws measure::UsageError on all ranks where it cannot be written
    Output(Options const& options, program::Session& session)
        : table_{options.format, options.megabyte, options.part}, session_{session}, to_file_{!options.output.empty()} {
        if (to_file_)
            file_ = program::open_file(session.world(), options.output, "-o");
    }

    [[nodiscard]] Table const& table() const noexcept { return table_; }

    void write(std::string_view text) {
        if (!session_.world().is_root() || text.empty())
            return;
        if (to_file_) {
            file_.stream() << text;
            session_.flush(file_);
        } else {
            session_.text() << text << std::flush;
        }
    }
    /// A line that is no data. Where the text has no place for it (csv) it is a warning.
    void comment(std::string_view text) { tell(table_.comment(text), text); }
    /// The same between blank lines.
    void notice(std::string_view text) { tell(table_.notice(text), text); }

    /// Lines, or where the text has no place for them a warning.
    void tell(std::string const& lines, std::string_view text) {
        if (lines.empty())
            session_.warn(std::string{text});
        else
            write(lines);
    }

private:
    Table table_;
    program::Session& session_;
    bool to_file_;
    program::OutputFile file_;
};

}  // namespace pmb
