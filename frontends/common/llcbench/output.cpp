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
    table.option(use.names, "FILE", "write the results to FILE", &OutputOptions::file, as::Text{}).key("output");
    table
        .option("--format", "NAME", "choose the output format: dat or csv", &OutputOptions::format,
                as::Choice<Format>{{{"dat", Format::dat}, {"csv", Format::csv}}})
        .unset(use.format_default)
        .unrecorded();
    table.flag("--plain", "print only the first two columns, without comments", &OutputOptions::plain).unrecorded();
    table.flag("--timestamp", "add date and time to the file name", &OutputOptions::timestamp).unrecorded();
    table.flag("--info", "describe the machine in FILE.info next to the output file", &OutputOptions::info)
        .unrecorded();
    return table;
}

void check(OutputOptions const& o, std::string const& name) {
    if (o.plain && o.format == Format::csv)
        throw UsageError("--plain cannot be combined with --format csv");
    if (o.file.empty() && (o.timestamp || o.info))
        throw UsageError(fmt::format("{}: needs a file ({} FILE)", o.timestamp ? "--timestamp" : "--info", name));
}

}  // namespace llcbench
