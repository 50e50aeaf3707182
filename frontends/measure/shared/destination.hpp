// SPDX-License-Identifier: BSD-3-Clause
/// Destination: standard output, or a file that appears only when its content is complete.
#pragma once

#include "program/runtime/output_file.hpp"
#include "program/runtime/session.hpp"

#include <optional>
#include <ostream>
#include <string>

namespace measure::tool {

class Destination {
public:
    /// \param option  option that names the file  \param path  "-" is standard output
    /// \throws measure::UsageError if the file cannot be written, or is already an input or output
    Destination(std::string const& option, std::string const& path, program::Session& session) {
        if (path != "-" && !path.empty())
            file_ = program::open_file(session.world(), path, option, program::Appears::when_whole);
    }
    void write(std::string const& text, std::ostream& standard) {
        (file_ ? file_->stream() : standard) << text;
        if (file_)
            file_->finish();
    }

private:
    std::optional<program::OutputFile> file_{};
};

}  // namespace measure::tool
