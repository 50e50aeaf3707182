// SPDX-License-Identifier: BSD-3-Clause
#include "llcbench/output.hpp"

#include "program/cli/values.hpp"

#include <measure/error.hpp>

#include <fmt/format.h>

namespace llcbench {

namespace as = program::as;
using measure::UsageError;

program::OptionTable<OutputOptions> output_options(OutputUse const& use) {
    program::OptionTable<OutputOptions> table;
    table.option(use.names, "FILE", "write to a file", &OutputOptions::file, as::Text{}).key("output");
    table
        .option("--format", "NAME", "dat or csv", &OutputOptions::format,
                as::Choice<Format>{{{"dat", Format::dat}, {"csv", Format::csv}}})
        .unset(use.format_default)
        .unrecorded();
    table.flag("--plain", "the first two columns only, no comments", &OutputOptions::plain).unrecorded();
    table.flag("--timestamp", "put date and time into the file's name", &OutputOptions::timestamp).unrecorded();
    table.flag("--info", "describe the machine in a file FILE.info beside the output", &OutputOptions::info)
        .unrecorded();
    return table;
}

void check(OutputOptions const& o, std::string const& name) {
    if (o.plain && o.format == Format::csv)
        throw UsageError("--plain: goes with --format dat only");
    if (o.file.empty() && (o.timestamp || o.info))
        throw UsageError(fmt::format("{}: needs a file ({} FILE)", o.timestamp ? "--timestamp" : "--info", name));
}

}  // namespace llcbench
