// SPDX-License-Identifier: BSD-3-Clause
/// `measure ab`: two commands that write records, started in turn, and compared.
#include "analysis/compare/compare.hpp"
#include "compare/fail_on.hpp"
#include "compare/report.hpp"
#include "program/cli/values.hpp"
#include "program/runtime/files.hpp"
#include "program/runtime/temporary_file.hpp"
#include "program/runtime/temporary_folder.hpp"
#include "run/campaign.hpp"
#include "shared/command.hpp"
#include "shared/destination.hpp"
#include "shared/inputs.hpp"
#include "shared/launched.hpp"
#include "shared/plain_text.hpp"
#include "starts/start.hpp"

#include <measure/error.hpp>
#include <measure/report.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <exception>
#include <iostream>
#include <iterator>
#include <optional>
#include <random>
#include <stdexcept>
#include <utility>

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

/// Below six of either side no interval has 95 %.
constexpr int fewest_pairs = 6;

std::array<Words, 2> commands_of(AbOptions const& options) {
    auto const& words = options.words;
    // Of the usual separator the first one is the parser's.
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

/// Starts both commands again and again, in pairs.
class Alternation {
public:
    Alternation(AbOptions const& options, program::Session& session)
        : o_{options}, session_{session}, commands_{commands_of(options)}, order_{session.common().seed} {
        if (!o_.keep.empty())
            for (std::size_t side = 0; side < 2; ++side)
                kept_[side] =
                    program::open_file(session.world(), fmt::format("{}-{}.jsonl", o_.keep, name(side)), "--keep");
    }

    /// What is complete is there also where this throws.
    void run() {
        std::size_t first = 0;
        for (int pair = 1; pair == 1 || (o_.pairs ? pair <= *o_.pairs : wants_another(pair)); ++pair) {
            static_cast<void>(session_.meet());
            session_.next(fmt::format("pair {}", pair));
            // Either is the first of a pair once in each block of two: A B B A or B A A B.
            first = pair % 2 == 1 ? order_() % 2 : 1 - first;
            one(first, pair);
            one(1 - first, pair);
        }
    }

    [[nodiscard]] std::vector<Launch> const& side(std::size_t number) const noexcept { return launches_[number]; }
    [[nodiscard]] bool is_by_wall() const noexcept { return by_wall_; }
    [[nodiscard]] bool has_both() const noexcept { return !launches_[0].empty() && !launches_[1].empty(); }

private:
    using Clock = measure::SteadyClock;
    static char name(std::size_t side) { return side == 0 ? 'a' : 'b'; }

    bool wants_another(int pair) const {
        measure::seconds const spent = Clock::now() - begin_;
        return pair <= fewest_pairs || spent + spent / (pair - 1) <= o_.budget;
    }

    Started once(std::size_t side, int pair, bool by_wall) {
        return start({.command = commands_[side],
                      .campaign = fmt::format("{}-{}", campaign_, name(side)),
                      .number = pair,
                      .record = record_.path(),
                      .log = log_.path(),
                      .by_wall = by_wall});
    }

    /// A command that fails twice with --json, and not without it, knows no such option.
    Started first_start(std::size_t side) {
        auto started = once(side, 1, by_wall_);
        if (!started.may_refuse || !once(side, 1, false).may_refuse)
            return started;
        auto timed = once(side, 1, true);
        if (!timed.failure.empty())
            return started;
        if (!o_.keep.empty())
            throw UsageError("--keep is for commands that write records: these are timed as a whole");
        session_.warn(fmt::format("start 1 of {} {} with --json, and succeeds without it: both commands are timed as a "
                                  "whole (--wall)",
                                  side == 0 ? "A" : "B", started.failure));
        by_wall_ = true;
        return timed;
    }

    void one(std::size_t side, int pair) {
        bool const is_first = launches_[0].empty() && launches_[1].empty();
        auto const started = is_first ? first_start(side) : once(side, pair, by_wall_);
        if (!started.failure.empty())
            throw std::runtime_error(fmt::format("start {} of {} {}{}", pair, side == 0 ? "A" : "B", started.failure,
                                                 by_wall_ ? "" : " (--wall times commands that write no records)"));
        if (started.is_incomplete) {
            session_.warn(fmt::format("start {} of {} is incomplete", pair, side == 0 ? "A" : "B"));
            session_.incomplete();
        }
        kept_[side].begin();
        kept_[side].stream() << started.text;
        kept_[side].finish();
        launches_[side].insert(launches_[side].end(), started.launches.begin(), started.launches.end());
    }

    AbOptions const& o_;
    program::Session& session_;
    std::array<Words, 2> commands_;
    std::mt19937_64 order_;
    bool by_wall_ = o_.wall;
    std::string campaign_ = new_campaign();
    Clock::time_point begin_ = Clock::now();
    program::TemporaryFolder folder_{"measure-ab"};
    program::TemporaryFile record_{folder_.file("start.jsonl")};
    program::TemporaryFile log_{folder_.file("start.log")};
    std::array<program::OutputFile, 2> kept_{};
    std::array<std::vector<Launch>, 2> launches_{};
};

/// "B is 1.20 ± 0.02 times slower than A", of commands that were timed as a whole.
std::string wall_sentence(ComparedPoint const& commands) {
    bool const is_turned = is_difference(commands.verdict) && commands.ratio < 1;
    auto const turned = [&](double ratio) { return is_turned ? 1 / ratio : ratio; };
    auto const& interval = commands.interval;
    double const margin = interval ? std::abs(turned(interval->second) - turned(interval->first)) / 2 : 0;
    auto const times =
        fmt::format("{:.2f}{}", turned(commands.ratio), interval ? fmt::format(" ± {:.2f}", margin) : "");
    if (!is_difference(commands.verdict))
        return fmt::format("No difference is shown: B takes {} times as long as A\n", times);
    return fmt::format("B is {} times {} than A\n", times, is_turned ? "faster" : "slower");
}

/// \return why there is nothing to compare; nothing where there is
std::optional<std::string> compare(Alternation const& starts, AbOptions const& options, Destination& json,
                                   program::Session& session) {
    auto const& a = starts.side(0);
    auto const& b = starts.side(1);
    CompareReport report{.a = a, .b = b, .rules = options.rules, .command = session.command()};
    report.comparison = compare_sides(a, b, options.rules);
    if (report.comparison.points.empty())
        return nothing_text(report.comparison);
    report.all_points = options.all_points;
    report.differences = side_differences(a, b);
    warn_of_crowd(is_crowded(a) ? a : b, session);
    // A start may leave the records of several runs, of which an operation is in some.
    std::size_t compared = 0;
    for (auto const& operation : report.comparison.operations)
        compared = std::max(compared, std::min(operation.n_a, operation.n_b));
    if (auto why = runs::too_few_starts(compared, report.comparison.operations.size()))
        session.warn(std::move(*why));
    report.warnings = session.warnings();
    if (!options.json.empty())
        json.write(measure::json_text(compare_json(report)) + "\n", std::cout);
    bool const to_errors = options.json == "-";
    auto text = plain_text(
        compare_document(report),
        {.columns = 80, .colour = shows_colour(to_errors ? STDERR_FILENO : STDOUT_FILENO), .breaks_rows = true});
    if (starts.is_by_wall())
        text += "\n" + wall_sentence(report.comparison.operations.front());
    (to_errors ? std::cerr : session.text()) << text;
    if (!options.fail_on.empty())
        report_gates(gate_results(options.fail_on, report.comparison, options.rules.threshold), session);
    return std::nullopt;
}

void run_ab(AbOptions const& options, program::Session& session) {
    if (!is_started_once(session, "measure ab"))
        return;
    Destination json{"--json", options.json, session};
    Alternation starts{options, session};
    try {
        starts.run();
    } catch (std::exception const&) {
        if (starts.has_both()) {
            session.warn("not all pairs are complete: the starts that are, are compared");
            static_cast<void>(compare(starts, options, json, session));
        }
        throw;
    }
    if (auto const nothing = compare(starts, options, json, session))
        throw UsageError("nothing to compare: " + *nothing);
}

void check_ab(AbOptions const& options) {
    static_cast<void>(commands_of(options));
    if (options.wall && !options.keep.empty())
        throw UsageError("--keep: commands that are timed as a whole (--wall) leave no records");
}

void declare_ab(program::Parser& parser, AbOptions& options) {
    using namespace program::as;
    parser.option("--budget", "DURATION", "start pairs for so long, six at least", options.budget,
                  Duration{.above_zero = true});
    parser.option("-n,--pairs", "N", "start so many pairs instead", options.pairs,
                  [](program::Argument const& a) { return std::optional{Int{.low = 1}(a)}; });
    parser.option("--separator", "WORD", "what stands between the commands", options.separator, Text{});
    parser.option("--keep", "PREFIX", "keep the records: PREFIX-a.jsonl, PREFIX-b.jsonl", options.keep, Text{});
    parser.flag("--wall", "time each command as a whole by wall clock; --json is not added", options.wall);
    parser.option("--json", "FILE", "write the comparison as JSON too; - is stdout, the text then goes to stderr",
                  options.json, Text{});
    parser.option("--threshold", "P", "differences below so many per cent do not matter", options.rules.threshold,
                  Percentage{.high = 1000});
    parser.flag("--all", "show the points of operations without a difference too", options.all_points);
    parser.list("--fail-on", "VERDICT[:P]", fail_on_help, options.fail_on, fail_on_from);
    parser.command("COMMANDS...", "command A, --, command B", options.words);
}

}  // namespace

program::Suite ab_command() {
    auto suite = local_suite(
        "measure ab",
        "Starts two commands in turn, in random order, and compares the records that they write (--json), or "
        "their wall-clock times: "
        "measure ab -- mpiexec -n 2 mpiperf Bcast -- env UCX_TLS=tcp mpiexec -n 2 mpiperf Bcast. {} "
        "in a command becomes the number of the pair.",
        program::prepared<AbOptions>(declare_ab, run_ab, checked_by<AbOptions>(check_ab)));
    suite.common.seed = true;
    // A start may rightly take longer than any limit: the program has its own.
    suite.common.defaults.watchdog = measure::seconds{0};
    return suite;
}

}  // namespace measure::tool
