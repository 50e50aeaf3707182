// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/core/text.hpp"
#include "analysis/runs/launch.hpp"
#include "analysis/runs/unknown.hpp"
#include "report/report.hpp"
#include "shared/summaries.hpp"

#include <measure/launches.hpp>
#include <measure/report.hpp>
#include <measure/units.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <utility>

namespace measure::tool {

namespace {

using measure::Record;

constexpr std::size_t most_tiles = 6;

template <class Get>
std::string distinct_texts(std::span<Series const> series, Get get) {
    std::set<std::string> texts;
    for (auto const& one : series)
        for (auto const* const launch : one.launches)
            texts.insert(get(launch->record.run));
    texts.erase("");
    return short_list(std::vector<std::string>(texts.begin(), texts.end()));
}

std::string machine_of(measure::Environment const& run) {
    if (auto named = named_machine(run); !named.empty())
        return named;
    if (run.hosts.empty())
        return "an unknown machine";
    auto const& name = run.hosts.front().name;
    return run.hosts.size() == 1 ? name : fmt::format("{} and {} more hosts", name, run.hosts.size() - 1);
}

/// The points of one benchmark in one series that have a value.
std::vector<Record const*> points_of(Series const& series, std::string_view benchmark) {
    std::vector<Record const*> points;
    for (auto const& record : series.points)
        if (record.benchmark == benchmark && record.value)
            points.push_back(&record);
    return points;
}

/// "Bcast, 4 KiB, ranks=4": the benchmark and the coordinates that vary in it.
std::string label_of(Record const& record, std::span<Record const* const> points) {
    auto const varies = [&](std::string_view name) {
        return std::any_of(points.begin(), points.end(), [&](Record const* other) {
            return coordinate_at(*other, name) != coordinate_at(record, name);
        });
    };
    bool const has_sizes = varies("bytes");
    auto label = record.benchmark;
    for (auto const& [name, value] : record.at.coordinates())
        if (varies(name) && !(has_sizes && name == "count"))
            label += ", " + coordinate_label(name, value);
    return label;
}

/// The same point in the other series: "new: 2.008 us", "3 others: 1.9 .. 2.4 us".
std::string others_text(Record const& record, Series const& own, std::span<Series const> series) {
    std::vector<double> values;
    std::string label;
    for (auto const& one : series)
        if (&one != &own)
            for (auto const& other : one.points)
                if (other.value && other.benchmark == record.benchmark && other.quantity == record.quantity &&
                    other.at.text() == record.at.text()) {
                    values.push_back(*other.value);
                    label = one.label;
                }
    if (values.empty())
        return {};
    auto const [least, most] = std::minmax_element(values.begin(), values.end());
    measure::UnitText const unit{record.quantity, *least};
    return values.size() == 1
               ? fmt::format("{}: {} {}", label, unit.text(*least), unit.unit())
               : fmt::format("{} others: {} .. {} {}", values.size(), unit.text(*least), unit.text(*most), unit.unit());
}

page::Tile tile_of(Record const& record, Series const& own, std::span<Series const> series,
                   std::span<Record const* const> points) {
    measure::UnitText const unit{record.quantity, *record.value};
    page::Tile tile{.label = label_of(record, points),
                    .number = fmt::format("{} {}", unit.text(*record.value), unit.unit()),
                    .word = others_text(record, own, series)};
    if (auto const estimate = measure::estimate_to_show(record); estimate && estimate->standard_error)
        tile.error = fmt::format("+- {}", unit.error_text(*estimate->standard_error));
    if (series.size() > 1)
        tile.error += (tile.error.empty() ? "" : ", ") + own.label;
    if (record.status == measure::PointStatus::exhausted) {
        tile.word = tile.word.empty() ? "exhausted" : "exhausted; " + tile.word;
        tile.tone = page::Tone::bad;
    }
    return tile;
}

/// The benchmarks, ordered by their first points with a value.
std::vector<std::string> benchmarks_of(std::span<Series const> series) {
    std::vector<std::string> names;
    for (auto const& one : series)
        for (auto const& record : one.points)
            if (record.value)
                detail::add_once(names, record.benchmark);
    return names;
}

/// Adds results of whole runs: the headline and the summaries that follow it, each from the first series that has it.
void add_summaries(page::Tiles& tiles, std::span<Series const> series) {
    constexpr std::size_t most = 4;
    for (auto const& row : summary_rows(series)) {
        auto const first =
            std::find_if(row.values.begin(), row.values.end(), [](auto const& v) { return v.has_value(); });
        if (first == row.values.end() || tiles.tiles.size() == most)
            continue;
        auto const i = static_cast<std::size_t>(first - row.values.begin());
        auto const text = [&](std::size_t k) {
            auto const [value, unit] = summary_text({.name = row.name, .value = row.values[k], .unit = row.unit});
            return fmt::format("{} {}", value, unit);
        };
        page::Tile tile{.label = row.name, .number = text(i)};
        std::vector<std::string> notes;
        if (auto const launches = series[i].launches.size(); launches > 1)
            notes.push_back(fmt::format("median of {} launches", launches));
        if (series.size() > 1)
            notes.push_back(series[i].label);
        tile.error = fmt::format("{}", fmt::join(notes, ", "));
        std::vector<std::string> words;
        if (row.invalid[i]) {
            words.emplace_back("not valid");
            tile.tone = page::Tone::bad;
        }
        for (std::size_t k = i + 1; k < series.size(); ++k)
            if (row.values[k])
                words.push_back(fmt::format("{}: {}", series[k].label, text(k)));
        constexpr std::size_t most_words = 4;
        if (words.size() > most_words) {
            words.resize(most_words);
            words.emplace_back("...");
        }
        tile.word = fmt::format("{}", fmt::join(words, "; "));
        tiles.tiles.push_back(std::move(tile));
    }
}

/// Adds the smallest size of each benchmark, and the largest size too if there is room.
void add_points(page::Tiles& tiles, std::span<Series const> series) {
    auto const names = benchmarks_of(series);
    bool const has_room = 2 * names.size() + tiles.tiles.size() <= most_tiles;
    for (auto const& name : names)
        for (auto const& one : series) {
            auto const points = points_of(one, name);
            if (points.empty())
                continue;
            auto const [least, most] =
                std::minmax_element(points.begin(), points.end(), [](Record const* a, Record const* b) {
                    return number(*a, "bytes") < number(*b, "bytes");
                });
            if (tiles.tiles.size() < most_tiles)
                tiles.tiles.push_back(tile_of(**least, one, series, points));
            if (has_room && number(**least, "bytes") != number(**most, "bytes"))
                tiles.tiles.push_back(tile_of(**most, one, series, points));
            break;
        }
}

void add_valid_samples(page::Tiles& tiles, std::span<Series const> series) {
    std::int64_t valid = 0;
    std::int64_t attempts = 0;
    for (auto const& one : series)
        for (auto const& record : one.points) {
            valid += record.valid;
            attempts += record.attempts;
        }
    if (attempts > 0 && tiles.tiles.size() < most_tiles)
        tiles.tiles.push_back(
            {.label = "valid samples",
             .number = fmt::format("{:.3g} %", 100 * static_cast<double>(valid) / static_cast<double>(attempts)),
             .word = fmt::format("{} of {}", valid, attempts)});
}

}  // namespace

std::string short_list(std::span<std::string const> texts) {
    constexpr std::size_t most = 3;
    auto const text = fmt::format("{}", fmt::join(texts.first(std::min(texts.size(), most)), ", "));
    return texts.size() > most ? fmt::format("{} and {} more", text, texts.size() - most) : text;
}

std::string lead_text(std::span<Series const> series) {
    std::size_t launches = 0;
    for (auto const& one : series)
        launches += one.launches.size();
    auto const text = [&](auto get) { return distinct_texts(series, get); };
    using Run = measure::Environment;
    auto result = text([](Run const& run) { return run.program; });
    auto const add = [&](std::string_view before, std::string const& what) {
        if (!what.empty())
            result.append(before).append(what);
    };
    add(" with ", text([](Run const& run) { return library_text(run); }));
    add(" on ", text(machine_of));
    add(", ranks ", text([](Run const& run) { return fmt::format("{}", run.ranks); }));
    add(", ", text([](Run const& run) { return run.started.empty() ? "date unknown" : run.started.substr(0, 10); }));
    return fmt::format("{}, {} launch{}.", result, launches, launches == 1 ? "" : "es");
}

page::Tiles main_numbers(std::span<Series const> series) {
    page::Tiles tiles;
    add_summaries(tiles, series);
    add_points(tiles, series);
    add_valid_samples(tiles, series);
    return tiles;
}

}  // namespace measure::tool
