// SPDX-License-Identifier: BSD-3-Clause
#include "pairs/reference.hpp"

#include <measure/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace measure_tool::pairs {

namespace {

/// A rank of either run: host and rank.
using Member = std::pair<std::string, std::int64_t>;

struct Ends {
    Member from{};
    Member to{};
};

/// Nothing for a point that is none of a pair.
std::optional<Ends> ends_of(measure::Record const& point) {
    auto const& at = point.at;
    for (char const* const name : {"from", "to", "host_from", "host_to", "mode", "bytes"})
        if (!at.has(name))
            return std::nullopt;
    return Ends{{at.text("host_from"), at.integer("from")}, {at.text("host_to"), at.integer("to")}};
}

template <class Members>
bool is_by_host(Members const& members) {
    std::set<std::string> hosts;
    return std::all_of(members.begin(), members.end(),
                       [&](Member const& member) { return hosts.insert(member.first).second; });
}

}  // namespace

PairTable<double> reference_logs(measure::RunRecord const& run, Metric quantity, Mode mode,
                                 std::vector<Node> const& nodes, ExchangeRules const& rules) {
    bool const is_latency = quantity == Metric::latency;
    auto const bytes = is_latency ? rules.latency_size : rules.size;
    std::vector<std::pair<Ends, double>> times;
    std::set<Member> there;
    for (auto const& point : run.points) {
        auto const ends = ends_of(point);
        if (!ends || point.benchmark != benchmark_of(quantity) || point.at.text("mode") != name(mode) || !point.value)
            continue;
        if (point.at.bytes("bytes") != bytes)
            throw measure::UsageError(fmt::format("it has {} with messages of {} bytes, this run of {}", name(quantity),
                                                  point.at.bytes("bytes"), bytes));
        double const value = point.estimate ? point.estimate->median : *point.value;
        times.emplace_back(*ends, is_latency ? value : 1 / value);
        there.insert({ends->from, ends->to});
    }
    std::vector<Member> here;
    for (auto const& node : nodes)
        here.emplace_back(node.place.host, node.rank);
    bool const by_host = is_by_host(here) && is_by_host(there);
    auto const key = [&](Member const& member) { return by_host ? Member{member.first, 0} : member; };
    std::map<Member, int> numbers;
    for (std::size_t node = 0; node < here.size(); ++node)
        numbers.emplace(key(here[node]), static_cast<int>(node));
    int const n = static_cast<int>(nodes.size());
    PairTable<std::vector<double>> found(n);
    for (auto const& [ends, time] : times) {
        auto const from = numbers.find(key(ends.from));
        auto const to = numbers.find(key(ends.to));
        if (from != numbers.end() && to != numbers.end() && from->second != to->second)
            found.at(from->second, to->second).push_back(time);
    }
    PairTable<double> logs(n, not_measured);
    bool has_any = false;
    found.for_each([&](int i, int j, std::vector<double> const& of_pair) {
        if (of_pair.size() != (is_latency ? 1U : 2U))
            return;
        double sum = 0;
        for (double const time : of_pair)
            sum += time;
        logs.at(i, j) = std::log(sum / static_cast<double>(of_pair.size()));
        has_any = true;
    });
    if (!has_any)
        throw measure::UsageError(fmt::format("it has no {} of these pairs, mode {}", name(quantity), name(mode)));
    return logs;
}

}  // namespace measure_tool::pairs
