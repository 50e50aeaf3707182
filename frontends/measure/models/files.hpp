// SPDX-License-Identifier: BSD-3-Clause
/// Model files: where models are exported to, for every command that can.
#pragma once

#include "models/export.hpp"
#include "program/cli/parse.hpp"
#include "program/runtime/output_file.hpp"
#include "program/runtime/session.hpp"

#include <span>
#include <string>
#include <vector>

namespace measure::tool {

/// Declares --model FILE, which may be given several times. `files` must outlive the parser's `parse`.
void declare_model(program::Parser& parser, std::vector<std::string>& files);

/// \throws measure::UsageError for a name that ends neither in .json nor in .h
void check_model_files(std::span<std::string const> files);

/// The files of --model, opened before anything is computed; they have their content only once they are whole.
class ModelFiles {
public:
    /// \throws measure::UsageError for a name that ends neither in .json nor in .h, and for a file that cannot be
    /// written
    ModelFiles(std::span<std::string const> files, program::Session& session);
    /// \throws std::runtime_error
    void write(Models const& models);

private:
    std::vector<program::OutputFile> files_{};
};

}  // namespace measure::tool
