// SPDX-License-Identifier: BSD-3-Clause
#include "llcbench/results.hpp"

#include "program/runtime/files.hpp"

#include <measure/error.hpp>

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace llcbench {

using measure::UsageError;

namespace {

using program::is_same_path;

/// Of two writers of one file the later one would win.
void check_different(std::string const& output, std::optional<std::string> const& info, std::string const& json) {
    if (info && is_same_path(*info, output))
        throw UsageError(fmt::format("--info: '{}' is the file of the results too", *info));
    if (!json.empty() && (is_same_path(json, output) || (info && is_same_path(json, *info))))
        throw UsageError(fmt::format("--json: '{}' is a file of the results too", json));
}

}  // namespace

Results::Results(OutputOptions const& options, Machine const& machine, program::Session& session)
    : machine_{machine}, session_{session} {
    if (options.file.empty())
        return;
    auto const info_beside = [&](std::string const& file) {
        return options.info ? std::optional{beside(file, ".info")} : std::nullopt;
    };
    // By the names as they were given, so that all ranks say the same.
    check_different(options.file, info_beside(options.file), session.common().json);
    auto const& world = session.world();
    // The root's clock counts, and its file system.
    bool const stamps = options.timestamp && world.is_root();
    auto const output = stamps ? stamped(options.file, machine.host, stamp_now()) : options.file;
    output_.emplace(world, output);
    if (auto const info = info_beside(output))
        info_.emplace(world, *info);
}

std::ostream& Results::stream() { return output_ ? output_->stream() : session_.text(); }

void Results::check_row() {
    if (output_ && session_.world().is_root() && !output_->stream())
        session_.fail(fmt::format("cannot write '{}': {}", output_->path(), std::strerror(errno)));
}

void Results::keep(measure::Environment const& environment, Fields const& more) {
    if (output_)
        output_->keep();
    if (!info_)
        return;
    info_->stream() << info(machine_, environment, more);
    info_->keep();
}

}  // namespace llcbench
