// SPDX-License-Identifier: BSD-3-Clause
#include "shared/command.hpp"

#include "program/cli/values.hpp"
#include "shared/documents.hpp"

#include <measure/error.hpp>
#include <measure/report.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

namespace measure::tool {

namespace {

enum class SchemaFormat { json, markdown };

struct SchemaOptions {
    SchemaFormat format = SchemaFormat::json;
    std::vector<std::string> names{};
};

void check_names(SchemaOptions const& options) {
    std::vector<std::string> names;
    for (auto const& kind : document_kinds())
        names.emplace_back(kind.name);
    for (auto const& name : options.names)
        if (std::find(names.begin(), names.end(), name) == names.end()) {
            auto const near = program::closest(name, names);
            throw UsageError(fmt::format("unknown document '{}'{}; run measure schema for the list", name,
                                         near.empty() ? "" : fmt::format(" (did you mean '{}'?)", near)));
        }
    if (options.names.size() > 1)
        throw UsageError("only one document name is allowed");
}

void show_schema(SchemaOptions const& options, program::Session& session) {
    for (auto const& kind : document_kinds())
        if (options.names.empty())
            session.text() << fmt::format("{:<16}{}\n", kind.name, kind.command);
        else if (kind.name == options.names.front())
            session.text() << (options.format == SchemaFormat::json ? measure::json_text(schema_of(kind)) + "\n"
                                                                    : field_table(kind));
}

void declare_schema(program::Parser& parser, SchemaOptions& options) {
    parser.option(
        "--format", "NAME", "choose the format: json (the schema) or markdown (md; a table of the fields)",
        options.format,
        program::as::Choice<SchemaFormat>{
            {{"json", SchemaFormat::json}, {"markdown", SchemaFormat::markdown}, {"md", SchemaFormat::markdown}}});
    parser.arguments("NAME", "name of the document, as in its field `document`", options.names);
}

}  // namespace

program::Suite schema_command() {
    return local_suite(
        "measure schema",
        "Prints the JSON schema of a document that a command writes with --json. Without NAME, lists "
        "the documents.",
        program::prepared<SchemaOptions>(declare_schema, show_schema, checked_by<SchemaOptions>(check_names)));
}

}  // namespace measure::tool
