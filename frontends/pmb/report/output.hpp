// SPDX-License-Identifier: BSD-3-Clause
/// Output: writes the text of a run. Rows are flushed immediately, so that a killed run leaves complete rows.
#pragma once

#include "pmb/report/table.hpp"
#include "program/runtime/output_file.hpp"
#include "program/runtime/session.hpp"

#include <fmt/ostream.h>

#include <string>
#include <string_view>
#include <vector>

namespace pmb {

/// Only the root writes.
class Output {
public:
    /// Collective: opens the file of -o. \throws measure::UsageError on all ranks if it cannot be written
    Output(Options const& options, program::Session& session)
        : part_{options.part}, table_{options.format, options.megabyte, options.part}, session_{session},
          to_file_{!options.output.empty()}, dumps_{options.part == Part::imb_mpi1 && !options.dump.empty()} {
        if (to_file_)
            file_ = program::open_file(session.world(), options.output, "-o");
        if (dumps_)
            dump_ = program::open_file(session.world(), options.dump, "-dumpfile");
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
    /// Writes a comment line. In csv, which has no comments, it becomes a warning.
    void comment(std::string_view text) { tell(table_.comment(text), text); }
    /// Writes comments below a table.
    void comments(std::vector<std::string> const& texts) {
        if (!texts.empty() && is_imb(part_) && !table_.comment("").empty())
            write("\n");
        for (auto const& text : texts)
            comment(text);
    }
    /// Writes a comment line between blank lines, or a warning in csv.
    void notice(std::string_view text) { tell(table_.notice(text), text); }

    /// Writes times of single repetitions to the file of -dumpfile, if given. Each line has the length and the time.
    /// \param times  in us
    void dump(measure::Bytes length, std::vector<double> const& times) {
        if (!dumps_ || !session_.world().is_root())
            return;
        for (double const time : times)
            fmt::print(dump_.stream(), "{} {:.3f}\n", length, time);
        session_.flush(dump_);
    }

    /// Finishes the files. No output may follow.
    void close() {
        session_.finish(file_);
        session_.finish(dump_);
    }

    /// Writes lines, or issues the text as a warning if there are no lines.
    void tell(std::string const& lines, std::string_view text) {
        if (lines.empty())
            session_.warn(std::string{text});
        else
            write(lines);
    }

private:
    Part part_;
    Table table_;
    program::Session& session_;
    bool to_file_;
    bool dumps_;
    program::OutputFile file_;
    program::OutputFile dump_;
};

}  // namespace pmb
