// SPDX-License-Identifier: BSD-3-Clause
#include "llcbench/output.hpp"

#include "program/cli/values.hpp"

#include <measure/error.hpp>

#include <fmt/format.h>

namespace llcbench {

namespace as = program::as;
using measure::UsageError;

void declare(program::Parser& parser, OutputUse const& use, OutputOptions& o) {
    parser.option(use.names, "FILE", "write to a file", o.file, as::Text{});
    parser.option("--format", "NAME", fmt::format("dat or csv (default {})", use.format_default), o.format,
                  as::Choice<Format>{{{"dat", Format::dat}, {"csv", Format::csv}}});
    parser.flag("--plain", "the first two columns only, no comments", o.plain);
    parser.flag("--timestamp", "put date and time into the file's name", o.timestamp);
    parser.flag("--info", "describe the machine in a file FILE.info beside the output", o.info);
}

void check(OutputOptions const& o, std::string const& name) {
    if (o.plain && o.format == Format::csv)
        throw UsageError("--plain: goes with --format dat only");
    if (o.file.empty() && (o.timestamp || o.info))
        throw UsageError(fmt::format("{}: needs a file ({} FILE)", o.timestamp ? "--timestamp" : "--info", name));
}

}  // namespace llcbench
