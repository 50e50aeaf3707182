// SPDX-License-Identifier: BSD-3-Clause
/// Destination: where a text goes: standard output, or a file that has its name only once it is whole.
#pragma once

#include "program/runtime/result_file.hpp"
#include "program/runtime/session.hpp"

#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace measure_tool {

class Destination {
public:
    /// \param path  "-" is standard output  \throws measure::UsageError where the file cannot be written
    Destination(std::string const& path, program::Session& session) {
        if (path != "-" && !path.empty())
            file_.emplace(session.world(), path);
    }
    void write(std::string const& text, std::ostream& standard) {
        (file_ ? file_->stream() : standard) << text;
        if (file_)
            file_->keep();
    }

private:
    std::optional<program::ResultFile> file_{};
};

/// Outputs are neither inputs nor each other. \param outputs  options and their paths; "-" and "" are no files
/// \throws measure::UsageError
void check_outputs(std::vector<std::pair<std::string, std::string>> const& outputs,
                   std::vector<std::string> const& inputs);

}  // namespace measure_tool
