// SPDX-License-Identifier: BSD-3-Clause
#include "pairs/report.hpp"

#include "pairs/binding.hpp"
#include "pairs/groups.hpp"
#include "program/cli/values.hpp"

#include <measure/statistics.hpp>
#include <measure/table.hpp>
#include <measure/timer_info.hpp>
#include <measure/units.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace measure::tool::pairs {

namespace {

/// Cells and characters of a name in a line of the map. With the spaces around them a line has 80 columns.
constexpr int widest_map = 56;
constexpr std::size_t widest_name = 20;

std::string percent(double share) { return fmt::format("{:.{}f}", 100 * share, std::abs(share) < 0.0995 ? 1 : 0); }

std::string p_text(double p) { return p < 1e-4 ? fmt::format("{:.0e}", p) : fmt::format("{:.2g}", p); }

std::string remedy(Finding const& finding) {
    if (finding.suspect.kind == Kind::group)
        return "check what its hosts share: switch, uplink cable, power, software";
    if (finding.suspect.kind == Kind::node)
        return "compare its firmware, frequency, cabling and load with a healthy node";
    return "swap the cable and check the port's error counters; within a host, check the binding";
}

/// Formats a pair's time as a latency or a bandwidth.
struct ShownUnit {
    Metric quantity;
    bool is_large = false;  ///< bandwidth of at least 10 GB/s, shown in GB/s
    [[nodiscard]] std::string text(double time) const {
        double const rate = (is_large ? 1e-9 : 1e-6) / time;
        return fmt::format("{:.4g}", quantity == Metric::latency ? time * 1e6 : rate);
    }
    [[nodiscard]] std::string_view name() const {
        return quantity == Metric::latency ? "us" : is_large ? "GB/s" : "MB/s";
    }
};

/// \param quickest  shortest of the times that are shown together
ShownUnit unit_of(Metric quantity, double quickest) {
    constexpr double large = 1e10;  // B/s
    return {quantity, quantity != Metric::latency && quickest * large <= 1};
}

/// Converts a relative increase in time: a bandwidth that takes 43 % longer is 30 % lower.
double shown_change(Metric quantity, double longer) {
    return quantity == Metric::bandwidth ? longer / (1 + longer) : longer;
}
std::string change_text(Metric quantity, double longer) {
    auto const change = percent(shown_change(quantity, longer));
    return quantity == Metric::bandwidth ? fmt::format("{} % less bandwidth", change)
                                         : fmt::format("{} {} % slower", name(quantity), change);
}

std::string classes_text(Result const& result) {
    std::string text;
    for (auto const& judged : result.judged) {
        if (judged.quantity == Metric::direction)
            continue;
        auto const table = levels_table(judged);
        auto const line = [](std::string const& first, auto const& cells) {
            return fmt::format("{:<10} {:<18} {:>6} {:>11} {:>11} {:>11}\n", first, cells[0], cells[1], cells[2],
                               cells[3], cells[4]);
        };
        text += "\n" + line(std::string{name(judged.quantity)}, table.columns);
        for (auto const& row : table.rows) {
            std::vector<std::string> cells;
            for (auto const& cell : row)
                cells.push_back(cell.text);
            text += line("", cells);
        }
        for (std::size_t c = 0; judged.has_reference() && c < judged.fit.levels.size(); ++c)
            if (!std::isnan(judged.fit.levels[c]))
                text += fmt::format("{:<10} {} as a whole against the reference: time {:+.1f} %\n", "",
                                    name(static_cast<PairClass>(c)), 100 * std::expm1(judged.fit.levels[c]));
        if (judged.loaded[1] > 0)
            text +=
                fmt::format("{:<10} loaded by the other pairs of a round: {:.2f} times as long ({:.2f} .. {:.2f})\n",
                            "", judged.loaded[1], judged.loaded[0], judged.loaded[2]);
    }
    return text;
}

/// The first `most` characters of a text.
std::string beginning(std::string_view text, std::size_t most) {
    while (page::letters(text) > most)
        text.remove_suffix(1);
    return std::string{text};
}

/// Signs of the map. A cell that several pairs share shows the last of their signs in this order.
constexpr std::string_view map_signs = "?.:-=+*#%@!";

/// Index of the sign: the excess of a pair's time over the level of its class, in steps of `shade`.
std::size_t sign_of(Result const& result, std::size_t quantity, double shade, int i, int j, double y) {
    auto const& judged = result.judged[quantity];
    if (std::isnan(y))
        return 0;
    if (is_marked(result, quantity, i, j))
        return map_signs.size() - 1;
    double const above = y - judged.fit.levels[index(result.pair_class(i, j))];
    return 1 + static_cast<std::size_t>(std::clamp(above / shade, 0.0, static_cast<double>(map_signs.size() - 3)));
}

std::string map_text(Result const& result, std::size_t quantity, RowOf const& rows) {
    auto const& judged = result.judged[quantity];
    int const n = static_cast<int>(result.nodes.size());
    int const together = (n + widest_map - 1) / widest_map;
    double const per_shade = std::max(0.01, result.options.rules.threshold);
    double const shade = std::log1p(per_shade);
    auto heading = fmt::format("{}: each pair relative to {}, one shade per {} %", name(judged.quantity),
                               like_text(judged), percent(per_shade));
    if (together > 1)
        heading += fmt::format(", each cell covers up to {0} x {0} pairs", together);
    auto text =
        "\n" + program::wrapped(heading, 2) + "\n" + "  . : - = + * # % @  slower    ! finding    ? not measured\n";
    for (int first = 0; first < n; first += together) {
        std::vector<std::optional<std::size_t>> worst(index((n + together - 1) / together));
        for (int i = first; i < std::min(n, first + together); ++i) {
            auto const logs = rows({0, judged.quantity}, i).logs;
            for (int j = 0; j < n; ++j)
                if (auto& cell = worst[index(j / together)]; i != j)
                    cell = std::max(cell.value_or(0), sign_of(result, quantity, shade, i, j, logs[index(j)]));
        }
        std::string row;
        for (auto const& sign : worst)
            row += sign ? map_signs[*sign] : ' ';
        text += fmt::format("  {} {}\n", row, beginning(result.name_of(first), widest_name));
    }
    return text;
}

/// Median absolute deviation, as a share of the median.
double spread(std::vector<double> const& values) {
    double const middle = measure::median(values);
    std::vector<double> distances;
    for (double const value : values)
        distances.push_back(std::abs(value - middle) / middle);
    return measure::median(distances);
}

bool is_unanswered(Result const& result, int i, int j) { return result.unanswered.contains(pair_of(i, j)); }

bool has_migrated(Result const& result, int i, int j) {
    return result.nodes[index(i)].migrated || result.nodes[index(j)].migrated;
}

/// "socket 1, but is bound to socket 0"
std::string places_text(Place const& behaves, Place const& bound) {
    std::string text;
    auto const compare = [&](char const* part, std::optional<int> a, std::optional<int> b) {
        if (text.empty() && a && b && *a != *b)
            text = fmt::format("{} {}, but is bound to {} {}", part, *a, part, *b);
    };
    compare("socket", behaves.socket, bound.socket);
    compare("memory node", behaves.node, bound.node);
    compare("cache", behaves.cache, bound.cache);
    return text;
}

std::string binding_text(Result const& result, Finding const& finding) {
    auto const& [a, b] = std::pair{finding.suspect.a, finding.suspect.b};
    auto const places = places_text(result.nodes[index(b)].place, result.nodes[index(a)].place);
    return fmt::format("{}: behaves like a neighbour of {}{}, p {}", result.name_of(a), result.name_of(b),
                       places.empty() ? std::string{} : " on " + places, p_text(finding.adjusted_p));
}

/// One direction of a pair: its repetitions and its residual from the fit.
struct Way {
    Part part{};
    int from = 0;
    int to = 0;
    std::vector<double> const& values;
    std::optional<double> residual{};
};

/// Flags of the measurement of a pair.
std::vector<std::string> flags_of(Result const& result, Way const& way) {
    std::vector<std::string> flags;
    if (result.is_oversubscribed)
        flags.emplace_back(oversubscribed_flag);
    if (has_migrated(result, way.from, way.to))
        flags.emplace_back(migrated_flag);
    // The clock is read before and after a round trip; a window takes far longer.
    if (way.part.quantity == Metric::latency &&
        measure::is_near_timer_floor(measure::seconds{2 * measure::median(way.values)}, result.timer))
        flags.emplace_back(measure::near_timer_floor);
    return flags;
}

/// Values for one CSV line, in the unit of the quantity.
struct CsvRow {
    Way const& way;
    double time = 0;  ///< median, as measured
    std::vector<std::string> flags{};

    [[nodiscard]] bool is_latency() const { return way.part.quantity == Metric::latency; }
    [[nodiscard]] double value() const { return is_latency() ? time : 1 / time; }
};

CsvRow csv_row(Result const& result, Way const& way) {
    CsvRow row{.way = way, .time = measure::median(way.values), .flags = flags_of(result, way)};
    auto const judged = std::find_if(result.judged.begin(), result.judged.end(),
                                     [&](Judged const& each) { return each.quantity == way.part.quantity; });
    auto const number = static_cast<std::size_t>(judged - result.judged.begin());
    if (way.residual && is_marked(result, number, way.from, way.to))
        row.flags.insert(row.flags.begin(), "finding");
    return row;
}

struct CsvColumn {
    std::string_view name;
    std::function<std::string(CsvRow const&)> text;
};

std::vector<CsvColumn> csv_columns(Result const& result) {
    auto const node = [&](int number) -> Node const& { return result.nodes[index(number)]; };
    auto const& exchange = result.options.exchange;
    return {
        {"from", [=](CsvRow const& row) { return std::to_string(node(row.way.from).rank); }},
        {"to", [=](CsvRow const& row) { return std::to_string(node(row.way.to).rank); }},
        {"host_from", [=](CsvRow const& row) { return measure::csv_field(node(row.way.from).place.host); }},
        {"host_to", [=](CsvRow const& row) { return measure::csv_field(node(row.way.to).place.host); }},
        {"class",
         [&](CsvRow const& row) {
             return std::string{name(static_cast<PairClass>(result.pair_class(row.way.from, row.way.to)))};
         }},
        {"mode",
         [&](CsvRow const& row) { return std::string{name(result.tournaments[row.way.part.tournament].mode)}; }},
        {"quantity", [](CsvRow const& row) { return std::string{name(row.way.part.quantity)}; }},
        {"value", [](CsvRow const& row) { return fmt::format("{}", row.value()); }},
        {"unit", [](CsvRow const& row) { return row.is_latency() ? "s" : "B/s"; }},
        {"n", [](CsvRow const& row) { return std::to_string(row.way.values.size()); }},
        {"median_abs_dev", [](CsvRow const& row) { return fmt::format("{}", spread(row.way.values) * row.value()); }},
        {"residual",
         [](CsvRow const& row) { return row.way.residual ? fmt::format("{}", *row.way.residual) : std::string{}; }},
        {"flag", [](CsvRow const& row) { return fmt::format("{}", fmt::join(row.flags, " ")); }},
        {"bytes",
         [&](CsvRow const& row) { return std::to_string(row.is_latency() ? exchange.latency_size : exchange.size); }},
    };
}

measure::Record record_of(Result const& result, Way const& way) {
    auto const& [part, from, to, values, residual] = way;
    bool const is_latency = part.quantity == Metric::latency;
    auto const& exchange = result.options.exchange;
    auto const& a = result.nodes[index(from)];
    auto const& b = result.nodes[index(to)];
    measure::Record record;
    record.benchmark = benchmark_of(part.quantity);
    record.at = {{"from", std::int64_t{a.rank}},
                 {"to", std::int64_t{b.rank}},
                 {"host_from", a.place.host},
                 {"host_to", b.place.host},
                 {"class", std::string{name(static_cast<PairClass>(result.pair_class(from, to)))}},
                 {"mode", std::string{name(result.tournaments[part.tournament].mode)}},
                 {"bytes", is_latency ? exchange.latency_size : exchange.size}};
    // A latency is half of a round trip; a window lasts thousands of steps.
    record.estimate = measure::estimate(values, {.clock_step = is_latency ? result.timer.step().count() / 2 : 0});
    record.value = record.estimate->value;
    record.attempts = record.valid = static_cast<std::int64_t>(values.size());
    record.kept = static_cast<std::int64_t>(record.estimate->kept);
    record.stop_reason = "count";
    bool const is_whole = values.size() == index(result.options.repetitions);
    record.status = is_whole ? measure::PointStatus::converged : measure::PointStatus::exhausted;
    if (!is_whole) {
        record.stop_reason = is_unanswered(result, from, to) ? "no_answer"
                             : result.is_interrupted         ? "interrupted"
                                                             : "budget";
        record.message = fmt::format("{} of {} repetitions", values.size(), result.options.repetitions);
    }
    record.flags = flags_of(result, way);
    if (residual)
        record.derived["residual"] = *residual;
    measure::Value::Array repetitions;
    for (double const value : values)
        repetitions.emplace_back(is_latency ? value : 1 / value);
    record.derived["repetitions"] = std::move(repetitions);
    return is_latency ? record : measure::as_rate(std::move(record), measure::Quantity::bandwidth, 1);
}

/// Calls f(way) for the pairs in order, for bandwidths once per direction. Pairs without values are skipped.
template <class F>
void each_way(Result const& result, RowOf const& rows, F f) {
    int const n = static_cast<int>(result.nodes.size());
    for (std::size_t tournament = 0; tournament < result.tournaments.size(); ++tournament)
        for (auto const quantity : {Metric::latency, Metric::bandwidth})
            for (int i = 0; result.wants(quantity) && i + 1 < n; ++i) {
                Part const part{tournament, quantity};
                auto const row = rows(part, i);
                for (int j = i + 1; j < n; ++j) {
                    auto const& values = row.values[index(j)];
                    auto const residual = row.residuals.empty() ? std::nullopt : std::optional{row.residuals[index(j)]};
                    if (!values.latency.empty())
                        f(Way{part, i, j, values.latency, residual});
                    if (values.up.empty())
                        continue;
                    f(Way{part, i, j, values.up, residual});
                    f(Way{part, j, i, values.down, residual});
                }
            }
}

std::string effort_text(Effort const& effort, double effect, double power) {
    auto const reached = std::max(effort.reach.link, effort.reach.node);
    auto text = fmt::format(" Judging by the first repetition, these and {} trials of each suspect find a slowdown of "
                            "{} % with a probability of {} %",
                            effort.confirm, percent(std::max(reached, effect)), percent(power));
    if (reached > effect)
        text += fmt::format("; {} % is out of reach within the limits of time and repetitions", percent(effect));
    return text + ".";
}

/// States which groups are too small, or too few, for a finding.
std::string groups_text(Result const& result) {
    auto const count = result.groups.size();
    if (count < fewest_groups)
        return fmt::format(" With fewer than {} groups, no group can be identified as slow.", fewest_groups);
    auto const quantities = std::count_if(result.judged.begin(), result.judged.end(),
                                          [](Judged const& judged) { return judged.fit.form == Form::both_ways; });
    auto const fewest = fewest_members(count * static_cast<std::size_t>(quantities), result.options.rules.alpha);
    std::vector<std::size_t> members(count);
    for (int const g : result.group)
        ++members[index(g)];
    auto const small = std::count_if(members.begin(), members.end(), [&](std::size_t m) { return m < fewest; });
    return small == 0
               ? std::string{}
               : fmt::format(" {} of {} groups have fewer than {} nodes: too few for a finding.", small, count, fewest);
}

}  // namespace

bool has_points(Result const& result) { return result.options.all || result.nodes.size() <= most_nodes_of_points; }

std::string evidence_text(Finding const& finding) {
    return finding.suspect.kind == Kind::group
               ? std::string{"all its hosts are slow"}
               : fmt::format("{} trials with {} controls", finding.trials, finding.controls);
}

bool is_marked(Result const& result, std::size_t quantity, int i, int j, bool with_nodes) {
    return std::any_of(result.verdict.findings.begin(), result.verdict.findings.end(), [&](Finding const& finding) {
        auto const& suspect = finding.suspect;
        if (!finding.confirmed && !result.is_comparison)
            return false;
        bool const is_node = suspect.kind == Kind::node;
        if (suspect.kind == Kind::group)
            return suspect.quantity == quantity && with_nodes &&
                   (result.group[index(i)] == suspect.a || result.group[index(j)] == suspect.a);
        if (is_directed(result, finding))
            return result.judged[quantity].quantity == Metric::bandwidth &&
                   (is_node ? with_nodes && suspect.a == (suspect.receives ? j : i) : suspect.a == i && suspect.b == j);
        return suspect.quantity == quantity && (is_node ? with_nodes && (suspect.a == i || suspect.a == j)
                                                        : pair_of(suspect.a, suspect.b) == pair_of(i, j));
    });
}

std::string sentence(Result const& result, WrongData const& wrong) {
    return fmt::format("data from {} to {} arrive corrupted: first wrong byte {}, in {} exchange{}",
                       result.name_of(wrong.from), result.name_of(wrong.to), wrong.at, wrong.times,
                       wrong.times == 1 ? "" : "s");
}

std::string no_answer_text(Result const& result, Pair const& pair) {
    return fmt::format("no answer: {} timed out twice ({}); the pair was then skipped",
                       result.link_name(pair.first, pair.second),
                       program::duration_text(result.options.exchange.timeout));
}

std::string time_text(Metric quantity, double time) {
    auto const unit = unit_of(quantity, time);
    return fmt::format("{} {}", unit.text(time), unit.name());
}

std::string_view like_text(Judged const& judged) {
    return judged.has_reference() ? "the reference, corrected for the change of its class" : "the median of its class";
}

page::Table levels_table(Judged const& judged) {
    auto quickest = std::numeric_limits<double>::max();
    for (auto const& times : judged.times)
        if (times.pairs > 0)
            quickest = std::min(quickest, times.quickest);
    auto const unit = unit_of(judged.quantity, quickest);
    page::Table table{.columns = {"class", "pairs", fmt::format("median {}", unit.name()), "quickest", "slowest"},
                      .row_headings = true};
    auto const value = [&](double time) { return unit.text(time); };
    for (std::size_t c = 0; c < judged.times.size(); ++c)
        if (auto const& times = judged.times[c]; times.pairs > 0)
            table.rows.push_back({std::string{name(static_cast<PairClass>(c))}, std::to_string(times.pairs),
                                  value(times.median), value(times.quickest), value(times.slowest)});
    return table;
}

std::string outcome_text(Result const& result) {
    auto const all = result.nodes.size() * (result.nodes.size() - 1) / 2;
    auto text = result.is_comparison ? fmt::format("Two runs are compared; the later one has {} pairs of {} nodes",
                                                   result.planned, result.nodes.size())
                                     : fmt::format("{} of {} pairs of {} nodes, each {} time{}", result.measured,
                                                   result.planned, result.nodes.size(), result.options.repetitions,
                                                   result.options.repetitions == 1 ? "" : "s");
    if (result.planned < all && !result.is_comparison)
        text += fmt::format("; {} % of all pairs meet in {} round{}",
                            percent(static_cast<double>(result.planned) / static_cast<double>(all)), result.rounds,
                            result.rounds == 1 ? "" : "s");
    text += ".";
    if (result.effort)
        text += effort_text(*result.effort, *result.options.effect, result.options.rules.power);
    for (auto const& judged : result.judged)
        if (judged.quantity != Metric::direction && judged.has_reference() && judged.referred_pairs < all)
            text += fmt::format(" The reference contains the {} of {} pairs.", name(measured_as(judged.quantity)),
                                judged.referred_pairs);
    if (result.is_interrupted)
        text += " Interrupted: not tested.";
    else if (!result.untested.empty())
        text += fmt::format(" Not tested: {}.", result.untested);
    auto const candidates = std::count_if(result.verdict.findings.begin(), result.verdict.findings.end(),
                                          [](Finding const& finding) { return !finding.confirmed; });
    if (!result.groups.empty() && result.untested.empty())
        text += groups_text(result);
    if (result.is_comparison && result.untested.empty())
        text += fmt::format(" {} suspected, none confirmed; make a new run with --reference to confirm them.",
                            result.verdict.screened);
    else if (result.verdict.screened > 0)
        text += fmt::format(" {} suspected, {} left after {} more trials each, {} not confirmed.",
                            result.verdict.screened, result.verdict.sieved, result.options.rules.sieve, candidates);
    return text;
}

/// ": 699.9 instead of 999.7 MB/s": the bandwidth of a link or node and the median of its class. Empty with a
/// reference.
std::string bandwidths_text(Result const& result, Finding const& finding) {
    auto const& suspect = finding.suspect;
    auto const& judged = result.judged[suspect.quantity];
    if (judged.quantity != Metric::bandwidth || judged.has_reference() || result.nodes.size() < 2 ||
        (suspect.kind != Kind::link && suspect.kind != Kind::node))
        return {};
    int const partner = suspect.kind == Kind::link ? suspect.b : suspect.a == 0 ? 1 : 0;
    auto const of_class = index(result.pair_class(suspect.a, partner));
    if (of_class >= judged.times.size() || !(judged.times[of_class].median > 0))
        return {};
    double const like = judged.times[of_class].median;
    auto const unit = unit_of(judged.quantity, like);
    return fmt::format(": {} instead of {} {}", unit.text(like * (1 + finding.effect)), unit.text(like), unit.name());
}

std::string sentence(Result const& result, Finding const& finding) {
    auto const& suspect = finding.suspect;
    auto const measured = measured_as(result.judged[suspect.quantity].quantity);
    auto const change_of = change_text(measured, finding.effect);
    bool const has_reference = result.judged[suspect.quantity].has_reference();
    auto evidence = finding.interval
                        ? fmt::format(" ({} .. {})", percent(shown_change(measured, finding.interval->first)),
                                      percent(shown_change(measured, finding.interval->second)))
                        : std::string{};
    if (!result.is_comparison)
        evidence += ", p " + p_text(finding.adjusted_p);
    if (is_directed(result, finding)) {
        auto const change = has_reference ? ", more than in the reference" : "";
        if (suspect.kind == Kind::link)
            return fmt::format("{} to {}: {} than the other way{}{}", result.name_of(suspect.a),
                               result.name_of(suspect.b), change_of, change, evidence);
        return fmt::format("{}: {} with {} than it {}, with all partners{}{}", result.name_of(suspect.a),
                           suspect.receives ? "receives" : "sends", change_of, suspect.receives ? "sends" : "receives",
                           change, evidence);
    }
    if (suspect.kind == Kind::group)
        return fmt::format("group {}, {} hosts: {}{}{}", result.groups[index(suspect.a)], finding.trials, change_of,
                           has_reference ? " than in the reference" : "", evidence);
    auto const values = bandwidths_text(result, finding);
    return suspect.kind == Kind::node
               ? fmt::format("{}: {} with all partners{}{}{}", result.name_of(suspect.a), change_of,
                             has_reference ? " than in the reference" : "", values, evidence)
               : fmt::format("link {}: {} than {}{}{}", result.link_name(suspect.a, suspect.b), change_of,
                             has_reference ? "in the reference" : "its class", values, evidence);
}

std::vector<std::string> notes_of(Result const& result) {
    std::vector<std::string> notes;
    for (auto const& finding : result.bindings)
        notes.push_back(binding_text(result, finding));
    if (!result.is_comparison)
        for (auto& note : binding_notes(result))
            notes.push_back(std::move(note));
    return notes;
}

std::string reach_text(Result const& result, Judged const& judged) {
    if (judged.smallest.link <= 0)
        return {};
    auto const all = result.nodes.size() * (result.nodes.size() - 1) / 2;
    if (judged.quantity == Metric::direction)
        return fmt::format(
            "direction: a difference of {} % between the two directions of a link, or {} % of a node, would have been "
            "found with a probability of {} %",
            percent(judged.smallest.link), percent(judged.smallest.node), percent(result.options.rules.power));
    return fmt::format(
        "{}: a link{} slower by {} % or a node slower by {} % would have been found with a probability of {} %",
        name(judged.quantity), result.planned < all ? " that was measured" : "", percent(judged.smallest.link),
        percent(judged.smallest.node), percent(result.options.rules.power));
}

std::string text_of(Result const& result, RowOf const& rows) {
    std::string text;
    auto const line = [&](std::string_view level, std::string const& words) {
        text += fmt::format("{:<8} {}\n", level, program::wrapped(words, 9));
    };
    for (auto const& pair : result.unanswered)
        line("warning", no_answer_text(result, pair));
    for (auto const& wrong : result.wrong)
        line("warning", sentence(result, wrong));
    for (auto const& finding : result.verdict.findings)
        if (finding.confirmed) {
            line("warning", sentence(result, finding));
            line("", evidence_text(finding) + "; " + remedy(finding));
        }
    if (result.is_comparison)
        for (auto const& finding : result.verdict.findings)
            line("suspect", sentence(result, finding));
    for (auto const& note : notes_of(result))
        line("note", note);
    bool const is_clean =
        !result.is_comparison && result.untested.empty() && !result.has_finding() && !result.is_interrupted;
    line(is_clean ? "clean" : "pairs", outcome_text(result));
    for (auto const& judged : result.judged)
        if (auto const reach = reach_text(result, judged); !reach.empty())
            line("", reach);
    text += classes_text(result);
    for (std::size_t quantity = 0; quantity < result.judged.size(); ++quantity)
        if (result.nodes.size() > 2 && result.judged[quantity].quantity != Metric::direction)
            text += map_text(result, quantity, rows);
    return text;
}

void write_csv(std::ostream& out, Result const& result, RowOf const& rows) {
    auto const columns = csv_columns(result);
    auto const line = [&](auto const& text_of_column) {
        for (auto const& column : columns)
            out << (&column == columns.data() ? "" : ",") << text_of_column(column);
        out << '\n';
    };
    line([](CsvColumn const& column) { return column.name; });
    each_way(result, rows, [&](Way const& way) {
        auto const row = csv_row(result, way);
        line([&](CsvColumn const& column) { return column.text(row); });
    });
}

void each_record(Result const& result, RowOf const& rows, std::function<void(measure::Record const&)> const& f) {
    // A comparison has no points: they are in the records it compares.
    if (result.is_comparison || !has_points(result))
        return;
    each_way(result, rows, [&](Way const& way) { f(record_of(result, way)); });
}

}  // namespace measure::tool::pairs
