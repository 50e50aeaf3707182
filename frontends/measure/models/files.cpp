// SPDX-License-Identifier: BSD-3-Clause
#include "models/files.hpp"

#include <measure/error.hpp>
#include <measure/report.hpp>

#include <fmt/format.h>

#include <string_view>

namespace measure::tool {

namespace {

bool is_header(std::string_view path) { return path.ends_with(".h"); }

}  // namespace

void declare_model(program::Parser& parser, std::vector<std::string>& files) {
    parser.list(
        "--model", "FILE",
        "write what operations cost: FILE.json a document, FILE.h a C header with a function for each benchmark; may "
        "be given several times",
        files, program::as::Text{});
}

void check_model_files(std::span<std::string const> files) {
    for (auto const& file : files)
        if (!file.ends_with(".json") && !is_header(file))
            throw measure::UsageError(fmt::format("--model: '{}' ends neither in .json nor in .h", file));
}

ModelFiles::ModelFiles(std::span<std::string const> files, program::Session& session) {
    check_model_files(files);
    for (auto const& file : files)
        files_.push_back(program::open_file(session.world(), file, "--model", program::Appears::when_whole));
}

void ModelFiles::write(Models const& models) {
    for (auto& file : files_) {
        if (is_header(file.path()))
            file.stream() << model_header(models.costs);
        else
            file.stream() << measure::json_text(model_document(models)) << '\n';
        file.finish();
    }
}

}  // namespace measure::tool
