// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/models/loggp.hpp"

#include "analysis/models/models.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

namespace measure {

namespace {

/// A benchmark of a suite; its time multiplied by `factor` is the quantity.
struct Origin {
    std::string_view suite;
    std::string_view benchmark;
    double factor;
    std::string_view text;
};

constexpr std::array half_round_trips{
    Origin{"mpiperf", "Pingpong", 1, "half a round trip (mpiperf Pingpong)"},
    Origin{"pmb", "PingPong", 1, "half a round trip (PMB PingPong)"},
    Origin{"mpbench", "roundtrip", 0.5, "half of 1 / rate (mpbench roundtrip)"},
};
constexpr std::array sends{
    Origin{"mpiperf", "Send", 1, "time of Send on the sending process (mpiperf Send)"},
    Origin{"mpbench", "latency", 1, "time of a send among many (mpbench latency), which may include the gap"},
};
constexpr std::array streams{
    Origin{"mpbench", "bandwidth", 1, "time per message of a stream (mpbench bandwidth)"},
};

/// Times from the first origin that is among the series.
struct Found {
    std::vector<CostPoint> points{};  ///< ascending
    std::string text{};
};

Found find_first(std::span<Series const* const> series, std::span<Origin const> origins) {
    for (auto const& origin : origins) {
        Found found{.points = {}, .text = std::string{origin.text}};
        for (auto const* const one : series)
            for (auto const& record : one->points)
                if (one->run().suite == origin.suite && record.benchmark == origin.benchmark)
                    if (auto point = cost_point(record, origin.suite)) {
                        point->seconds *= origin.factor;
                        point->standard_error *= origin.factor;
                        found.points.push_back(*point);
                    }
        std::stable_sort(found.points.begin(), found.points.end(),
                         [](auto const& a, auto const& b) { return a.bytes < b.bytes; });
        if (!found.points.empty())
            return found;
    }
    return {};
}

/// Time of the smallest size. Taken from the model if there is one, so that a single outlier does not decide.
LogGpValue smallest(Found const& found, std::string_view missing) {
    if (found.points.empty())
        return {.from = fmt::format("missing: {}", missing)};
    constexpr double longest = 1024;
    auto const& p = found.points.front();
    if (p.bytes > longest)
        return {.from = fmt::format("missing: short messages, up to {}, of {}", size_text(longest), found.text)};
    auto const text = fmt::format("{} at {}", found.text, size_text(p.bytes));
    auto const model = fit_cost(found.points);
    if (!model)
        return {p.seconds, p.standard_error, text};
    if (!is_of_use(*model))
        return {.from = fmt::format("{}: the times scatter too much", found.text)};
    auto const& line = model->pieces.front().line;
    return {line.at(p.bytes), line.error_at(p.bytes), text};
}

LogGpValue slope(Found const& stream, Found const& round_trip) {
    for (auto const* const found : {&stream, &round_trip})
        if (auto const model = fit_cost(found->points);
            model && is_of_use(*model) && model->pieces.back().beta_interval.first > 0) {
            auto const& piece = model->pieces.back();
            return {piece.line.beta, piece.line.beta_error,
                    fmt::format("beta of {} from {} to {}", found->text, size_text(piece.low), size_text(piece.high))};
        }
    return {.from = "missing: three sizes or more of mpbench bandwidth, mpiperf Pingpong or PMB PingPong, large enough "
                    "to show a time per byte"};
}

LogGpValue travel(LogGpValue const& half, LogGpValue const& overhead) {
    if (!half.value || !overhead.value)
        return {.from = !half.value ? half.from : fmt::format("o is needed; {}", overhead.from)};
    double const value = *half.value - 2 * *overhead.value;
    double const error = std::hypot(half.error, 2 * overhead.error);
    if (!(value > 2 * error))
        return {.from = fmt::format("{} is {}, not significantly more than 2 o: L cannot be determined", half.from,
                                    text(seconds{*half.value}))};
    return {value, error,
            fmt::format("A - 2 o; A = {} = {}; assumes that the receiver spends o too", half.from,
                        text(seconds{*half.value}))};
}

/// Groups series by label, in order of first appearance.
std::vector<std::pair<std::string, std::vector<Series const*>>> by_label(std::span<Series const> series) {
    std::vector<std::pair<std::string, std::vector<Series const*>>> groups;
    for (auto const& one : series) {
        auto const found =
            std::find_if(groups.begin(), groups.end(), [&](auto const& g) { return g.first == one.label; });
        if (found == groups.end())
            groups.push_back({one.label, {&one}});
        else
            found->second.push_back(&one);
    }
    return groups;
}

}  // namespace

std::vector<LogGp> loggp(std::span<Series const> series) {
    std::vector<LogGp> result;
    for (auto const& [label, group] : by_label(series)) {
        auto const round_trip = find_first(group, half_round_trips);
        auto const send = find_first(group, sends);
        auto const stream = find_first(group, streams);
        if (round_trip.points.empty() && send.points.empty() && stream.points.empty())
            continue;
        LogGp one{.label = label};
        one.overhead = smallest(send, "the time of a Send alone: mpiperf Send, or mpbench latency");
        one.latency = travel(smallest(round_trip, "a round trip: mpiperf Pingpong, PMB PingPong or mpbench roundtrip"),
                             one.overhead);
        one.gap = smallest(stream, "a stream of short messages: mpbench bandwidth");
        if (one.gap.value)
            one.gap.from += ", or o if that is larger";
        one.gap_per_byte = slope(stream, round_trip);
        result.push_back(std::move(one));
    }
    return result;
}

}  // namespace measure
