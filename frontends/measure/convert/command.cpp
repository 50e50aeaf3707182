// SPDX-License-Identifier: BSD-3-Clause
#include "shared/command.hpp"

#include "converters/convert.hpp"
#include "program/runtime/files.hpp"
#include "shared/destination.hpp"
#include "shared/inputs.hpp"
#include "shared/sources.hpp"

#include <measure/error.hpp>

#include <fmt/format.h>

#include <iostream>
#include <string>
#include <vector>

namespace measure::tool {

namespace {

struct ConvertOptions {
    convert::Given given{};
    std::string output = "-";
    std::vector<std::string> files{};
};

std::string record_of_source(std::string const& file, convert::Given const& given) {
    auto const name = name_of_source(file);
    auto const text = text_of_source(file);
    if (auto record = convert::converted(text, name, given))
        return *record;
    // The fault of a damaged record is reported.
    try {
        static_cast<void>(launches_of(text, name));
    } catch (program::ParseErrors const&) {
        convert::refuse({.text = text, .path = name}, 1, convert::unknown_text());
    }
    convert::refuse({.text = text, .path = name}, 1, "this file is already a record");
}

void convert_files(ConvertOptions const& options, program::Session& session) {
    Destination output{"-o", options.output, session};
    std::string records;
    std::vector<program::ParseError> faults;
    for (auto const& file : options.files)
        program::gather(faults, [&] { records += record_of_source(file, options.given); });
    program::throw_any(std::move(faults));
    output.write(records, std::cout);
}

void declare_convert(program::Parser& parser, ConvertOptions& options) {
    parser.option("-o,--output", "FILE", "write to this file; - is stdout", options.output, program::as::Text{});
    parser.arguments("FILE...", "output files; - is standard input", options.files);
    convert::declare(parser, options.given);
}

void check_convert(ConvertOptions const& options) {
    if (options.files.empty())
        throw measure::UsageError(
            fmt::format("no input; name output files ({}), or - for standard input", convert::sources));
    check_standard_input(options.files);
}

}  // namespace

program::Suite convert_command() {
    return local_suite(
        "measure convert",
        fmt::format("Converts output files of other programs ({}) to records. Machine, MPI library and date are taken "
                    "from the source, or recorded as unknown.",
                    convert::sources),
        program::prepared<ConvertOptions>(declare_convert, convert_files, checked_by<ConvertOptions>(check_convert)));
}

}  // namespace measure::tool
