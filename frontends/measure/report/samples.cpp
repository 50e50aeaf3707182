// SPDX-License-Identifier: BSD-3-Clause
#include "report/report.hpp"

#include <measure/statistics.hpp>
#include <measure/units.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace measure::tool {

namespace {

using measure::InvalidReason;
using measure::Record;

/// The largest number of samples that a picture can show.
constexpr std::size_t most_drawn = 2000;

/// A point with samples, and its label.
struct Raw {
    std::string name;
    Record const* record;
};

std::vector<Raw> points_with_samples(std::span<Series const> series) {
    std::vector<Raw> all;
    for (auto const& one : series)
        for (auto const* const launch : one.launches)
            for (auto const& record : launch->record.points)
                if (!record.samples.empty()) {
                    auto const name = record.benchmark + " " + record.at.text();
                    auto const& run = one.launches.size() > 1 ? launch->name : one.label;
                    all.push_back({series.size() > 1 || one.launches.size() > 1 ? run + ": " + name : name, &record});
                }
    return all;
}

std::vector<double> valid_times(Record const& record) {
    std::vector<double> times;
    for (auto const& sample : record.samples)
        if (sample.invalid == InvalidReason::none && std::isfinite(sample.time))
            times.push_back(sample.time);
    std::sort(times.begin(), times.end());
    return times;
}

bool is_far_apart(std::vector<double> const& sorted) {
    return !sorted.empty() && sorted.front() > 0 && sorted.back() / sorted.front() > 10;
}

/// The numbers that both pictures show.
page::Table quantiles_table(std::vector<double> const& sorted) {
    page::Table table{.caption = "Valid samples: share below", .columns = {"share", "time"}};
    for (double const share : {0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99, 1.0})
        table.rows.push_back(
            {fmt::format("{:g} %", 100 * share), measure::text(measure::seconds{measure::quantile(sorted, share)})});
    return table;
}

page::Figure distribution(Raw const& raw, std::vector<double> const& sorted, std::size_t number) {
    page::Curve curve{.shape = page::Shape::steps};
    curve.points.push_back({sorted.front(), 0});
    for (std::size_t i = 0; i < sorted.size(); ++i)
        curve.points.push_back({sorted[i], static_cast<double>(i + 1) / static_cast<double>(sorted.size())});
    page::Plot plot{.stem = fmt::format("samples-{:02}-distribution", number),
                    .title = raw.name,
                    .x = {.label = "time of a sample", .log = is_far_apart(sorted), .unit = page::Unit::seconds},
                    .y = {.label = "share of samples up to this time"},
                    .curves = {std::move(curve)}};
    thin_out(plot, most_drawn);
    return {.plot = std::move(plot),
            .caption = fmt::format("Distribution of {} valid samples; median {}.", sorted.size(),
                                   measure::text(measure::seconds{measure::median(sorted)})),
            .data = quantiles_table(sorted)};
}

page::Figure course(Raw const& raw, std::size_t number) {
    auto const& samples = raw.record->samples;
    page::Plot plot{.stem = fmt::format("samples-{:02}-course", number),
                    .title = raw.name,
                    .x = {.label = "sample, in the order taken"},
                    .y = {.label = "time", .unit = page::Unit::seconds}};
    std::vector<double> times;
    for (InvalidReason const reason : {InvalidReason::none, InvalidReason::late, InvalidReason::slip,
                                       InvalidReason::overrun, InvalidReason::backward, InvalidReason::failed}) {
        page::Curve curve{.label = reason == InvalidReason::none ? "valid"
                                                                 : fmt::format("invalid: {}", measure::name(reason)),
                          .shape = page::Shape::points,
                          .style = static_cast<std::size_t>(reason)};
        for (std::size_t i = 0; i < samples.size(); ++i)
            if (samples[i].invalid == reason && std::isfinite(samples[i].time)) {
                curve.points.push_back({static_cast<double>(i + 1), samples[i].time});
                times.push_back(samples[i].time);
            }
        if (curve.points.empty())
            continue;
        plot.curves.push_back(std::move(curve));
    }
    auto const count =
        std::count_if(samples.begin(), samples.end(), [](auto const& s) { return s.invalid != InvalidReason::none; });
    std::sort(times.begin(), times.end());
    plot.y.log = is_far_apart(times);
    std::size_t const dropped = thin_out(plot, most_drawn);
    return {.plot = std::move(plot),
            .caption = fmt::format("{} samples in the order taken, {} of them invalid.", samples.size(), count),
            .notes = dropped > 0 ? fmt::format("{} of them are not drawn.", dropped) : std::string{}};
}

}  // namespace

page::Section samples_section(std::span<Series const> series, ReportSettings const& settings) {
    page::Section section{.title = "Samples"};
    auto const all = points_with_samples(series);
    if (all.empty())
        return section;
    std::size_t const drawn = std::min(all.size(), settings.most_samples);
    section.elements.emplace_back(page::Paragraph{fmt::format(
        "The samples of {}{}. Times are for one iteration, as measured. Invalid samples do not enter any result.",
        all.size() == 1 ? "the point that kept all samples"
                        : fmt::format("{} points that kept all samples", all.size()),
        drawn < all.size()
            ? fmt::format("; {} of them, chosen evenly, are drawn (use --filter to choose others)", drawn)
            : "")});
    for (std::size_t i = 0; i < drawn; ++i) {
        auto const& raw = all[drawn == 1 ? 0 : i * (all.size() - 1) / (drawn - 1)];
        section.elements.emplace_back(page::Heading{2, raw.name, page::Fold::open});
        if (auto const sorted = valid_times(*raw.record); !sorted.empty())
            section.elements.emplace_back(distribution(raw, sorted, i + 1));
        section.elements.emplace_back(course(raw, i + 1));
    }
    return section;
}

}  // namespace measure::tool
