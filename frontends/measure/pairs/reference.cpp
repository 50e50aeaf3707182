// SPDX-License-Identifier: BSD-3-Clause
#include "pairs/reference.hpp"

#include "pairs/report.hpp"
#include "program/cli/values.hpp"
#include "program/runtime/files.hpp"
#include "shared/inputs.hpp"

#include <measure/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <string_view>

namespace measure_tool::pairs {

namespace {

/// The one of these that has the name. \throws measure::UsageError
template <class T, std::size_t n>
T named(std::string_view what, std::string_view wanted, std::array<T, n> const& among) {
    for (auto const each : among)
        if (name(each) == wanted)
            return each;
    throw measure::UsageError(fmt::format("{}: '{}' is none", what, wanted));
}

Metric quantity_named(std::string_view text) {
    return named("quantity", text, std::array{Metric::latency, Metric::bandwidth});
}
Mode mode_named(std::string_view text) {
    return named("mode", text, std::array{Mode::hosts, Mode::alone, Mode::loaded});
}
PairClass class_named(std::string_view text) {
    std::array<PairClass, pair_classes> all{};
    for (int c = 0; c < pair_classes; ++c)
        all[index(c)] = static_cast<PairClass>(c);
    return named("class", text, all);
}

/// \throws measure::UsageError for a rank with itself
KnownPair checked(KnownPair pair) {
    if (pair.from == pair.to)
        throw measure::UsageError(
            fmt::format("rank {} on '{}' is paired with itself", pair.from.second, pair.from.first));
    return pair;
}

/// Nothing for a point that is none of a pair, or has no value.
std::optional<KnownPair> pair_in(measure::Record const& point) {
    auto const& at = point.at;
    for (char const* const name : {"from", "to", "host_from", "host_to", "class", "mode", "bytes"})
        if (!at.has(name))
            return std::nullopt;
    auto const quantity = point.benchmark == benchmark_of(Metric::latency) ? Metric::latency : Metric::bandwidth;
    if (!point.value || point.benchmark != benchmark_of(quantity))
        return std::nullopt;
    double const value = point.estimate ? point.estimate->median : *point.value;
    auto const repetitions = std::clamp<std::int64_t>(point.valid, 1, largest_repetitions);
    return checked({.quantity = quantity,
                    .mode = mode_named(at.text("mode")),
                    .of_class = class_named(at.text("class")),
                    .from = {at.text("host_from"), at.ranks("from")},
                    .to = {at.text("host_to"), at.ranks("to")},
                    .bytes = at.bytes("bytes"),
                    .time = quantity == Metric::latency ? value : 1 / value,
                    .repetitions = static_cast<std::size_t>(repetitions),
                    .oversubscribed = point.has_flag(oversubscribed_flag)});
}

/// The fields of a line of a table (RFC 4180) in which no field has a line end.
std::vector<std::string> fields_of(std::string const& line) {
    std::vector<std::string> fields(1);
    bool is_quoted = false;
    for (std::size_t at = 0; at < line.size(); ++at) {
        bool const is_doubled = is_quoted && line.compare(at, 2, "\"\"") == 0;
        if (line[at] == '"' && !is_doubled) {
            is_quoted = !is_quoted;
        } else if (line[at] == ',' && !is_quoted) {
            fields.emplace_back();
        } else {
            fields.back() += line[at];
            at += is_doubled ? 1U : 0U;
        }
    }
    return fields;
}

KnownPair pair_in(std::vector<std::string> const& columns, std::vector<std::string> const& fields) {
    if (fields.size() != columns.size())
        throw measure::UsageError(fmt::format("{} fields, the first line columns {}", fields.size(), columns.size()));
    auto const field = [&](std::string_view name) -> std::string const& {
        auto const found = std::find(columns.begin(), columns.end(), name);
        if (found == columns.end())
            throw measure::UsageError(fmt::format("there is no column '{}'", name));
        return fields[static_cast<std::size_t>(found - columns.begin())];
    };
    auto const count = [&](char const* name, program::as::Int const& limits) { return limits({name, field(name)}); };
    auto const quantity = quantity_named(field("quantity"));
    double const value = program::as::Number{.low = 0, .above_low = true}({"value", field("value")});
    auto const flags = program::split(field("flag"), ' ');
    return checked({.quantity = quantity,
                    .mode = mode_named(field("mode")),
                    .of_class = class_named(field("class")),
                    .from = {field("host_from"), count("from", {.low = 0})},
                    .to = {field("host_to"), count("to", {.low = 0})},
                    .bytes = count("bytes", {.low = 0}),
                    .time = quantity == Metric::latency ? value : 1 / value,
                    .repetitions = static_cast<std::size_t>(count("n", {.low = 1, .high = largest_repetitions})),
                    .oversubscribed = std::find(flags.begin(), flags.end(), oversubscribed_flag) != flags.end()});
}

Node node_of(Member const& member) { return {.rank = member.second, .place = {.host = member.first}}; }

/// Nodes, classes and times as the run has them in one mode.
Result result_of(std::vector<KnownPair> const& run, Mode mode, Options const& options) {
    Result result{.options = options};
    result.options.mode = mode;
    std::set<std::pair<int, std::string>> members;
    for (auto const& pair : run)
        if (pair.mode == mode)
            for (auto const& [host, rank] : {pair.from, pair.to})
                members.emplace(rank, host);
    std::map<Member, int> numbers;
    for (auto const& [rank, host] : members) {
        numbers.emplace(Member{host, rank}, static_cast<int>(result.nodes.size()));
        result.nodes.push_back(node_of({host, rank}));
    }
    name_nodes(result.nodes);
    int const n = static_cast<int>(result.nodes.size());
    result.classes = PairTable<int>(n, static_cast<int>(PairClass::hosts));
    result.rounds = rounds_of(n);
    auto& tournament = result.tournaments.emplace_back(Tournament{mode, PairTable<PairValues>(n)});
    std::set<Pair> seen;
    for (auto const& pair : run) {
        if (pair.mode != mode)
            continue;
        int const from = numbers.at(pair.from);
        int const to = numbers.at(pair.to);
        seen.insert(pair_of(from, to));
        result.classes.at(from, to) = static_cast<int>(pair.of_class);
        auto& values = tournament.values.at(from, to);
        bool const is_latency = pair.quantity == Metric::latency;
        // What is known of the repetitions is their median and how many they were.
        (is_latency ? values.latency : from < to ? values.up : values.down).assign(pair.repetitions, pair.time);
        (is_latency ? result.options.exchange.latency_size : result.options.exchange.size) = pair.bytes;
        result.options.repetitions = static_cast<int>(pair.repetitions);
    }
    result.planned = seen.size();
    return result;
}

}  // namespace

std::vector<KnownPair> known_pairs(std::string const& text, std::string const& file) {
    std::vector<KnownPair> pairs;
    if (text.starts_with(csv_heading)) {
        std::vector<std::string> columns;
        program::read_lines(text, file, [&](std::string const& line) {
            if (columns.empty())
                columns = fields_of(line);
            else
                pairs.push_back(pair_in(columns, fields_of(line)));
        });
    } else {
        auto const runs = launches_of(text, file);
        if (runs.size() > 1)
            throw measure::UsageError(fmt::format("'{}' holds {} runs", file, runs.size()));
        for (auto const& point : runs.front().record.points) {
            try {
                if (auto pair = pair_in(point))
                    pairs.push_back(std::move(*pair));
            } catch (measure::UsageError const& fault) {
                throw measure::UsageError(fmt::format("'{}': {}", file, fault.what()));
            }
        }
    }
    if (pairs.empty())
        throw measure::UsageError(fmt::format("'{}' has no pairs; of more than {} nodes a record has them with --all, "
                                              "a table of --csv always",
                                              file, most_nodes_of_points));
    return pairs;
}

PairTable<double> reference_logs(std::vector<KnownPair> const& run, Metric quantity, Mode mode,
                                 std::vector<Node> const& nodes, ExchangeRules const& rules) {
    bool const is_latency = quantity == Metric::latency;
    auto const bytes = is_latency ? rules.latency_size : rules.size;
    std::vector<KnownPair const*> times;
    std::set<Member> there;
    for (auto const& pair : run) {
        if (pair.quantity != measured_as(quantity) || pair.mode != mode)
            continue;
        if (pair.bytes != bytes)
            throw measure::UsageError(
                fmt::format("it has {} with messages of {} bytes, this run of {}", name(quantity), pair.bytes, bytes));
        times.push_back(&pair);
        there.insert({pair.from, pair.to});
    }
    std::vector<Member> here;
    for (auto const& node : nodes)
        here.emplace_back(node.place.host, node.rank);
    std::vector<Node> others;
    for (auto const& member : there)
        others.push_back(node_of(member));
    bool const by_host = is_by_host(nodes) && is_by_host(others);
    auto const key = [&](Member const& member) { return by_host ? Member{member.first, 0} : member; };
    std::map<Member, int> numbers;
    for (std::size_t node = 0; node < here.size(); ++node)
        numbers.emplace(key(here[node]), static_cast<int>(node));
    int const n = static_cast<int>(nodes.size());
    // Of each direction; a latency is that of both.
    PairTable<std::array<double, 2>> found(n, {not_measured, not_measured});
    for (auto const* pair : times) {
        auto const from = numbers.find(key(pair->from));
        auto const to = numbers.find(key(pair->to));
        if (from == numbers.end() || to == numbers.end() || from->second == to->second)
            continue;
        auto& both = found.at(from->second, to->second);
        both[from->second < to->second ? 0 : 1] = pair->time;
        if (is_latency)
            both = {pair->time, pair->time};
    }
    PairTable<double> logs(n, not_measured);
    bool has_any = false;
    found.for_each([&](int i, int j, std::array<double, 2> const& both) {
        logs.at(i, j) = std::log(quantity == Metric::direction ? both[0] / both[1] : (both[0] + both[1]) / 2);
        has_any = has_any || !std::isnan(logs.at(i, j));
    });
    if (!has_any)
        throw measure::UsageError(
            fmt::format("it has no {} of these pairs, mode {}", name(measured_as(quantity)), name(mode)));
    return logs;
}

Result compared(std::vector<KnownPair> const& before, std::vector<KnownPair> const& after, Options const& options) {
    auto result = result_of(after, after.front().mode, options);
    result.is_comparison = true;
    result.is_oversubscribed = std::any_of(before.begin(), before.end(), std::mem_fn(&KnownPair::oversubscribed)) ||
                               std::any_of(after.begin(), after.end(), std::mem_fn(&KnownPair::oversubscribed));
    result.untested = why_untested(result);
    for (auto const quantity : result.wanted()) {
        auto const measured = measured_as(quantity);
        auto const has = [&](std::vector<KnownPair> const& run) {
            return std::any_of(run.begin(), run.end(), [&](auto const& pair) { return pair.quantity == measured; });
        };
        if (!has(before) && !has(after))
            continue;
        if (!has(after))
            throw measure::UsageError(fmt::format("the later run has no {}", name(measured)));
        result.judged.push_back(
            judge(result, quantity,
                  reference_logs(before, quantity, result.options.mode, result.nodes, result.options.exchange)));
    }
    if (result.judged.empty())
        throw measure::UsageError("neither run has what --what names");
    if (!result.untested.empty())
        return result;
    auto const seen = seen_of(result);
    auto const suspects = beyond_scatter(seen, screen(seen, options.rules.threshold), options.rules);
    result.verdict.screened = suspects.size();
    for (auto const& suspect : suspects)
        result.verdict.findings.push_back({.suspect = suspect, .effect = std::expm1(suspect.effect)});
    return result;
}

}  // namespace measure_tool::pairs
