// SPDX-License-Identifier: BSD-3-Clause
/// Destination: where a text goes: standard output, or a file that has its content only once it is whole.
#pragma once

#include "program/runtime/output_file.hpp"
#include "program/runtime/session.hpp"

#include <optional>
#include <ostream>
#include <string>

namespace measure::tool {

class Destination {
public:
    /// \param option  that names the file  \param path  "-" is standard output
    /// \throws measure::UsageError where the file cannot be written, is an input or an output already
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
