// SPDX-License-Identifier: BSD-3-Clause
/// `measure ab`: launches two commands alternately, and compares the records that they write.
#include "analysis/compare/compare.hpp"
#include "compare/fail_on.hpp"
#include "compare/report.hpp"
#include "launching/loop.hpp"
#include "program/cli/values.hpp"
#include "run/campaign.hpp"
#include "shared/command.hpp"
#include "shared/destination.hpp"
#include "shared/inputs.hpp"
#include "shared/launched.hpp"
#include "shared/plain_text.hpp"

#include <measure/error.hpp>
#include <measure/report.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <exception>
#include <iostream>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace measure::tool {

namespace {

using measure::UsageError;
using Words = std::vector<std::string>;

struct AbOptions {
    measure::seconds budget{60};
    std::optional<int> pairs{};
    std::string separator = "--";
    std::string keep{};
    std::string json{};
    bool wall = false;
    CompareRules rules{};
    bool all_points = false;
    std::vector<FailOn> fail_on{};
    Words words{};
};

/// Six launches of each side are needed for a 95 % interval.
constexpr int fewest_pairs = 6;

std::array<Words, 2> commands_of(AbOptions const& options) {
    auto const& words = options.words;
    // The option parser removes the first separator if it is the usual --. Any other separator is still there.
    bool const begins_with_one = !words.empty() && words.front() == options.separator;
    auto const first = words.begin() + (begins_with_one ? 1 : 0);
    auto const middle = std::find(first, words.end(), options.separator);
    std::array<Words, 2> sides{Words(first, middle),
                               middle == words.end() ? Words{} : Words(std::next(middle), words.end())};
    for (auto const& side : sides) {
        if (side.empty())
            throw UsageError(
                fmt::format("two commands are needed: measure ab {0} COMMAND A {0} COMMAND B", options.separator));
        if (!options.wall)
            check_no_record(side);
    }
    return sides;
}

Extent extent_of(AbOptions const& options) {
    return {.least = fewest_pairs,
            .most = options.pairs,
            .budget = options.pairs ? std::nullopt : std::optional{options.budget}};
}

std::vector<std::string> kept_files(AbOptions const& options) {
    if (options.keep.empty())
        return {};
    return {options.keep + "-a.jsonl", options.keep + "-b.jsonl"};
}

/// Launches both commands repeatedly, in pairs.
class Alternation final : public CommandLoop {
public:
    Alternation(AbOptions const& options, program::Session& session)
        : CommandLoop{session,
                      2,
                      {First::in_blocks, session.common().seed},
                      extent_of(options),
                      "pairs",
                      kept_files(options)},
          o_{options}, commands_{commands_of(options)} {}

    [[nodiscard]] bool is_by_wall() const noexcept { return by_wall_; }
    [[nodiscard]] bool has_both() const noexcept { return !side(0).empty() && !side(1).empty(); }

private:
    [[nodiscard]] LaunchOrder order_of(Turn const& turn) const override {
        return {.command = commands_[turn.side],
                .campaign = fmt::format("{}-{}", campaign(), turn.side == 0 ? 'a' : 'b'),
                .log = log(),
                .by_wall = by_wall_};
    }
    [[nodiscard]] std::string name_of(Turn const& turn) const override {
        return fmt::format("launch {} of {}", turn.number, turn.side == 0 ? 'A' : 'B');
    }
    [[nodiscard]] std::string step_of(Turn const& turn) const override { return fmt::format("pair {}", turn.number); }
    [[nodiscard]] std::string advice(Started const& /*started*/) const override {
        return by_wall_ ? "" : " (use --wall for commands that write no records)";
    }

    /// If the command of the first launch fails twice with --json but not without it, it does not know the option.
    Started started(Turn const& turn) override {
        auto first = CommandLoop::started(turn);
        bool const is_first = side(0).empty() && side(1).empty();
        if (!is_first || !first.may_refuse || !CommandLoop::started(turn).may_refuse)
            return first;
        by_wall_ = true;
        auto timed = CommandLoop::started(turn);
        by_wall_ = timed.failure.empty();
        if (!by_wall_)
            return first;
        if (!o_.keep.empty())
            throw UsageError("--keep needs commands that write records; these commands are timed as a whole");
        session().warn(fmt::format("{} {} with --json, but succeeded without it; both commands are timed as a whole "
                                   "(--wall)",
                                   name_of(turn), first.failure));
        return timed;
    }

    AbOptions const& o_;
    std::array<Words, 2> commands_;
    bool by_wall_ = o_.wall;
};

/// "B is 1.20 ± 0.02 times slower than A", for commands that were timed as a whole.
std::string wall_sentence(ComparedPoint const& commands) {
    bool const is_turned = is_difference(commands.verdict) && commands.ratio < 1;
    auto const turned = [&](double ratio) { return is_turned ? 1 / ratio : ratio; };
    auto const& interval = commands.interval;
    double const margin = interval ? std::abs(turned(interval->second) - turned(interval->first)) / 2 : 0;
    auto const times =
        fmt::format("{:.2f}{}", turned(commands.ratio), interval ? fmt::format(" ± {:.2f}", margin) : "");
    if (!is_difference(commands.verdict))
        return fmt::format("No difference found: B takes {} times as long as A\n", times);
    return fmt::format("B is {} times {} than A\n", times, is_turned ? "faster" : "slower");
}

/// Compares the launches and prints the result. \return the reason if there is no common point, otherwise nothing
std::optional<std::string> compare(Alternation const& launches, AbOptions const& options, Destination& json,
                                   program::Session& session) {
    auto const& a = launches.side(0);
    auto const& b = launches.side(1);
    CompareReport report{.a = a, .b = b, .rules = options.rules, .command = session.command()};
    report.comparison = compare_sides(a, b, options.rules);
    if (report.comparison.points.empty())
        return nothing_text(report.comparison);
    report.all_points = options.all_points;
    report.differences = side_differences(a, b);
    warn_of_crowd(is_crowded(a) ? a : b, session);
    // A command may leave the records of several programs, and an operation may be in only some of them.
    std::size_t compared = 0;
    for (auto const& operation : report.comparison.operations)
        compared = std::max(compared, std::min(operation.n_a, operation.n_b));
    if (auto why = runs::too_few_launches(compared, report.comparison.operations.size()))
        session.warn(std::move(*why));
    report.warnings = session.warnings();
    if (!options.json.empty())
        json.write(measure::json_text(compare_json(report)) + "\n", std::cout);
    bool const to_errors = options.json == "-";
    auto text = plain_text(
        compare_document(report),
        {.columns = 80, .colour = shows_colour(to_errors ? STDERR_FILENO : STDOUT_FILENO), .breaks_rows = true});
    if (launches.is_by_wall())
        text += "\n" + wall_sentence(report.comparison.operations.front());
    (to_errors ? std::cerr : session.text()) << text;
    if (!options.fail_on.empty())
        report_gates(gate_results(options.fail_on, report.comparison, options.rules.threshold), session);
    return std::nullopt;
}

void run_ab(AbOptions const& options, program::Session& session) {
    if (!is_launched_once(session, "measure ab"))
        return;
    Destination json{"--json", options.json, session};
    Alternation launches{options, session};
    try {
        launches.run();
    } catch (std::exception const&) {
        if (launches.has_both()) {
            session.warn("not all pairs are complete; only complete launches are compared");
            static_cast<void>(compare(launches, options, json, session));
        }
        throw;
    }
    if (auto const nothing = compare(launches, options, json, session))
        throw UsageError("nothing to compare: " + *nothing);
}

void check_ab(AbOptions const& options) {
    static_cast<void>(commands_of(options));
    if (options.wall && !options.keep.empty())
        throw UsageError("--keep and --wall cannot be combined: commands that are timed as a whole write no records");
}

void declare_ab(program::Parser& parser, AbOptions& options) {
    using namespace program::as;
    parser.option("--budget", "DURATION", "launch pairs for this long, at least six pairs", options.budget,
                  Duration{.above_zero = true});
    parser.option("-n,--pairs", "N", "launch N pairs instead of using a budget", options.pairs,
                  [](program::Argument const& a) { return std::optional{Int{.low = 1}(a)}; });
    parser.option("--separator", "WORD", "separate the two commands with WORD", options.separator, Text{});
    parser.option("--keep", "PREFIX", "write the records to PREFIX-a.jsonl and PREFIX-b.jsonl", options.keep, Text{});
    parser.flag("--wall", "measure the wall-clock time of each command, without adding --json", options.wall);
    parser.option("--json", "FILE",
                  "also write the comparison as JSON; with -, JSON goes to stdout and the text to stderr", options.json,
                  Text{});
    parser.option("--threshold", "PCT", "ignore differences below PCT per cent", options.rules.threshold,
                  Percentage{.high = 1000});
    parser.flag("--all", "show the points of all operations, not only of operations that differ", options.all_points);
    parser.list("--fail-on", "VERDICT[:P]", fail_on_help, options.fail_on, fail_on_from);
    parser.command("COMMANDS...", "command A, --, command B", options.words);
}

}  // namespace

program::Suite ab_command() {
    auto suite = local_suite(
        "measure ab",
        "Launches two commands in pairs, in random order. Compares the records that they write (--json), or their "
        "wall-clock times. In a command, {} is replaced by the number of the pair. "
        "Example: measure ab -- mpiexec -n 2 mpiperf Bcast -- env UCX_TLS=tcp mpiexec -n 2 mpiperf Bcast",
        program::prepared<AbOptions>(declare_ab, run_ab, checked_by<AbOptions>(check_ab)));
    suite.common.seed = true;
    // A launch may take longer than any fixed limit. The program has its own watchdog.
    suite.common.defaults.watchdog = measure::seconds{0};
    return suite;
}

}  // namespace measure::tool
