// SPDX-License-Identifier: BSD-3-Clause
#include "osu/suite.hpp"

#include "osu/campaign.hpp"
#include "osu/catalogue.hpp"
#include "osu/main.hpp"
#include "osu/options.hpp"
#include "osu/rules.hpp"
#include "osu/startup.hpp"
#include "osu/table.hpp"
#include "program/runtime/files.hpp"

#include <measure/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <mpi.h>

#include <filesystem>
#include <string>
#include <vector>

namespace osu {

namespace {

constexpr char const* executable = "measure-osu";

std::string list_of_programs() {
    std::string text;
    for (auto const& row : catalogue())
        text += fmt::format("osu_{:<28} {:<16} {} Test\n", row.name, row.folder, row.full_title());
    return text;
}

void check_name(std::string const& path, Options const& options, program::CommonOptions const& common) {
    if (!common.list && !options.path)
        throw measure::UsageError(
            links::refusal(programs(), path, options.words.empty() ? std::string{} : options.words.front()));
}

/// Folders of the links, for PATH. Their location relative to this executable is fixed.
std::string path_of_links() {
    auto const top = (std::filesystem::canonical("/proc/self/exe").parent_path() / OSU_FOLDER).lexically_normal();
    if (!std::filesystem::is_directory(top))
        throw measure::UsageError(
            fmt::format("--path: folder '{}' does not exist; meson install creates the links", top.string()));
    std::vector<std::string> paths;
    for (auto const& folder : folders())
        paths.push_back((top / folder).string());
    return fmt::format("{}\n", fmt::join(paths, ":"));
}

/// \param read  returns the text of the file with the given path
void read_runs(Derivation& derivation, auto const& read) {
    if (!derivation.file.empty())
        derivation.runs = runs_from(read(derivation.file), derivation.file);
}

}  // namespace

program::Suite all_programs(std::string const& path) {
    program::CommonUse use{.sync_alg = true, .start = true, .plan = true, .seed = true, .strict = true, .list = true};
    use.aliases = {{"--version", "-v"}};
    return {.name = "osu",
            .program = executable,
            .summary =
                "Measures MPI with the programs of the OSU Micro-Benchmarks, with their names, options, loops and "
                "tables. --list without a name prints all names, --path their folders. Each program supports some of "
                "these options.",
            .common = use,
            .prepare = program::prepared<Options>(
                [](program::Parser& parser, Options& options) {
                    option_table(nullptr).declare(parser, options);
                    parser.heading("Instead of measuring");
                    parser.flag("--path", "print the folders of the programs, for use in PATH", options.path);
                    parser.arguments("NAME", "name of the program; it must come before the options", options.words);
                },
                [path](Options const& options, program::Session& session) {
                    check_name(path, options, session.common());
                    session.text() << (options.path ? path_of_links() : list_of_programs());
                },
                [path](Options const& options, program::CommonOptions const& common, program::Supposed const&) {
                    check_name(path, options, common);
                })};
}

program::Suite suite(Row const& row, measure::seconds init) {
    return {.name = "osu",
            .program = "osu_" + row.name,
            .summary = fmt::format(
                "{} Test, with the loop, options and tables of the OSU Micro-Benchmarks, measured by libmeasure.",
                row.full_title()),
            .common = common_use(row),
            .banner = title(row, Format::v7_4),
            .thread_level =
                [&row](std::vector<std::string> const&) {
                    return row.pattern == Pattern::threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE;
                },
            .prepare = program::prepared<Options>(
                [&row](program::Parser& parser, Options& options) { declare(parser, row, options); },
                [&row, init](Options& options, program::Session& session) {
                    read_runs(options.derivation, [&session](std::string const& path) {
                        return program::read_file(session.world(), path);
                    });
                    if (row.is_startup())
                        report_startup(row, options, init, session);
                    else
                        measure_program(row, options, session);
                },
                [&row](Options options, program::CommonOptions const& common, program::Supposed const& supposed) {
                    read_runs(options.derivation,
                              [&supposed](std::string const& path) { return program::supposed_file(supposed, path); });
                    if (!row.is_startup())
                        check_program(row, options, common, supposed);
                })};
}

int run_main(int argc, char** argv) {
    std::string const path = argv[0];
    auto const which = links::take(programs(), argc, argv);
    if (!which)
        return program::run_main(argc, argv, all_programs(path));
    auto const* row = &catalogue()[*which];
    if (row->pattern != Pattern::init)
        return program::run_main(argc, argv, suite(*row, {}));
    Initialised const initialised{argc, argv};
    return program::run_main(argc, argv, suite(*row, initialised.time()));
}

}  // namespace osu
