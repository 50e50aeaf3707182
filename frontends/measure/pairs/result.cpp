// SPDX-License-Identifier: BSD-3-Clause
#include "pairs/result.hpp"

#include "pairs/groups.hpp"

#include <measure/statistics.hpp>
#include <measure/two_samples.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <utility>

namespace measure_tool::pairs {

std::string_view name(Metric quantity) noexcept {
    return quantity == Metric::latency ? "latency" : quantity == Metric::bandwidth ? "bandwidth" : "direction";
}

Metric measured_as(Metric quantity) noexcept {
    return quantity == Metric::latency ? Metric::latency : Metric::bandwidth;
}

std::string_view benchmark_of(Metric quantity) noexcept {
    return quantity == Metric::latency ? "Pair_latency" : "Pair_bandwidth";
}

std::string_view name(Mode mode) noexcept {
    return mode == Mode::loaded ? "loaded" : mode == Mode::alone ? "alone" : "hosts";
}

std::size_t host_count(std::vector<Node> const& nodes) {
    std::set<std::string_view> hosts;
    for (auto const& node : nodes)
        hosts.insert(node.place.host);
    return hosts.size();
}

void name_nodes(std::vector<Node>& nodes) {
    auto const hosts = host_count(nodes);
    for (auto& node : nodes)
        node.name = hosts == nodes.size() ? node.place.host
                    : hosts == 1          ? fmt::format("rank {}", node.rank)
                                          : fmt::format("rank {} on {}", node.rank, node.place.host);
}

double Tournament::one_way(Metric quantity, int from, int to) const {
    auto const& of_pair = values.at(from, to);
    return median_or(quantity == Metric::latency ? of_pair.latency
                     : from < to                 ? of_pair.up
                                                 : of_pair.down,
                     not_measured);
}

double Tournament::time(Metric quantity, int i, int j) const {
    return (one_way(quantity, i, j) + one_way(quantity, j, i)) / 2;
}

std::size_t Tournament::count(Metric quantity, int i, int j) const {
    auto const& of_pair = values.at(i, j);
    return quantity == Metric::latency ? of_pair.latency.size() : of_pair.up.size();
}

bool Result::has_finding() const {
    return !wrong.empty() || !unanswered.empty() ||
           std::any_of(verdict.findings.begin(), verdict.findings.end(),
                       [](Finding const& finding) { return finding.confirmed; });
}

std::vector<Metric> Result::wanted() const {
    std::vector<Metric> all;
    for (auto const quantity : {Metric::latency, Metric::bandwidth, Metric::direction})
        if (wants(quantity))
            all.push_back(quantity);
    return all;
}

std::size_t Result::measured() const {
    std::size_t count = 0;
    if (!tournaments.empty())
        tournaments.front().values.for_each([&](int i, int j, PairValues const&) {
            auto const is_whole = [&](Metric quantity) {
                return !wants(quantity) || tournaments.front().count(quantity, i, j) == index(options.repetitions);
            };
            count += is_whole(Metric::latency) && is_whole(Metric::bandwidth) ? 1U : 0U;
        });
    return count;
}

double memory_of(std::size_t nodes, std::size_t measured, std::size_t tournaments, Result const& result) {
    auto const n = static_cast<double>(nodes);
    // A vector that grows has up to twice its length; the allocator adds its own.
    double const repetitions = 2.0 * sizeof(double) * result.options.repetitions + 16;
    double place = static_cast<double>(tournaments * sizeof(PairValues)) + sizeof(int);
    double values = 0;
    for (auto const quantity : result.wanted()) {
        // Logarithm, residual, reference, and the residuals of a class, as the fit sorts them.
        place += 5 * sizeof(double);
        if (quantity == measured_as(quantity))
            values += static_cast<double>(tournaments) * (quantity == Metric::latency ? 1 : 2) * repetitions;
    }
    return n * (n - 1) / 2 * place + static_cast<double>(measured) * values;
}

/// Of what scatters the polish takes so much over a node's partners (simulated with 4 to 63 of them: within 0.07).
constexpr double taken_by_polish = 2.2;

Judged judge(Result const& result, Metric quantity, PairTable<double> reference) {
    auto const& tournament = result.tournaments.front();
    int const n = result.classes.seats();
    Judged judged{.quantity = quantity, .reference = std::move(reference), .logs = PairTable<double>(n, not_measured)};
    bool const is_directed = quantity == Metric::direction;
    std::vector<double> scatter;
    std::size_t most = 0;  // repetitions of a pair
    tournament.values.for_each([&](int i, int j, PairValues const& values) {
        double const time =
            is_directed ? tournament.one_way(Metric::bandwidth, i, j) / tournament.one_way(Metric::bandwidth, j, i)
                        : tournament.time(quantity, i, j);
        judged.logs.at(i, j) = std::log(time) - judged.referred(i, j);
        auto repeated = quantity == Metric::latency ? values.latency : values.up;
        // A run that was read may have been cut between the two directions.
        if (is_directed)
            repeated.resize(std::min(values.up.size(), values.down.size()));
        for (std::size_t k = 0; is_directed && k < repeated.size(); ++k)
            repeated[k] /= values.down[k];
        most = std::max(most, repeated.size());
        if (repeated.size() >= 3)
            scatter.push_back(measure::log_scale(repeated));
    });
    if (is_directed)
        judged.fit = fit(judged.logs, result.classes, pair_classes, Form::directed);
    else
        judged.fit = fit(judged.logs, result.classes, pair_classes, Form::both_ways,
                         group_effects(judged.logs, result.group, result.groups.size()));
    if (!scatter.empty())
        judged.noise = measure::median(scatter);
    else if (most > 0 && judged.fit.partners >= fewest_nodes - 1) {
        // The median of two is their mean, and of bandwidth both ways have theirs.
        double const values = static_cast<double>(most) * (quantity == Metric::bandwidth ? 2 : 1);
        judged.noise = *std::max_element(judged.fit.scales.begin(), judged.fit.scales.end()) * std::sqrt(values) /
                       (1 - taken_by_polish / judged.fit.partners);
    }
    return judged;
}

std::vector<Seen> seen_of(Result const& result) {
    std::vector<Seen> seen;
    for (auto const& judged : result.judged)
        seen.push_back({&judged.logs, &result.classes, judged.fit});
    return seen;
}

bool is_directed(Result const& result, Finding const& finding) {
    return result.judged[finding.suspect.quantity].quantity == Metric::direction;
}

void leave_to_directions(Result const& result, std::vector<Finding>& findings) {
    std::vector<Finding> directions;
    std::copy_if(findings.begin(), findings.end(), std::back_inserter(directions),
                 [&](Finding const& finding) { return finding.confirmed && is_directed(result, finding); });
    std::erase_if(findings, [&](Finding const& finding) {
        if (result.judged[finding.suspect.quantity].quantity != Metric::bandwidth || !finding.interval)
            return false;
        return std::any_of(directions.begin(), directions.end(), [&](Finding const& direction) {
            return direction.suspect.kind == finding.suspect.kind &&
                   pair_of(direction.suspect.a, direction.suspect.b) == pair_of(finding.suspect.a, finding.suspect.b) &&
                   finding.interval->first <= direction.effect / 2;
        });
    });
}

std::string why_untested(Result const& result) {
    if (result.nodes.size() < fewest_nodes)
        return fmt::format("fewer than {} nodes: a slow node cannot be told from a slow link", fewest_nodes);
    if (result.is_oversubscribed)
        return "more ranks than cores: times are those of the scheduler";
    if (result.options.mode == Mode::loaded)
        return "pairs that load each other are slow by chance of the order";
    if (result.rounds < fewest_nodes - 1)
        return fmt::format("fewer than {} rounds: a slow node cannot be told from a slow link", fewest_nodes - 1);
    return {};
}

std::array<double, 3> loaded_ratios(Result const& result, Metric quantity) {
    std::vector<double> ratios;
    result.classes.for_each([&](int i, int j, int) {
        double const ratio = result.tournaments[1].time(quantity, i, j) / result.tournaments[0].time(quantity, i, j);
        if (!std::isnan(ratio))
            ratios.push_back(ratio);
    });
    if (ratios.empty())
        return {};
    return {measure::quantile(ratios, 0.05), measure::quantile(ratios, 0.5), measure::quantile(ratios, 0.95)};
}

}  // namespace measure_tool::pairs
