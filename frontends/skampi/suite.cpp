// SPDX-License-Identifier: BSD-3-Clause
#include "skampi/suite.hpp"

#include "program/runtime/files.hpp"
#include "skampi/main.hpp"
#include "skampi/options.hpp"
#include "skampi/output/inputs.hpp"
#include "skampi/parameters/default_config.hpp"
#include "skampi/parameters/parameters.hpp"
#include "skampi/run/campaign.hpp"

#include <measure/agree.hpp>
#include <measure/error.hpp>

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>

namespace skampi {

namespace {

/// Fails if the file exists.
void write_default_config(std::string const& path) {
    std::error_code none;
    if (std::filesystem::exists(std::filesystem::symlink_status(path, none)))
        throw measure::UsageError(fmt::format("cannot create '{}': {}", path, std::strerror(EEXIST)));
    program::OutputFile file{path, {}, program::Appears::when_whole};
    file.stream() << default_config();
    file.finish();
}

std::string read_config(Options const& options, ReadFile const& read) {
    try {
        return read(options.config);
    } catch (measure::UsageError const& error) {
        throw measure::UsageError(
            fmt::format("{} (create a parameter file with skampi --write-default-config)", error.what()));
    }
}

Setup read_setup(Options const& options, program::CommonOptions const& common, int ranks, ReadFile const& read) {
    auto setup = parameters(read_config(options, read), options.config, ranks, {options.only, options.skip});
    auto& globals = setup.globals;
    if (!options.output.empty())
        globals.output = options.output;
    if (!options.log.empty())
        globals.log = options.log;
    if (options.timer_given)
        globals.timer = common.timer;
    globals.cost_model = options.cost_model;
    return setup;
}

void check(Options const& options, program::CommonOptions const& common, program::Supposed const& supposed) {
    if (!options.list && !options.write_default)
        static_cast<void>(read_setup(options, common, supposed.ranks,
                                     [&](std::string const& path) { return program::supposed_file(supposed, path); }));
}

void run(Options const& options, program::Session& session) {
    if (options.list) {
        session.text() << routines_text();
    } else if (options.write_default) {
        measure::on_root(session.world(),
                         [&] { write_default_config(options.files.empty() ? ".skampi" : options.files.front()); });
    } else {
        auto const& world = session.world();
        auto const setup = read_setup(options, session.common(), world.size(),
                                      [&](std::string const& path) { return program::read_file(world, path); });
        if (options.check)
            session.text() << check_text(setup);
        else
            measure_suite(options, setup, session);
    }
}

}  // namespace

program::Suite suite() {
    return {.name = "skampi",
            .program = "skampi",
            .summary = "Measures MPI operations over message length and number of processes, to a requested relative "
                       "accuracy with as few measurements as possible, by the method of the SKaMPI paper.",
            .common = {.sync_alg = true, .seed = true, .aliases = {{"--version", "-V"}, {"--quiet", "-q"}}},
            .prepare = [](program::Parser& parser, program::CommonOptions const&) -> program::Prepared {
                auto const options = std::make_shared<Options>();
                declare(parser, *options);
                return {[options, &parser](program::Session& session) {
                            options->timer_given = parser.given("--timer");
                            run(*options, session);
                        },
                        [options](program::CommonOptions const& common, program::Supposed const& supposed) {
                            check(*options, common, supposed);
                        }};
            }};
}

int run_skampi(int argc, char** argv) { return program::run_main(argc, argv, suite()); }

}  // namespace skampi
