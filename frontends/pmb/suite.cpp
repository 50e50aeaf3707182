// SPDX-License-Identifier: BSD-3-Clause
#include "suite.hpp"

#include "campaign.hpp"
#include "options.hpp"
#include "program/runtime/files.hpp"

#include <fmt/format.h>

#include <memory>

namespace pmb {

namespace {

struct Words {
    char const* program;
    char const* summary;
};

Words words(Part part) {
    switch (part) {
    case Part::mpi1:
        return {"PMB-MPI1", "Measures MPI-1 messages and collectives by the method of the Pallas MPI Benchmarks 2.2."};
    case Part::ext:
        return {"PMB-EXT", "Measures MPI-2 one-sided communication by the method of the Pallas MPI Benchmarks 2.2."};
    case Part::io:
        break;
    }
    return {"PMB-IO", "Measures MPI-2 file access by the method of the Pallas MPI Benchmarks 2.2."};
}

std::string list_of_benchmarks(Part part) {
    std::string text;
    for (Benchmark const& b : benchmarks(part))
        text += fmt::format("{:<24}{}{}\n", b.name, b.text, b.standard ? "" : " (not in the standard)");
    return text;
}

void run(Options const& options, program::Session& session) {
    auto const setup = resolve(options, session.common(),
                               [&](std::string const& path) { return program::read_file(session.world(), path); });
    if (options.list)
        session.text() << list_of_benchmarks(options.part);
    else
        measure_benchmarks(options, setup, session);
}

}  // namespace

program::Suite suite(Part part) {
    auto const [program, summary] = words(part);
    return {
        .name = "pmb",
        .program = program,
        .summary = summary,
        .common = {.seed = true, .aliases = {{"--timer", "-timer"}, {"--version", "-version"}, {"--help", "-help"}}},
        .prepare = [part](program::Parser& parser, program::CommonOptions const&) -> program::Body {
            auto const options = std::make_shared<Options>();
            options->part = part;
            declare(parser, *options);
            return [options](program::Session& session) { run(*options, session); };
        }};
}

}  // namespace pmb
