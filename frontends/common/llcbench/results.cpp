// SPDX-License-Identifier: BSD-3-Clause
#include "llcbench/results.hpp"

#include <fmt/format.h>

#include <string>

namespace llcbench {

Results::Results(OutputOptions const& options, Machine const& machine, program::Session& session)
    : machine_{machine}, session_{session}, format_{options.form()} {
    if (options.file.empty())
        return;
    auto const info_beside = [&](std::string const& file) {
        return options.info ? std::optional{beside(file, ".info")} : std::nullopt;
    };
    auto const& world = session.world();
    // The stamp depends on the root's clock and file system.
    bool const stamps = options.timestamp && world.is_root();
    auto const output = stamps ? stamped(options.file, machine.host, stamp_now()) : options.file;
    output_ = program::open_file(world, output, "--output", program::Appears::part_stays);
    if (auto const info = info_beside(output))
        info_ = program::open_file(world, *info, "--info", program::Appears::when_whole);
}

std::ostream& Results::stream() { return output_ ? output_->stream() : session_.text(); }

void Results::check_row() {
    if (output_)
        session_.flush(*output_);
}

void Results::cut_short(std::string const& reason) {
    if (!output_ || output_->unfinished().empty())
        return;
    if (format_ != Format::csv)
        output_->stream() << "# " << reason << '\n';
    session_.flush(*output_);
    session_.warn(fmt::format("incomplete: the results so far are in '{}'", output_->unfinished()));
}

void Results::keep(measure::Environment const& environment, Fields const& more) {
    if (output_)
        output_->finish();
    if (!info_)
        return;
    info_->stream() << info(machine_, environment, more);
    info_->finish();
}

}  // namespace llcbench
