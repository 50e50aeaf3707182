// SPDX-License-Identifier: BSD-3-Clause
#include "tune/options.hpp"

#include "tune/library/algorithms.hpp"

#include <measure/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <set>

namespace measure::tool::tune {

namespace {

using measure::UsageError;
using program::Argument;

/// The smallest p of six launches is 2^-6. Fewer can hardly be significant among several tests.
constexpr int fewest_launches = 6;

std::vector<std::string> collectives_from(Argument const& argument) {
    auto const known = tuned_collectives();
    return program::as::list_of(program::as::Name{{known.begin(), known.end()}})(argument);
}

struct AsSizes {
    SizeRange operator()(Argument const& argument) const;
    [[nodiscard]] std::string text(SizeRange const& range) const {
        program::as::Size const size{};
        return fmt::format("{}:{}:{:g}", size.text(range.low), size.text(range.high), range.factor);
    }
};

SizeRange AsSizes::operator()(Argument const& argument) const {
    auto const parts = program::split(argument.value, ':');
    if (parts.size() < 2 || parts.size() > 3)
        throw UsageError(fmt::format("{}: '{}' is not LOW:HIGH or LOW:HIGH:FACTOR", argument.option, argument.value));
    constexpr measure::Bytes most = measure::Bytes{1} << 30;
    program::as::Size const size{.low = 1, .high = most};
    SizeRange range{.low = size({argument.option, parts[0]}), .high = size({argument.option, parts[1]})};
    if (range.high < range.low)
        throw UsageError(fmt::format("{}: HIGH is smaller than LOW in '{}'", argument.option, argument.value));
    if (parts.size() == 3)
        range.factor = program::as::Number{.low = 1.25, .high = 1024}({argument.option, parts[2]});
    return range;
}

std::vector<int> ranks_from(Argument const& argument) {
    std::set<int> numbers;
    for (auto const& part : program::split(argument.value, ','))
        numbers.insert(program::as::Int{.low = 1}({argument.option, part}));
    return {numbers.begin(), numbers.end()};
}

/// Options that define a campaign and do not apply to its proof.
constexpr std::initializer_list<char const*> of_campaigns{
    "--collectives", "--sizes", "--launches", "--blocks", "--gain", "--fdr", "--base", "--via", "--ranks", "--no-han"};

void refuse_beside(char const* given, program::Parser const& parser, std::initializer_list<char const*> others) {
    for (char const* const option : others)
        if (parser.given(option))
            throw UsageError(fmt::format("{} and {} cannot be combined", given, option));
}

void check_together(TuneOptions const& options, program::Parser const& parser) {
    if (parser.given("--resume")) {
        refuse_beside("--resume", parser, {"--alpha", "--proof", "--timeout", "-o", "--list", "--prove"});
        refuse_beside("--resume", parser, of_campaigns);
        if (!options.launcher.empty())
            throw UsageError(
                "--resume and a launcher cannot be combined: the campaign continues with its own launcher");
        return;
    }
    if (parser.given("--prove")) {
        refuse_beside("--prove", parser, {"--list"});
        refuse_beside("--prove", parser, of_campaigns);
    }
    if (options.list)
        refuse_beside("--list", parser, {"--no-han"});
    if (options.launcher.empty())
        throw UsageError("no launcher given; example: measure tune -o FOLDER -- mpiexec -n 4");
    if (options.list && parser.given("-o"))
        throw UsageError("--list and -o cannot be combined: --list writes no files");
    if (!options.list && options.prove.empty() && options.folder.empty())
        throw UsageError("no folder given; example: measure tune -o FOLDER -- mpiexec -n 4");
}

constexpr std::array<std::string_view, 6> reductions{"Reduce", "Allreduce", "Reduce_scatter", "Reduce_scatter_block",
                                                     "Scan",   "Exscan"};

}  // namespace

void declare(program::Parser& parser, TuneOptions& options) {
    using namespace program::as;
    parser.flag("--list", "list the library's algorithms and measure nothing", options.list);
    parser.option("--prove", "FOLDER", "only prove the file of the campaign in this folder, without changing it",
                  options.prove, Text{});
    parser.heading("What to tune");
    parser.option("--collectives", "LIST",
                  "tune these collectives, for example Bcast,Allreduce (default all blocking ones)",
                  options.collectives, collectives_from);
    parser.option("--sizes", "LOW:HIGH[:FACTOR]", "tune for these message sizes", options.sizes, AsSizes{});
    parser.option("--ranks", "LIST",
                  "for each N in LIST, tune for a communicator of the first N ranks (default all ranks)", options.ranks,
                  ranks_from);
    parser.option("--base", "FILE",
                  "MPICH: change the choices in this file (default the choices built into the library)", options.base,
                  Text{});
    parser.option(
        "--via", "WAY",
        "select algorithms by mpi_t (all in one launch) or by environment (separate launches for each algorithm); "
        "default mpi_t where the library supports it",
        options.via, via_from);
    parser.flag("--no-han", "Open MPI: switch component han off in all launches and in tuned.env", options.no_han);
    parser.heading("Confidence");
    parser.option("--gain", "PCT", "keep the default unless an algorithm gains more than PCT per cent", options.gain,
                  Percentage{.high = 1000000});
    parser.option("--fdr", "PCT",
                  "limit to PCT per cent the expected share of changes whose true gain is at most --gain", options.fdr,
                  Percentage{.high = 50, .above_low = true});
    parser.option("--alpha", "P", "limit the probability of any wrong comparison in the proof to P", options.alpha,
                  Number{.low = 0.0001, .high = 0.5});
    parser.option("--launches", "N", "use N launches for the decision, at least 6", options.launches,
                  Int{.low = fewest_launches});
    parser.option("--proof", "N", "use N launches with the file and N without it for the proof, at least 6",
                  options.proof, Int{.low = fewest_launches});
    parser.option(
        "--blocks", "N",
        "measure at most N blocks per point to drop slow algorithms; a block has eight samples of each algorithm",
        options.blocks, Int{.low = 1, .high = 10000});
    parser.heading("Time limits");
    parser.option("--budget", "DURATION",
                  "limit the time of the whole command; the largest sizes are omitted first (default no limit)",
                  options.budget, Duration{.above_zero = true});
    parser.option("--timeout", "DURATION", "exclude an algorithm as hanging if its check takes longer than this",
                  options.timeout, Duration{.above_zero = true});
    parser.heading("Output");
    parser.option("-o,--output", "FOLDER",
                  "write files and records to this folder (default with --prove FOLDER: a new folder in FOLDER)",
                  options.folder, Text{});
    parser.option("--json", "FILE",
                  "also write the document tuning.json to FILE; with -, JSON goes to stdout and the text to stderr",
                  options.json, Text{});
    parser.option("--resume", "FOLDER", "continue the interrupted campaign in this folder", options.resume, Text{});
    parser.command("LAUNCHER...", "launcher with its options, such as mpiexec -n 16", options.launcher);
    parser.check([&options](program::Parser const& given) { check_together(options, given); });
}

std::vector<measure::Bytes> sizes_of(SizeRange const& range, std::string_view collective) {
    if (collective == "Barrier")
        return {0};
    bool const is_sum = std::find(reductions.begin(), reductions.end(), collective) != reductions.end();
    std::vector<measure::Bytes> result;
    auto const add = [&](double x) {
        auto bytes = static_cast<measure::Bytes>(std::llround(x));
        if (is_sum)
            bytes = std::max<measure::Bytes>(sizeof(double), bytes / 8 * 8);
        if (result.empty() || result.back() < bytes)
            result.push_back(bytes);
    };
    for (auto x = static_cast<double>(range.low); x < static_cast<double>(range.high); x *= range.factor)
        add(x);
    add(static_cast<double>(range.high));
    return result;
}

}  // namespace measure::tool::tune
