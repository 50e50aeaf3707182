// SPDX-License-Identifier: BSD-3-Clause
/// ReportFiles: writes a report to a folder and runs gnuplot for the picture files.
#pragma once

#include "program/runtime/file_lock.hpp"
#include "program/runtime/session.hpp"
#include "skampi/report/report.hpp"

#include <optional>
#include <string>
#include <vector>

namespace skampi::report {

class ReportFiles {
public:
    /// Creates the folder if necessary. \throws measure::UsageError if the folder is not writable, or if another run is
    /// writing a report there
    ReportFiles(program::Session& session, std::string folder, Formats const& formats);

    /// \throws measure::UsageError if the record has the name of a report file. Local.
    void check_record(std::string const& json, std::vector<Plot> const& plots) const;
    /// Removes an earlier report. Called once nothing can prevent the new one.
    void clear();
    /// Writes data and script of each plot, and a script for each document that holds all plots. Removes pictures of an
    /// earlier report with the same names.
    void write_plots(std::vector<Plot> const& plots);
    /// Runs gnuplot on all scripts. A picture that fails causes a warning. \throws measure::Interrupted
    void draw(std::vector<Plot> const& plots);
    /// Writes the page if it is requested.
    void write_document(Document const& document);

private:
    [[nodiscard]] std::string path(std::string const& file) const;
    void write(std::string const& file, std::string const& text);
    void remove(std::string const& file);
    /// Runs gnuplot on a script. \returns whether it succeeded  \throws measure::Interrupted
    [[nodiscard]] bool run(std::string const& script);

    program::Session& session_;
    std::string folder_;
    Formats formats_;
    std::optional<program::LockFile> lock_{};  ///< lock on the folder
};

}  // namespace skampi::report
