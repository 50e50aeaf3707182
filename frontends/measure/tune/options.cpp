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

/// Fewer can hardly be significant among several tests: 2^-6.
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
        throw UsageError(fmt::format("{}: '{}' ends before it begins", argument.option, argument.value));
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

/// What makes a campaign what it is, and is no matter of its proof.
constexpr std::initializer_list<char const*> of_campaigns{
    "--collectives", "--sizes", "--launches", "--blocks", "--gain", "--fdr", "--base", "--via", "--ranks", "--no-han"};

void refuse_beside(char const* given, program::Parser const& parser, std::initializer_list<char const*> others) {
    for (char const* const option : others)
        if (parser.given(option))
            throw UsageError(fmt::format("{} and {} do not go together", given, option));
}

void check_together(TuneOptions const& options, program::Parser const& parser) {
    if (parser.given("--resume")) {
        refuse_beside("--resume", parser, {"--alpha", "--proof", "--timeout", "-o", "--list", "--prove"});
        refuse_beside("--resume", parser, of_campaigns);
        if (!options.launcher.empty())
            throw UsageError("--resume and a launcher do not go together: the campaign goes on as it was begun");
        return;
    }
    if (parser.given("--prove")) {
        refuse_beside("--prove", parser, {"--list"});
        refuse_beside("--prove", parser, of_campaigns);
    }
    if (options.list)
        refuse_beside("--list", parser, {"--no-han"});
    if (options.launcher.empty())
        throw UsageError("no launcher: measure tune -o FOLDER -- mpiexec -n 4");
    if (options.list && parser.given("-o"))
        throw UsageError("--list and -o do not go together: nothing is written");
    if (!options.list && options.prove.empty() && options.folder.empty())
        throw UsageError("no folder for the files: measure tune -o FOLDER -- mpiexec -n 4");
}

constexpr std::array<std::string_view, 6> reductions{"Reduce", "Allreduce", "Reduce_scatter", "Reduce_scatter_block",
                                                     "Scan",   "Exscan"};

}  // namespace

void declare(program::Parser& parser, TuneOptions& options) {
    using namespace program::as;
    parser.flag("--list", "say what the library offers, and measure nothing", options.list);
    parser.option("--prove", "FOLDER", "only prove the file in this folder of a campaign, as it is", options.prove,
                  Text{});
    parser.heading("What is tuned");
    parser.option("--collectives", "LIST", "Bcast,Allreduce (default all that block)", options.collectives,
                  collectives_from);
    parser.option("--sizes", "LOW:HIGH[:FACTOR]", "message sizes", options.sizes, AsSizes{});
    parser.option("--ranks", "LIST",
                  "the first 2,4,.. ranks each, on communicators of their own (default all together)", options.ranks,
                  ranks_from);
    parser.option("--base", "FILE", "a file of the library's choices to change (default those in the library)",
                  options.base, Text{});
    parser.option("--via", "WAY",
                  "mpi_t: all algorithms in one start; environment: each in starts of its own (default mpi_t where "
                  "the library has it)",
                  options.via, via_from);
    parser.flag("--no-han", "Open MPI: component han is off in all starts, and where the file is used", options.no_han);
    parser.heading("How sure it is to be");
    parser.option("--gain", "PCT", "smaller gains change nothing", options.gain, Percentage{.high = 1000000});
    parser.option("--fdr", "PCT", "of the changes, the share that may gain no more than --gain", options.fdr,
                  Percentage{.high = 50, .above_low = true});
    parser.option("--alpha", "P", "chance that the proof is wrong on any segment", options.alpha,
                  Number{.low = 0.0001, .high = 0.5});
    parser.option("--launches", "N", "starts for the decision, at least 6", options.launches,
                  Int{.low = fewest_launches});
    parser.option("--proof", "N", "starts of either side for the proof, at least 6", options.proof,
                  Int{.low = fewest_launches});
    parser.option("--blocks", "N", "blocks of a point that tell slow algorithms, at most", options.blocks,
                  Int{.low = 1, .high = 10000});
    parser.heading("How long it may take");
    parser.option("--budget", "DURATION",
                  "time of the whole command; the largest sizes are left out first (default any)", options.budget,
                  Duration{.above_zero = true});
    parser.option("--timeout", "DURATION", "an algorithm whose check takes longer hangs", options.timeout,
                  Duration{.above_zero = true});
    parser.heading("Where it is kept");
    parser.option("-o,--output", "FOLDER",
                  "folder of the files and records (with --prove by default a new one in its folder)", options.folder,
                  Text{});
    parser.option("--json", "FILE",
                  "write the document tuning.json there, too; - is stdout, the text then goes to stderr", options.json,
                  Text{});
    parser.option("--resume", "FOLDER", "go on with a campaign that was broken off", options.resume, Text{});
    parser.command("LAUNCHER...", "words before the program: mpiexec -n 16", options.launcher);
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
