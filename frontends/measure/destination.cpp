// SPDX-License-Identifier: BSD-3-Clause
#include "destination.hpp"

#include "program/runtime/files.hpp"

#include <measure/error.hpp>

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

namespace measure_tool {

namespace {

/// A link to an input would be written through.
bool is_same_file(std::string const& a, std::string const& b) {
    std::error_code error;
    return program::is_same_path(a, b) ||
           (std::filesystem::is_regular_file(a, error) && std::filesystem::equivalent(a, b, error));
}

}  // namespace

void check_outputs(std::vector<std::pair<std::string, std::string>> const& outputs,
                   std::vector<std::string> const& inputs) {
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        auto const& [option, path] = outputs[i];
        if (path == "-" || path.empty())
            continue;
        for (auto const& input : inputs)
            if (is_same_file(input, path))
                throw measure::UsageError(fmt::format("{}: '{}' is an input", option, path));
        for (std::size_t k = 0; k < i; ++k)
            if (is_same_file(outputs[k].second, path))
                throw measure::UsageError(fmt::format("{}: '{}' is the file of {}", option, path, outputs[k].first));
    }
}

}  // namespace measure_tool
