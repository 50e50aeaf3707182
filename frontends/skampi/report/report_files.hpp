// SPDX-License-Identifier: BSD-3-Clause
/// ReportFiles: writes a report into a folder and has gnuplot draw its files of pictures.
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
    /// Creates the folder where it is missing. \throws measure::UsageError where it cannot be written to, or another
    /// run writes a report there
    ReportFiles(program::Session& session, std::string folder, Formats const& formats);

    /// \throws measure::UsageError where the record is a file of the report. Local.
    void check_record(std::string const& json, std::vector<Plot> const& plots) const;
    /// Removes an earlier report, once a new one is sure to come.
    void clear();
    /// Writes the plots' data and scripts, and a script for each document of all plots; pictures of an earlier report
    /// under the same names are removed.
    void write_plots(std::vector<Plot> const& plots);
    /// Has gnuplot make the pictures; what cannot be made is a warning. \throws measure::Interrupted
    void draw(std::vector<Plot> const& plots);
    /// Writes the page, if it is asked for.
    void write_document(Document const& document);

private:
    [[nodiscard]] std::string path(std::string const& file) const;
    void write(std::string const& file, std::string const& text);
    void remove(std::string const& file);
    /// Has gnuplot run a script. \return whether it succeeded  \throws measure::Interrupted
    [[nodiscard]] bool run(std::string const& script);

    program::Session& session_;
    std::string folder_;
    Formats formats_;
    std::optional<program::LockFile> lock_{};  ///< of the folder
};

}  // namespace skampi::report
