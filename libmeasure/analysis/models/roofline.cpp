// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/models/roofline.hpp"

#include "analysis/models/models.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace measure {

namespace {

std::vector<BandwidthPoint> memory_of(std::span<Series const> series) {
    std::map<double, BandwidthPoint> best;
    for (auto const& one : series)
        for (auto const& record : one.points) {
            auto const bytes = number(record, "bytes");
            // Copies share the memory, so the bandwidth of one copy is not a roof.
            bool const alone = !record.at.has("copy");
            if (one.run().suite != "cachebench" || record.quantity != Quantity::bandwidth || !record.value || !bytes ||
                !(*bytes > 0) || !(*record.value > 0) || !std::isfinite(*record.value) || !alone)
                continue;
            auto& point = best[*bytes];
            if (*record.value > point.bandwidth)
                point = {*bytes, *record.value, record.benchmark};
        }
    std::vector<BandwidthPoint> result;
    for (auto const& entry : best)
        result.push_back(entry.second);
    return result;
}

struct Rates {
    std::vector<RoofCurve> curves{};
    std::set<std::string> unknown{};
    std::set<std::string> shaped{};  ///< routines with non-square or transposed problems
};

Rates rates_of(std::span<Series const> series) {
    Rates rates;
    std::set<std::string> labels;
    for (auto const& one : series)
        if (one.run().suite == "blasbench")
            labels.insert(one.label);
    std::map<std::tuple<std::string, std::string, double, std::string>, std::size_t> places;
    for (auto const& one : series)
        for (auto const& record : one.points) {
            auto const n = number(record, "n");
            auto const bytes = number(record, "bytes");
            if (one.run().suite != "blasbench" || !record.value || !(*record.value > 0) || !n || !(*n >= 1) || !bytes ||
                !std::isfinite(*record.value) || !(*bytes > 0))
                continue;
            // The work is known for square n only; transposed matrices have other rates.
            if (record.at.has("m") || record.at.has("trans")) {
                rates.shaped.insert(record.benchmark);
                continue;
            }
            auto const work = work_of(record.benchmark, *n);
            if (!work) {
                rates.unknown.insert(record.benchmark);
                continue;
            }
            auto const library = coordinate_at(record, "blas");
            auto const threads = number(record, "threads").value_or(1);
            auto const series_label = labels.size() > 1 ? one.label : "";
            auto const [place, is_new] =
                places.try_emplace({record.benchmark, library, threads, series_label}, rates.curves.size());
            if (is_new) {
                auto label = fmt::format("{} {}", record.benchmark, library);
                if (threads != 1)
                    label += fmt::format(", {} threads", threads);
                if (!series_label.empty())
                    label += fmt::format(", {}", series_label);
                rates.curves.push_back({record.benchmark, library, threads, label, {}});
            }
            rates.curves[place->second].points.push_back({.bytes = *bytes,
                                                          .n = *n,
                                                          .rate = *record.value,
                                                          .intensity = work->intensity(),
                                                          .counted = *record.value / work->flops * work->references});
        }
    for (auto& curve : rates.curves)
        std::stable_sort(curve.points.begin(), curve.points.end(),
                         [](RoofPoint const& a, RoofPoint const& b) { return a.bytes < b.bytes; });
    return rates;
}

void put_below_roof(RoofPoint& point, std::span<BandwidthPoint const> memory, double peak) {
    std::tie(point.bandwidth, point.beyond) = bandwidth_at(memory, point.bytes);
    double const by_memory = point.bandwidth * point.intensity;
    point.below_memory = by_memory < peak;
    point.share = point.rate / std::min(by_memory, peak);
}

/// The peak for the precision and number of threads of a curve.
Peak& peak_for(std::vector<Peak>& peaks, RoofCurve const& curve) {
    auto const precision = curve.routine.front();
    auto const found = std::find_if(peaks.begin(), peaks.end(), [&](Peak const& p) {
        return p.precision == precision && p.threads == curve.threads;
    });
    if (found != peaks.end())
        return *found;
    peaks.push_back({.precision = precision, .threads = curve.threads});
    return peaks.back();
}

void add_peaks(Roofline& roof) {
    for (auto const& curve : roof.curves) {
        auto& peak = peak_for(roof.peaks, curve);
        for (auto const& point : curve.points)
            if (point.rate > peak.rate) {
                peak.rate = point.rate;
                peak.of = fmt::format("{}, n = {}", curve.label, point.n);
            }
    }
}

/// Hosts on which the suite ran.
std::set<std::string> hosts_of(std::span<Series const> series, std::string_view suite) {
    std::set<std::string> names;
    for (auto const& one : series)
        if (one.run().suite == suite && !one.run().hosts.empty())
            names.insert(one.run().hosts.front().name);
    return names;
}

/// Adds notes about why the roofs may be too low or invalid.
void add_doubts(Roofline& roof, std::span<Series const> series) {
    auto hosts = hosts_of(series, "blasbench");
    hosts.merge(hosts_of(series, "cachebench"));
    if (hosts.size() > 1)
        roof.notes.push_back(fmt::format("measured on several hosts ({}): the roofs hold only if these are identical",
                                         fmt::join(hosts, ", ")));
    bool const has_product = std::any_of(roof.curves.begin(), roof.curves.end(),
                                         [](auto const& curve) { return curve.routine.ends_with("gemm"); });
    if (!has_product)
        roof.notes.emplace_back("no matrix product was measured: the processor may be faster than the roof shown");
    bool const has_threads =
        std::any_of(roof.curves.begin(), roof.curves.end(), [](auto const& curve) { return curve.threads != 1; });
    if (has_threads && !roof.memory.empty())
        roof.notes.emplace_back("no roof for several threads: cachebench measures one core");
}

}  // namespace

std::string_view bound_of(RoofPoint const& point) noexcept {
    constexpr double least = 0.5;
    constexpr double most = 1.1;
    if (!(point.bandwidth > 0))
        return "";
    if (point.share > most)
        return "above the roof";
    if (point.share < least)
        return "neither";
    return point.below_memory ? "memory" : "processor";
}

std::optional<Work> work_of(std::string_view routine, double n) {
    if (routine.size() < 2 || (routine[0] != 'd' && routine[0] != 's'))
        return std::nullopt;
    double const w = routine[0] == 'd' ? 8 : 4;
    auto const name = routine.substr(1);
    double const triangle = n * (n + 1) / 2;
    if (name == "axpy")
        return Work{2 * n, 3 * n * w, 3 * n * w};
    if (name == "gemv")
        return Work{2 * n * n + 2 * n, (n * n + 3 * n) * w, (2 * n * n + 2 * n) * w};
    if (name == "gemm")
        return Work{2 * n * n * n + 2 * n * n, 4 * n * n * w, (2 * n * n * n + 2 * n * n) * w};
    if (name == "trsv")
        return Work{n * n, (triangle + 2 * n) * w, (n * n + 2 * n) * w};
    if (name == "trsm")
        return Work{n * n * n + n * n, (triangle + 2 * n * n) * w, (n * n * n + 2 * n * n) * w};
    if (name == "syr2k")
        return Work{n * (n + 1) * (2 * n + 1), (2 * n * n + 2 * triangle) * w, n * (n + 1) * (2 * n + 1) * w};
    return std::nullopt;
}

std::pair<double, bool> bandwidth_at(std::span<BandwidthPoint const> memory, double bytes) {
    if (memory.empty())
        return {0, true};
    if (bytes <= memory.front().bytes)
        return {memory.front().bandwidth, bytes < memory.front().bytes};
    if (bytes >= memory.back().bytes)
        return {memory.back().bandwidth, bytes > memory.back().bytes};
    auto const above = std::find_if(memory.begin(), memory.end(), [&](auto const& p) { return p.bytes >= bytes; });
    auto const& b = *above;
    auto const& a = *std::prev(above);
    double const share = std::log(bytes / a.bytes) / std::log(b.bytes / a.bytes);
    return {std::exp((1 - share) * std::log(a.bandwidth) + share * std::log(b.bandwidth)), false};
}

std::optional<Roofline> roofline(std::span<Series const> series) {
    auto rates = rates_of(series);
    if (rates.curves.empty())
        return std::nullopt;
    Roofline roof{.memory = memory_of(series), .curves = std::move(rates.curves)};
    add_peaks(roof);
    for (auto const& name : rates.unknown)
        roof.notes.push_back(fmt::format("{}: unknown number of operations, left out", name));
    for (auto const& name : rates.shaped)
        roof.notes.push_back(fmt::format("{}: points with m and k, or transposed, are left out", name));
    add_doubts(roof, series);
    if (roof.memory.empty()) {
        roof.notes.emplace_back("no memory bandwidth: add a cachebench record from the same machine");
        return roof;
    }
    for (auto& curve : roof.curves)
        if (curve.threads == 1)
            for (auto& point : curve.points)
                put_below_roof(point, roof.memory, peak_for(roof.peaks, curve).rate);
    return roof;
}

}  // namespace measure
