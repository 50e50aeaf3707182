// SPDX-License-Identifier: BSD-3-Clause
#include "program/cli/option_table.hpp"
#include "program/runtime/output_file.hpp"
#include "program/runtime/stderr_line.hpp"
#include "skampi/main.hpp"
#include "skampi/output/post.hpp"
#include "skampi/suite.hpp"

#include <measure/environment_info.hpp>

#include <fmt/format.h>

#include <string>
#include <vector>

namespace skampi {

namespace {

struct PostOptions {
    std::string output{};
    bool common = false;
    std::vector<std::string> files{};
};

program::OptionTable<PostOptions> post_options() {
    program::OptionTable<PostOptions> table;
    table.option("-o,--output", "MERGED", "write the merged results to MERGED; an existing file is replaced",
                 &PostOptions::output, program::as::Text{});
    table.flag("--common", "keep only points that all files contain", &PostOptions::common);
    return table;
}

std::string closing_line(PostOptions const& options, Output const& merged) {
    std::size_t points = 0;
    for (Block const& block : merged.blocks)
        points += block.rows.size();
    return fmt::format("{}: measurements {}, points {}, files {}\n", program::printable(options.output),
                       merged.blocks.size(), points, options.files.size());
}

void demand_output(PostOptions const& options) {
    if (options.output.empty())
        throw measure::UsageError("-o is missing: name the file for the merged results");
}

void check(PostOptions const& options, program::CommonOptions const&, program::Supposed const& supposed) {
    demand_output(options);
    auto const inputs =
        read_inputs(options.files, [&](std::string const& path) { return program::supposed_file(supposed, path); });
    static_cast<void>(merge(inputs, options.common));
}

/// Checks that the files belong together only if a record is written.
measure::Environment run_of(PostOptions const& options, std::vector<Input> const& inputs, program::Session& session) {
    if (session.common().json.empty())
        return {};
    auto run = environment_of(inputs);
    run.options["output"] = options.output;
    run.options["common"] = options.common;
    run.options["inputs"] = heads(inputs);
    return run;
}

void run(PostOptions const& options, program::Session& session) {
    auto const inputs = read_inputs(session, options.files);
    Output const merged = merge(inputs, options.common);
    auto file = program::open_file(session.world(), options.output, "-o", program::Appears::when_whole);
    session.begin(run_of(options, inputs, session));
    file.stream() << text(merged);
    file.finish();
    write_record(session, merged);
    if (!session.common().quiet)
        session.text() << closing_line(options, merged);
}

}  // namespace

program::Suite post_suite() {
    return {.name = "skampi",
            .program = "skampi-post",
            .summary = "Merges output files of skampi into one file with the median of every value.",
            .common = {.measures = false, .aliases = {{"--quiet", "-q"}, {"--version", "-V"}}},
            .uses_mpi = false,
            .prepare = program::prepared<PostOptions>(
                [](program::Parser& parser, PostOptions& options) {
                    post_options().declare(parser, options);
                    parser.arguments("FILE...", "output files of runs with the same configuration", options.files);
                },
                run, check)};
}

int run_post(int argc, char** argv) { return program::run_main(argc, argv, post_suite()); }

}  // namespace skampi
