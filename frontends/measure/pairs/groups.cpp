// SPDX-License-Identifier: BSD-3-Clause
#include "pairs/groups.hpp"

#include "pairs/together.hpp"
#include "program/runtime/files.hpp"

#include <measure/error.hpp>
#include <measure/signed_rank.hpp>
#include <measure/statistics.hpp>
#include <measure/two_samples.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>

namespace measure::tool::pairs {

std::map<std::string, std::string> groups_in(std::string const& text, std::string const& file) {
    std::map<std::string, std::string> groups;
    program::read_lines(text, file, [&](std::string const& line) {
        std::istringstream words{line};
        std::string host;
        std::string group;
        std::string more;
        if (!(words >> host >> group) || words >> more)
            throw measure::UsageError(fmt::format("'{}' is not a line of the form HOST GROUP", line));
        if (!groups.emplace(host, group).second)
            throw measure::UsageError(fmt::format("host '{}' is listed twice", host));
    });
    return groups;
}

namespace {

/// [node] the rank that has its row. Collective.
std::vector<int> owners_of(measure::Comm const& comm, Share const& share) {
    std::vector<double> ranks(index(share.nodes));
    for (int i = share.first; i < share.first + share.count; ++i)
        ranks[index(i)] = comm.rank();
    sum(comm, ranks);
    std::vector<int> owners;
    for (double const rank : ranks)
        owners.push_back(static_cast<int>(rank));
    return owners;
}

}  // namespace

std::vector<double> group_effects(measure::Comm const& comm, Rows<double> const& logs, std::span<int const> group,
                                  std::size_t count) {
    if (count < fewest_groups)
        return {};
    int const n = static_cast<int>(count);
    auto const owners = owners_of(comm, logs.share());
    // The process of a group's first node collects the group's rows. All processes follow the same order.
    std::map<int, std::vector<double>> own;  // [own group][group] median of the pairs between them
    for (int g = 0; g < n; ++g) {
        auto const first = std::find(group.begin(), group.end(), g) - group.begin();
        int const looks = owners[index(static_cast<int>(first))];
        std::vector<std::vector<double>> between(count);
        for (int i = 0; i < logs.share().nodes; ++i) {
            int const owner = owners[index(i)];
            if (group[index(i)] != g || (owner != comm.rank() && looks != comm.rank()))
                continue;
            auto row = owner == comm.rank() ? std::vector<double>(logs.row(i).begin(), logs.row(i).end())
                                            : receive_values<double>(comm, owner);
            if (looks != comm.rank())
                send_values(comm, row, looks);
            for (int j = 0; j < logs.share().nodes; ++j)
                if (int const h = group[index(j)]; h != g && !std::isnan(row[index(j)]))
                    between[index(h)].push_back(row[index(j)]);
        }
        if (looks != comm.rank())
            continue;
        auto& middles = own[g];
        for (auto const& values : between)
            middles.push_back(median_or(values, not_measured));
    }
    std::map<int, std::vector<double>> against;  // [own group] differences from the other groups, and 0 for itself
    for (auto const& mine : own)
        against[mine.first] = {0};
    for (int h = 0; h < n; ++h) {
        auto middles = own.contains(h) ? own.at(h) : std::vector<double>(count);
        sum(comm, middles);
        for (auto const& [g, mine] : own) {
            std::vector<double> by_third;
            for (int third = 0; g != h && third < n; ++third)
                if (third != g && third != h)
                    if (double const d = mine[index(third)] - middles[index(third)]; !std::isnan(d))
                        by_third.push_back(d);
            if (!by_third.empty())
                against[g].push_back(measure::median(by_third));
        }
    }
    std::vector<double> effects(count);
    for (auto const& [g, differences] : against)
        effects[index(g)] = measure::median(differences);
    sum(comm, effects);
    double const middle = measure::median(effects);
    std::vector<double> of_nodes;
    for (int const g : group)
        of_nodes.push_back(effects[index(g)] - middle);
    return of_nodes;
}

std::vector<Finding> slow_groups(Fit const& fit, std::size_t quantity, std::span<int const> group, std::size_t count,
                                 Rules const& rules) {
    if (count < fewest_groups)
        return {};
    std::vector<std::vector<double>> effects(count);
    for (std::size_t node = 0; node < group.size(); ++node)
        effects[index(group[node])].push_back(fit.effects[node]);
    std::vector<double> ps;
    for (auto const& members : effects) {
        bool const are_slow = std::all_of(members.begin(), members.end(),
                                          [&](double effect) { return effect > std::log1p(rules.threshold); });
        ps.push_back(are_slow ? measure::smallest_signed_rank_p(members.size()) : 1);
    }
    auto const adjusted = measure::holm(ps);
    std::vector<Finding> findings;
    for (std::size_t g = 0; g < count; ++g) {
        if (adjusted[g] > rules.alpha)
            continue;
        double const middle = measure::median(effects[g]);
        int const number = static_cast<int>(g);
        Finding finding{
            .suspect = {.kind = Kind::group, .quantity = quantity, .a = number, .b = number, .effect = middle},
            .effect = std::expm1(middle),
            .p = ps[g],
            .adjusted_p = adjusted[g],
            .trials = effects[g].size(),
            .confirmed = true};
        if (auto const interval = measure::quantile_interval(effects[g], 0.5, 0.95))
            finding.interval = measure::Interval{std::expm1(interval->first), std::expm1(interval->second)};
        findings.push_back(finding);
    }
    return findings;
}

std::vector<Finding> slow_groups(std::span<Seen const> seen, std::span<int const> group, std::size_t count,
                                 Rules rules) {
    auto const is_tested = [](Seen const& one) { return one.fit.form == Form::both_ways; };
    auto const tested = static_cast<double>(std::count_if(seen.begin(), seen.end(), is_tested));
    rules.alpha /= std::max(tested, 1.0);
    std::vector<Finding> findings;
    for (std::size_t quantity = 0; quantity < seen.size(); ++quantity)
        if (is_tested(seen[quantity]))
            for (auto& finding : slow_groups(seen[quantity].fit, quantity, group, count, rules)) {
                finding.adjusted_p = std::min(tested * finding.adjusted_p, 1.0);
                findings.push_back(finding);
            }
    return findings;
}

std::size_t fewest_members(std::size_t groups, double alpha) {
    std::size_t members = 1;
    while (static_cast<double>(groups) * measure::smallest_signed_rank_p(members) > alpha)
        ++members;
    return members;
}

}  // namespace measure::tool::pairs
