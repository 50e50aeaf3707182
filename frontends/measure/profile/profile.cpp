// SPDX-License-Identifier: BSD-3-Clause
#include "profile/profile.hpp"

#include "analysis/runs/meaning.hpp"
#include "analysis/runs/points.hpp"
#include "call_names.hpp"

#include <measure/error.hpp>
#include <measure/statistics.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

namespace measure::tool {

namespace {

using measure::Record;
using measure::Value;
using measure::profile::SizeFrom;

double number_in(Value const& value, std::string_view key) { return value.number({key}).value_or(0); }

std::optional<OverRanks> over_ranks_in(Value const& value, std::string_view key) {
    Value const* const found = value.find(key);
    if (found == nullptr || !found->number({"sum"}))
        return std::nullopt;
    auto const rank = [&](char const* name) { return static_cast<std::int64_t>(number_in(*found, name)); };
    return OverRanks{.sum = number_in(*found, "sum"),
                     .mean = number_in(*found, "mean"),
                     .least = number_in(*found, "min"),
                     .most = number_in(*found, "max"),
                     .least_rank = rank("min_rank"),
                     .most_rank = rank("max_rank")};
}

/// The size of a call, from the average data that a rank sends and receives.
std::optional<double> size_of(std::string_view call, double sent, double received, double calls, std::int64_t ranks) {
    auto const& names = measure::profile::call_names;
    auto const found = std::find_if(names.begin(), names.end(), [&](auto const& each) { return each.name == call; });
    if (found == names.end() || !(calls > 0))
        return std::nullopt;
    switch (found->size) {
    case SizeFrom::sent:
        return sent / calls;
    case SizeFrom::received:
        return received / calls;
    case SizeFrom::both:
        return (sent + received) / calls;
    case SizeFrom::sent_by_ranks:
        return sent / calls / static_cast<double>(std::max<std::int64_t>(ranks, 1));
    case SizeFrom::none:
        break;
    }
    return call == "Barrier" ? std::optional{0.0} : std::nullopt;
}

CallCost cost_of(Record const& record) {
    CallCost cost{.call = record.benchmark,
                  .ranks = integer_at(record.at, "ranks").value_or(0),
                  .low = integer_at(record.at, "bytes").value_or(0),
                  .calls = number_in(record.derived, "calls"),
                  .sent = number_in(record.derived, "sent"),
                  .received = number_in(record.derived, "received"),
                  .total = over_ranks_in(record.derived, "total").value_or(OverRanks{}),
                  .waiting = over_ranks_in(record.derived, "waiting")};
    if (record.at.has("site"))
        cost.site = record.at.text("site");
    if (record.quantity == measure::Quantity::time && record.value) {
        cost.mean = record.value;
        if (record.estimate) {
            cost.error = record.estimate->standard_error;
            cost.median = record.estimate->median;
        }
        cost.least_mean = record.derived.number({"means", "min"}).value_or(*record.value);
        cost.most_mean = record.derived.number({"means", "max"}).value_or(*record.value);
        cost.least_median = record.derived.number({"medians", "min"}).value_or(cost.median);
        cost.most_median = record.derived.number({"medians", "max"}).value_or(cost.median);
        cost.least_median_rank = static_cast<std::int64_t>(record.derived.number({"medians", "min_rank"}).value_or(-1));
    }
    cost.size = size_of(cost.call, cost.sent, cost.received, cost.calls, cost.ranks);
    return cost;
}

std::vector<RankCost> ranks_in(Value const& profile) {
    std::vector<RankCost> ranks;
    auto const* const list = profile.get<Value::Array>("by_rank");
    if (list == nullptr)
        return ranks;
    for (auto const& each : *list)
        ranks.push_back({.rank = static_cast<std::int64_t>(number_in(each, "rank")),
                         .time = each.number({"time"}),
                         .in_mpi = number_in(each, "in_mpi"),
                         .waiting = each.number({"waiting"})});
    return ranks;
}

std::set<std::string> processors(measure::Environment const& run) {
    std::set<std::string> names;
    for (auto const& host : run.hosts)
        names.insert(host.cpu.value_or("?"));
    return names;
}

std::set<std::string> hosts(measure::Environment const& run) {
    std::set<std::string> names;
    for (auto const& host : run.hosts)
        names.insert(host.name);
    return names;
}

std::string joined(std::set<std::string> const& names) {
    std::string text;
    for (auto const& name : names)
        text += (text.empty() ? "" : ", ") + name;
    return text;
}

}  // namespace

Profile profile_of(Launch const& launch) {
    auto const& record = launch.record;
    Value const* profile = nullptr;
    for (auto const& [key, value] : record.run.more)
        if (key == "profile")
            profile = &value;
    if (record.run.suite != "profile" || profile == nullptr)
        throw measure::UsageError(
            fmt::format("'{}' is not a profile of an application but a record of {}", launch.name, record.run.suite));
    Profile result{.name = launch.name,
                   .run = record.run,
                   .world = static_cast<std::int64_t>(number_in(*profile, "world")),
                   .recorded = profile->text("recorded"),
                   .missing = profile->text("missing"),
                   .calls = number_in(*profile, "calls"),
                   .time = over_ranks_in(*profile, "time"),
                   .in_mpi = over_ranks_in(*profile, "in_mpi"),
                   .share = over_ranks_in(*profile, "share"),
                   .ranks = ranks_in(*profile)};
    for (auto const& point : record.points)
        result.costs.push_back(cost_of(point));
    result.counts_only = !result.in_mpi;
    std::stable_sort(result.costs.begin(), result.costs.end(), [](CallCost const& a, CallCost const& b) {
        auto const whole = [](CallCost const& cost) { return cost.total.sum + (cost.waiting ? cost.waiting->sum : 0); };
        return whole(a) != whole(b) ? whole(a) > whole(b) : a.calls > b.calls;
    });
    return result;
}

MeasuredCosts::MeasuredCosts(std::span<Launch const> launches) {
    std::map<std::pair<std::string, std::int64_t>, std::map<double, std::vector<double>>> values;
    std::map<std::pair<std::string, std::int64_t>, std::map<double, double>> errors;
    for (auto const& launch : launches)
        for (Record const& record : launch.record.points) {
            auto const meaning = semantics_of(launch.record.run.suite, record);
            auto const ranks = integer_at(record.at, "ranks");
            if (!meaning || !ranks || *ranks < 1)
                continue;
            bool const is_barrier = meaning->kind == OperationKind::barrier;
            auto const bytes = is_barrier ? std::optional{measure::Bytes{0}} : integer_at(record.at, "bytes");
            if (!bytes || *bytes < 0)
                continue;
            std::pair const name{meaning->operation, *ranks};
            auto const size = static_cast<double>(block_size(*meaning, *bytes, *ranks));
            for (auto const& value : launch_values(record))
                if (auto const time = value ? time_of(*meaning, record.quantity, *value, bytes) : std::nullopt)
                    values[name][size].push_back(*time);
            if (record.estimate && record.estimate->standard_error && record.quantity == measure::Quantity::time)
                errors[name][size] = *record.estimate->standard_error * meaning->share;
        }
    for (auto const& [name, sizes] : values) {
        Curve curve;
        std::vector<measure::CostPoint> points;
        for (auto const& [size, times] : sizes) {
            auto const error = errors[name].contains(size) ? errors[name][size] : 0;
            points.push_back({.bytes = size, .seconds = measure::median(times), .standard_error = error});
            curve.points.emplace(size, points.back());
        }
        curve.model = measure::fit_cost(points);
        curves_.emplace(name, std::move(curve));
    }
}

std::optional<MeasuredCosts::Cost> MeasuredCosts::at(std::string const& operation, std::int64_t ranks,
                                                     double size) const {
    auto const found = curves_.find({operation, ranks});
    if (found == curves_.end())
        return std::nullopt;
    auto const& [points, model] = found->second;
    if (auto const point = points.find(size); point != points.end())
        return Cost{point->second.seconds, point->second.standard_error};
    auto const time = model ? model->at(size) : std::nullopt;
    constexpr double most_error = 0.5;
    if (!time || !(*time > 0) || model->relative_error > most_error)
        return std::nullopt;
    return Cost{*time, *time * model->relative_error};
}

std::string why_elsewhere(measure::Environment const& profile, measure::Environment const& record) {
    if (profile.mpi_library != record.mpi_library)
        return fmt::format("MPI is {} there and {} here", record.mpi_library.value_or("absent"),
                           profile.mpi_library.value_or("absent"));
    auto const text = [](char const* what, std::set<std::string> const& there, std::set<std::string> const& here) {
        return fmt::format("{} {} there and {} here", what, joined(there), joined(here));
    };
    if (processors(profile) != processors(record))
        return text("the processor is", processors(record), processors(profile));
    auto const here = hosts(profile);
    auto const there = hosts(record);
    bool const meet = std::any_of(here.begin(), here.end(), [&](auto const& host) { return there.contains(host); });
    return meet ? std::string{} : text("hosts are", there, here);
}

std::string_view name(CostVerdict verdict) noexcept {
    static constexpr std::array<std::string_view, 4> names{"", "as measured here", "waiting",
                                                           "slower than measured here"};
    return names[static_cast<std::size_t>(verdict)];
}

JudgedCost judged(CallCost const& cost, MeasuredCosts const& measured) {
    JudgedCost result;
    if (!cost.mean || !cost.size || !(*cost.mean > 0))
        return result;
    result.here = measured.at(cost.call, cost.ranks, *cost.size);
    if (!result.here)
        return result;
    double const most = (1 + cost_tolerance) * result.here->time;
    result.ratio = *cost.mean / result.here->time;
    if (cost.calls < least_calls)
        return result;
    double const waited = cost.waiting ? cost.waiting->sum / cost.calls : 0;
    result.to_win = std::max(0.0, (*cost.mean + waited - result.here->time) * cost.calls);
    if (cost.waiting) {
        // The barrier separates waiting: the remaining time is the cost of the call itself.
        result.verdict = *cost.mean > most            ? CostVerdict::slower
                         : *cost.mean + waited > most ? CostVerdict::waiting
                                                      : CostVerdict::expected;
        if (result.verdict == CostVerdict::waiting)
            result.late_rank = cost.waiting->least_rank;
        return result;
    }
    // The mean shows the lost time, the median the typical time: a single loss of the core affects only the mean. The
    // rank that comes last waits least, so its typical time is the cost of the call itself. The additional time of the
    // other ranks is waiting.
    double const own = cost.least_median - result.here->time;
    double const waits = cost.most_median - cost.least_median;
    constexpr double mostly = 2;
    if (*cost.mean <= most) {
        result.verdict = CostVerdict::expected;
    } else if (cost.least_median <= most || waits > mostly * own) {
        result.verdict = CostVerdict::waiting;
        // If ranks are late in turn, half of all calls are fast and there is no single late rank.
        if (cost.median > most || cost.least_median > most)
            result.late_rank = cost.least_median_rank;
    } else {
        result.verdict = CostVerdict::slower;
    }
    return result;
}

}  // namespace measure::tool
