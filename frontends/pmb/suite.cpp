// SPDX-License-Identifier: BSD-3-Clause
#include "pmb/suite.hpp"

#include "bodies/memory.hpp"
#include "links/links.hpp"
#include "pmb/campaign.hpp"
#include "pmb/main.hpp"
#include "pmb/options.hpp"
#include "pmb/report/table.hpp"
#include "pmb/setup.hpp"
#include "program/cli/values.hpp"
#include "program/runtime/files.hpp"

#include <measure/agree.hpp>
#include <measure/error.hpp>
#include <measure/mpi_error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

namespace pmb {

namespace {

bool is_one_sided(Part part) { return part == Part::ext || part == Part::imb_ext; }

std::string summary(Part part) {
    std::string const what = is_io(part)             ? "MPI-2 file access"
                             : part == Part::imb_rma ? "MPI one-sided communication with passive targets"
                             : part == Part::imb_mt  ? "concurrent MPI calls of several threads"
                             : part == Part::imb_p2p ? "messages between all processes"
                             : part == Part::imb_nbc ? "MPI non-blocking collectives"
                             : is_one_sided(part)    ? "MPI-2 one-sided communication"
                                                     : "MPI-1 messages and collectives";
    return fmt::format("Measures {} by the method of the {}.", what,
                       is_imb(part) ? "Intel MPI Benchmarks 2021" : "Pallas MPI Benchmarks 2.2");
}

std::string list_of_benchmarks(Part part) {
    std::vector<Benchmark const*> all;
    for (Benchmark const& b : benchmarks(part))
        all.push_back(&b);
    if (is_imb(part))
        std::sort(all.begin(), all.end(),
                  [](auto* a, auto* b) { return program::lower(a->name) < program::lower(b->name); });
    std::string text;
    for (auto const* const b : all)
        text += is_imb(part)
                    ? fmt::format("{}{}\n", b->name, b->standard ? "" : " (non-default)")
                    : fmt::format("{:<24}{}{}\n", b->name, b->text, b->standard ? "" : " (not in the standard)");
    return text;
}

/// The number of threads as in OpenMP: OMP_NUM_THREADS, otherwise one per core. The root decides. Collective.
int threads_of(measure::Comm const& world) {
    int threads = measure::usable_cores();
    measure::on_root(world, [&] {
        if (char const* const text = std::getenv("OMP_NUM_THREADS"))
            threads =
                program::as::Int{.low = 1, .high = 10'000}({"OMP_NUM_THREADS", program::split(text, ',').front()});
    });
    world.broadcast(threads);
    return threads;
}

/// A thread level by MPI's value and name.
struct MpiLevel {
    int value;
    char const* name;
};

MpiLevel mpi_level(ThreadLevel level) {
    std::array const levels{
        MpiLevel{MPI_THREAD_SINGLE, "MPI_THREAD_SINGLE"}, MpiLevel{MPI_THREAD_FUNNELED, "MPI_THREAD_FUNNELED"},
        MpiLevel{MPI_THREAD_SERIALIZED, "MPI_THREAD_SERIALIZED"}, MpiLevel{MPI_THREAD_MULTIPLE, "MPI_THREAD_MULTIPLE"}};
    return levels[static_cast<std::size_t>(level)];
}

/// The highest thread level on a command line. No other option has these values.
int asked_level(std::vector<std::string> const& command) {
    int level = MPI_THREAD_SINGLE;
    for (auto const& given : command)
        for (auto const& [name, each] : thread_levels().choices)
            if (program::lower(given.substr(given.find('=') + 1)) == name)
                level = std::max(level, mpi_level(each).value);
    return level;
}

void check_level(ThreadLevel level, std::vector<std::string> const& command) {
    int provided = MPI_THREAD_SINGLE;
    measure::check(MPI_Query_thread(&provided), "MPI_Query_thread");
    auto const [needed, name] = mpi_level(level);
    if (provided >= needed)
        return;
    throw measure::UsageError(
        asked_level(command) >= needed
            ? fmt::format("-thread_level: MPI does not provide {}", name)
            : fmt::format("-thread_level {}: must be given on the command line, which is read before MPI starts",
                          thread_levels().text(level)));
}

void run(Options options, program::Session& session) {
    check_level(options.threads.level, session.command());
    if (options.part == Part::imb_mt && options.threads.level == ThreadLevel::multiple)
        options.threads.threads = threads_of(session.world());
    if (options.off_cache && options.off_cache->automatic) {
        auto const mine = static_cast<double>(bodies::last_level_cache().size);
        options.off_cache->cache = static_cast<measure::Bytes>(session.world().max(mine));
    }
    auto const setup = resolve(options, session.common(),
                               [&](std::string const& path) { return program::read_file(session.world(), path); });
    if (options.list)
        session.text() << list_of_benchmarks(options.part);
    else
        measure_benchmarks(options, setup, session);
}

}  // namespace

namespace {

/// Aliases of common options in the spelling of these suites.
std::vector<std::pair<std::string, std::string>> aliases(Part part) {
    std::vector<std::pair<std::string, std::string>> all{
        {"--timer", "-timer"}, {"--version", "-version"}, {"--help", "-help"}};
    if (part == Part::mpi1 || part == Part::imb_mpi1)
        for (char const* const word : {"stop", "trim", "confidence", "strict"})
            all.emplace_back(fmt::format("--{}", word), fmt::format("-{}", word));
    return all;
}

}  // namespace

program::Suite suite(Part part) {
    return {.name = is_imb(part) ? "imb" : "pmb",
            .program = program_name(part),
            .summary = summary(part),
            .common = {.plan = part == Part::mpi1 || part == Part::imb_mpi1,
                       .batch = false,
                       .seed = true,
                       .strict = part == Part::mpi1 || part == Part::imb_mpi1,
                       .config = is_imb(part),
                       .aliases = aliases(part)},
            .thread_level =
                [part](std::vector<std::string> const& command) {
                    return is_imb(part) ? asked_level(command) : MPI_THREAD_SINGLE;
                },
            .prepare = [part](program::Parser& parser, program::CommonOptions const&) -> program::Prepared {
                auto const options = std::make_shared<Options>(part);
                declare(parser, *options);
                return {[options](program::Session& session) { run(*options, session); },
                        [options](program::CommonOptions const& common, program::Supposed const& supposed) {
                            auto const setup = resolve(*options, common, [&](std::string const& path) {
                                return program::supposed_file(supposed, path);
                            });
                            if (!options->list)
                                static_cast<void>(order_of(setup, supposed.ranks));
                        }};
            }};
}

namespace {

constexpr char const* executable = "measure-imb";

links::Programs programs() {
    links::Programs all{"IMB-", {}, ""};
    for (Part const part : imb_parts)
        all.names.push_back(program_name(part));
    all.where = fmt::format("there are {}", fmt::join(all.names, ", "));
    return all;
}

[[noreturn]] void refuse_name(std::string const& path, std::vector<std::string> const& words) {
    throw measure::UsageError(links::refusal(programs(), path, words.empty() ? std::string{} : words.front()));
}

}  // namespace

program::Suite all_parts(std::string const& path) {
    return {.name = "imb",
            .program = executable,
            .summary = fmt::format("Runs the programs of the Intel MPI Benchmarks 2021, {}, with the original names, "
                                   "options, loops and tables. Show the options of a program with {} NAME --help.",
                                   fmt::join(programs().names, ", "), executable),
            .prepare = program::prepared<std::vector<std::string>>(
                [](program::Parser& parser, std::vector<std::string>& words) {
                    parser.arguments("NAME", "program; it must come before the options", words);
                },
                [path](std::vector<std::string> const& words, program::Session&) { refuse_name(path, words); },
                [path](std::vector<std::string> const& words, program::CommonOptions const&, program::Supposed const&) {
                    refuse_name(path, words);
                })};
}

int run_mpi1(int argc, char** argv) { return program::run_main(argc, argv, suite(Part::mpi1)); }
int run_ext(int argc, char** argv) { return program::run_main(argc, argv, suite(Part::ext)); }
int run_io(int argc, char** argv) { return program::run_main(argc, argv, suite(Part::io)); }

int run_imb(int argc, char** argv) {
    std::string const path = argv[0];
    auto const which = links::take(programs(), argc, argv);
    return program::run_main(argc, argv, which ? suite(imb_parts[*which]) : all_parts(path));
}

}  // namespace pmb
