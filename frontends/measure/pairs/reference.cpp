// SPDX-License-Identifier: BSD-3-Clause
#include "pairs/reference.hpp"

#include "program/cli/parse_errors.hpp"
#include "program/runtime/files.hpp"

#include <measure/error.hpp>
#include <measure/read.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <string_view>

namespace measure::tool::pairs {

namespace {

/// The value with this name. \throws measure::UsageError for an unknown name
template <class T, std::size_t n>
T named(std::string_view what, std::string_view wanted, std::array<T, n> const& among) {
    for (auto const each : among)
        if (name(each) == wanted)
            return each;
    throw measure::UsageError(fmt::format("'{1}' is not a {0} of pairs", what, wanted));
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

/// Empty for a point without a value, and for a point of another kind.
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

Node node_of(Member const& member) { return {.rank = member.second, .place = {.host = member.first}}; }

/// Nodes, classes and times of the run in one mode.
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
    result.rounds = rounds_of(n);
    auto& rows = result.tournaments.emplace_back(Tournament{mode, Rows<PairValues>{Share::all(n)}}).values;
    std::set<Pair> seen;
    for (auto const& pair : run) {
        if (pair.mode != mode)
            continue;
        int const from = numbers.at(pair.from);
        int const to = numbers.at(pair.to);
        seen.insert(pair_of(from, to));
        if (int const of_class = static_cast<int>(pair.of_class); of_class != result.pair_class(from, to))
            result.moved[pair_of(from, to)] = of_class;
        bool const is_latency = pair.quantity == Metric::latency;
        // Only the median and the number of the repetitions are known.
        for (auto* values : {&rows.at(from, to), &rows.at(to, from)})
            (is_latency ? values->latency : from < to ? values->up : values->down).assign(pair.repetitions, pair.time);
        (is_latency ? result.options.exchange.latency_size : result.options.exchange.size) = pair.bytes;
        result.options.repetitions = static_cast<int>(pair.repetitions);
    }
    result.planned = seen.size();
    return result;
}

std::vector<measure::RunRecord> runs_in(std::string const& text, std::string const& file) {
    try {
        return measure::read_records(text);
    } catch (measure::RecordFault const& fault) {
        throw program::ParseErrors{{{.file = file, .line = fault.line(), .text = fault.what()}}};
    }
}

}  // namespace

std::vector<KnownPair> PairReader::of_record(std::string const& piece) {
    bool const is_first = run_line_.empty();
    auto const runs = runs_in(is_first ? piece : run_line_ + piece, file_);
    if (is_first) {
        auto const begin = runs.front().begin;
        run_line_ = piece.substr(begin, piece.find('\n', begin) - begin) + '\n';
    }
    runs_ += runs.size() - (is_first ? 0U : 1U);
    std::vector<KnownPair> pairs;
    if (runs_ > 1)
        return pairs;
    for (auto const& point : runs.front().points) {
        try {
            if (auto pair = pair_in(point))
                pairs.push_back(std::move(*pair));
        } catch (measure::UsageError const& fault) {
            throw measure::UsageError(fmt::format("'{}': {}", file_, fault.what()));
        }
    }
    return pairs;
}

std::vector<KnownPair> PairReader::read(std::string const& piece) {
    // Number of lines before the text that is read. The run line is prepended to each later piece.
    int const before = lines_ - (run_line_.empty() ? 0 : 1);
    try {
        auto pairs = of_record(piece);
        lines_ += static_cast<int>(std::count(piece.begin(), piece.end(), '\n'));
        has_pairs_ = has_pairs_ || !pairs.empty();
        return pairs;
    } catch (program::ParseErrors const& errors) {
        auto faults = errors.faults();
        for (auto& fault : faults)
            fault.line += before;
        throw program::ParseErrors{std::move(faults)};
    }
}

void PairReader::end() const {
    if (runs_ > 1)
        throw measure::UsageError(fmt::format("'{}' contains {} runs instead of one", file_, runs_));
    if (!has_pairs_)
        throw measure::UsageError(fmt::format("'{}' contains no pairs; with more than {} nodes, record them with --all",
                                              file_, most_nodes_of_points));
}

std::vector<KnownPair> known_pairs(std::string const& text, std::string const& file) {
    PairReader reader{file};
    auto pairs = reader.read(text);
    reader.end();
    return pairs;
}

Reference::Reference(Share share, std::vector<Node> const& nodes, Mode mode, ExchangeRules const& rules)
    : mode_{mode}, rules_{rules}, is_by_host_{is_by_host(nodes)} {
    for (std::size_t node = 0; node < nodes.size(); ++node) {
        numbers_.emplace(Member{nodes[node].place.host, nodes[node].rank}, static_cast<int>(node));
        if (is_by_host_)
            hosts_.emplace(nodes[node].place.host, static_cast<int>(node));
    }
    times_.fill(Rows<Times>{share});
}

std::optional<Matched> Reference::match(KnownPair const& pair) {
    if (pair.mode != mode_)
        return std::nullopt;
    auto const bytes = pair.quantity == Metric::latency ? rules_.latency_size : rules_.size;
    if (pair.bytes != bytes)
        throw measure::UsageError(fmt::format("it has {} for messages of {} bytes, but this run uses {} bytes",
                                              name(pair.quantity), pair.bytes, bytes));
    there_[static_cast<std::size_t>(pair.quantity)].insert({pair.from, pair.to});
    auto const node_with = [](auto const& numbers, auto const& key) {
        auto const found = numbers.find(key);
        return found == numbers.end() ? -1 : found->second;
    };
    Matched matched{.quantity = pair.quantity,
                    .from = node_with(numbers_, pair.from),
                    .to = node_with(numbers_, pair.to),
                    .time = pair.time};
    matched.has_ranks = matched.from >= 0 && matched.to >= 0;
    if (is_by_host_) {
        matched.from = node_with(hosts_, pair.from.first);
        matched.to = node_with(hosts_, pair.to.first);
    }
    bool const is_pair = matched.from >= 0 && matched.to >= 0 && matched.from != matched.to;
    return is_pair ? std::optional{matched} : std::nullopt;
}

void Reference::keep(Matched const& pair) {
    auto& rows = times_[static_cast<std::size_t>(pair.quantity)];
    auto const put = [&](Ways& ways) {
        ways[pair.from < pair.to ? 0 : 1] = pair.time;
        // A latency holds for both directions.
        if (pair.quantity == Metric::latency)
            ways = {pair.time, pair.time};
    };
    for (auto const& [i, j] : {Pair{pair.from, pair.to}, Pair{pair.to, pair.from}}) {
        if (!rows.share().has(i))
            continue;
        put(rows.at(i, j).by_host);
        if (pair.has_ranks)
            put(rows.at(i, j).by_rank);
    }
}

Rows<double> Reference::logs(measure::Comm const& comm, Metric quantity) const {
    auto const number = static_cast<std::size_t>(measured_as(quantity));
    std::vector<Node> others;
    for (auto const& member : there_[number])
        others.push_back(node_of(member));
    bool by_host = is_by_host_ && is_by_host(others);
    comm.broadcast(by_host);
    Rows<double> logs{times_[number].share(), not_measured};
    bool has_any = false;
    times_[number].for_each_way([&](int i, int j, Times const& times) {
        auto const& ways = by_host ? times.by_host : times.by_rank;
        logs.at(i, j) = quantity == Metric::direction ? (i < j ? 1 : -1) * std::log(ways[0] / ways[1])
                                                      : std::log((ways[0] + ways[1]) / 2);
        has_any = has_any || !std::isnan(logs.at(i, j));
    });
    if (comm.max(has_any ? 1 : 0) <= 0)
        throw measure::UsageError(
            fmt::format("it has no {} of these pairs in mode {}", name(measured_as(quantity)), name(mode_)));
    return logs;
}

Rows<double> reference_logs(std::vector<KnownPair> const& run, Metric quantity, Mode mode,
                            std::vector<Node> const& nodes, ExchangeRules const& rules) {
    Reference reference{Share::all(static_cast<int>(nodes.size())), nodes, mode, rules};
    for (auto const& pair : run)
        if (pair.quantity == measured_as(quantity))
            if (auto const matched = reference.match(pair))
                reference.keep(*matched);
    return reference.logs(measure::Comm::solo(), quantity);
}

Result compared(std::vector<KnownPair> const& before, std::vector<KnownPair> const& after, Options const& options) {
    auto result = result_of(after, after.front().mode, options);
    result.is_comparison = true;
    result.is_oversubscribed = std::any_of(before.begin(), before.end(), std::mem_fn(&KnownPair::oversubscribed)) ||
                               std::any_of(after.begin(), after.end(), std::mem_fn(&KnownPair::oversubscribed));
    result.untested = why_untested(result);
    count_measured(measure::Comm::solo(), result);
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
            judge(measure::Comm::solo(), result, quantity,
                  reference_logs(before, quantity, result.options.mode, result.nodes, result.options.exchange)));
    }
    if (result.judged.empty())
        throw measure::UsageError("neither run has the quantity given by --what");
    if (!result.untested.empty())
        return result;
    auto const seen = seen_of(result);
    auto const suspects =
        beyond_scatter(seen, screen(measure::Comm::solo(), seen, options.rules.threshold), options.rules);
    result.verdict.screened = suspects.size();
    for (auto const& suspect : suspects)
        result.verdict.findings.push_back({.suspect = suspect, .effect = std::expm1(suspect.effect)});
    return result;
}

}  // namespace measure::tool::pairs
