// SPDX-License-Identifier: BSD-3-Clause
#include "pairs/result.hpp"

#include "pairs/groups.hpp"
#include "pairs/together.hpp"

#include <measure/statistics.hpp>
#include <measure/two_samples.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <utility>

namespace measure::tool::pairs {

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

double one_way(PairValues const& values, Metric quantity, int from, int to) {
    return median_or(quantity == Metric::latency ? values.latency : from < to ? values.up : values.down, not_measured);
}

double time_of(PairValues const& values, Metric quantity) {
    return (one_way(values, quantity, 0, 1) + one_way(values, quantity, 1, 0)) / 2;
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

void count_measured(measure::Comm const& comm, Result& result) {
    double count = 0;
    if (!result.tournaments.empty())
        result.tournaments.front().values.for_each([&](int, int, PairValues const& values) {
            auto const is_whole = [&](Metric quantity) {
                return !result.wants(quantity) || count_of(values, quantity) == index(result.options.repetitions);
            };
            count += is_whole(Metric::latency) && is_whole(Metric::bandwidth) ? 1 : 0;
        });
    result.measured = static_cast<std::size_t>(comm.sum(count));
}

double memory_of(std::size_t nodes, std::size_t partners, std::size_t tournaments, Result const& result) {
    // The capacity of a growing vector is up to twice its length, plus the overhead of the allocator.
    double const repetitions = 2.0 * sizeof(double) * result.options.repetitions + 16;
    auto place = static_cast<double>(tournaments * sizeof(PairValues));
    double values = 0;
    for (auto const quantity : result.wanted()) {
        // Logarithm, residual, reference, class, and copies that the fit sorts.
        place += 8 * sizeof(double);
        if (quantity == measured_as(quantity))
            values += static_cast<double>(tournaments) * (quantity == Metric::latency ? 1 : 2) * repetitions;
    }
    return static_cast<double>(nodes) * place + static_cast<double>(partners) * values;
}

namespace {

/// The polish absorbs this value, divided by a node's number of partners, of the scatter. Simulated with 4 to 63
/// partners; accurate to 0.07.
constexpr double taken_by_polish = 2.2;

/// \param times  [class] times of this process, each pair once
std::vector<ClassTimes> times_of_classes(measure::Comm const& comm, std::vector<std::vector<double>> const& times) {
    constexpr std::array ps{0.0, 0.5, 1.0};
    auto const of_all = quantiles(comm, times, ps);
    std::vector<double> pairs;
    for (auto const& of_class : times)
        pairs.push_back(static_cast<double>(of_class.size()));
    sum(comm, pairs);
    std::vector<ClassTimes> all;
    for (std::size_t c = 0; c < times.size(); ++c)
        all.push_back({static_cast<std::size_t>(pairs[c]), of_all[c][1], of_all[c][0], of_all[c][2]});
    return all;
}

}  // namespace

Judged judge(measure::Comm const& comm, Result const& result, Metric quantity, Rows<double> reference) {
    auto const& values_of = result.tournaments.front().values;
    Judged judged{
        .quantity = quantity, .reference = std::move(reference), .logs = Rows<double>{values_of.share(), not_measured}};
    bool const is_directed = quantity == Metric::direction;
    std::vector<double> scatter;
    double most = 0;      // largest number of repetitions of a pair
    double referred = 0;  // number of pairs in the reference
    std::vector<std::vector<double>> times(pair_classes);
    values_of.for_each_way([&](int i, int j, PairValues const& values) {
        // Bitwise equal in the rows of both nodes, except for the sign.
        double const sign = is_directed && j < i ? -1 : 1;
        double const time = is_directed
                                ? one_way(values, Metric::bandwidth, 0, 1) / one_way(values, Metric::bandwidth, 1, 0)
                                : time_of(values, quantity);
        judged.logs.at(i, j) = sign * std::log(time) - judged.referred(i, j);
        if (i > j)
            return;
        referred += judged.has_reference() && !std::isnan(judged.referred(i, j)) ? 1 : 0;
        if (!std::isnan(time))
            times[index(result.pair_class(i, j))].push_back(time);
        auto repeated = quantity == Metric::latency ? values.latency : values.up;
        // A run read from a file may have been interrupted between the two directions.
        if (is_directed)
            repeated.resize(std::min(values.up.size(), values.down.size()));
        for (std::size_t k = 0; is_directed && k < repeated.size(); ++k)
            repeated[k] /= values.down[k];
        most = std::max(most, static_cast<double>(repeated.size()));
        if (repeated.size() >= 3)
            scatter.push_back(measure::log_scale(repeated));
    });
    judged.referred_pairs = static_cast<std::size_t>(comm.sum(referred));
    most = comm.max(most);
    auto const class_of = [&result](int i, int j) { return result.pair_class(i, j); };
    if (is_directed) {
        judged.fit = fit(comm, judged.logs, class_of, pair_classes, Form::directed);
    } else {
        judged.fit = fit(comm, judged.logs, class_of, pair_classes, Form::both_ways,
                         group_effects(comm, judged.logs, result.group, result.groups.size()));
        judged.times = times_of_classes(comm, times);
    }
    judged.noise = medians(comm, {std::move(scatter)}).front();
    if (std::isnan(judged.noise) && most > 0 && judged.fit.partners >= fewest_nodes - 1) {
        // A time averages up to two repetitions, and for bandwidth both directions.
        double const values = most * (quantity == Metric::bandwidth ? 2 : 1);
        judged.noise = *std::max_element(judged.fit.scales.begin(), judged.fit.scales.end()) * std::sqrt(values) /
                       (1 - taken_by_polish / judged.fit.partners);
    }
    return judged;
}

std::vector<Seen> seen_of(Result const& result) {
    std::vector<Seen> seen;
    for (auto const& judged : result.judged)
        seen.push_back({[&result](int i, int j) { return result.pair_class(i, j); }, judged.fit});
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
        return fmt::format("with fewer than {} nodes, a slow node cannot be distinguished from a slow link",
                           fewest_nodes);
    if (result.is_oversubscribed)
        return "with more ranks than cores, the times measure the scheduler";
    if (result.options.mode == Mode::loaded)
        return "in mode loaded, the random order decides which pairs share cables and are slow";
    if (result.rounds < fewest_nodes - 1)
        return fmt::format("with fewer than {} rounds, a slow node cannot be distinguished from a slow link",
                           fewest_nodes - 1);
    return {};
}

std::array<double, 3> loaded_ratios(measure::Comm const& comm, Result const& result, Metric quantity) {
    std::vector<double> ratios;
    result.tournaments[0].values.for_each([&](int i, int j, PairValues const& values) {
        double const ratio = time_of(result.tournaments[1].values.at(i, j), quantity) / time_of(values, quantity);
        if (!std::isnan(ratio))
            ratios.push_back(ratio);
    });
    constexpr std::array ps{0.05, 0.5, 0.95};
    auto const of_all = quantiles(comm, {std::move(ratios)}, ps).front();
    return std::isnan(of_all[1]) ? std::array<double, 3>{} : std::array{of_all[0], of_all[1], of_all[2]};
}

}  // namespace measure::tool::pairs
