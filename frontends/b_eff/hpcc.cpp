// SPDX-License-Identifier: BSD-3-Clause
#include "b_eff/hpcc.hpp"

#include "b_eff/text.hpp"

#include <measure/statistics.hpp>

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>

namespace b_eff {

namespace {

constexpr double hpcc_bandwidth_length = 2000000;
constexpr double largest_distance = 0.05;

/// The length within 5 % of a length of HPCC, if there is one.
std::optional<std::size_t> nearest(Lengths const& lengths, double wanted) {
    for (std::size_t l = 0; l < length_count; ++l)
        if (std::abs(static_cast<double>(lengths[l]) / wanted - 1) <= largest_distance)
            return l;
    return std::nullopt;
}

/// Best bandwidth of all processes in bytes/s. Uses measured values only, no copied ones.
Number best_of(Results const& r, std::size_t pattern, std::size_t length) {
    Number most;
    for (std::size_t m = 0; m < r.methods.size(); ++m)
        for (std::size_t i = 0; r.methods[m] != Method::alltoallv && i < r.repetitions; ++i)
            if (Place const place{i, length, pattern, m}; r.at(place).state == Cell::State::measured)
                most = larger(most, r.value(place));
    return most;
}

/// Logarithmic mean over the patterns of a kind. Missing if a pattern has no value.
Number mean_of(Results const& r, std::size_t length, bool (*is_of_kind)(Pattern const&)) {
    std::vector<double> rates;
    for (std::size_t p = 0; p < r.patterns.size(); ++p)
        if (is_of_kind(r.patterns[p])) {
            auto const rate = best_of(r, p, length);
            if (!rate)
                return std::nullopt;
            rates.push_back(*rate);
        }
    return rates.empty() ? Number{} : Number{measure::log_mean(rates)};
}

struct Kind {
    char const* latency;
    char const* bandwidth;
    bool (*is_of_kind)(Pattern const&);
    int at_a_time;  ///< number of simultaneous messages
};

}  // namespace

Hpcc hpcc(Results const& r) {
    auto const is_natural = [](Pattern const& p) { return p.key == "ring-6"; };
    auto const is_random = [](Pattern const& p) { return p.family == Family::random; };
    auto const is_ping_pong = [](Pattern const& p) { return p.family == Family::ping_pong; };
    std::vector<Kind> kinds{
        {"NaturallyOrderedRingLatency_usec", "NaturallyOrderedRingBandwidth_GBytes", is_natural, r.ranks},
        {"RandomlyOrderedRingLatency_usec", "RandomlyOrderedRingBandwidth_GBytes", is_random, r.ranks}};
    Hpcc h;
    if (r.ranks == 2)
        kinds.push_back({"MaxPingPongLatency_usec", "MinPingPongBandwidth_GBytes", is_ping_pong, 1});
    else
        h.left_out.emplace_back("PingPong: HPCC uses many pairs, b_eff only ranks 0 and 1");
    auto const short_one = nearest(r.lengths, static_cast<double>(hpcc_latency_length));
    auto const long_one = nearest(r.lengths, hpcc_bandwidth_length);
    if (long_one)
        h.bandwidth_length = r.lengths[*long_one];
    else
        h.left_out.emplace_back("bandwidths: no length is within 5 % of 2000000 bytes (use --mem 256)");
    auto const leave_out = [&](char const* name) {
        h.left_out.push_back(fmt::format("{}: not measured with sendrecv or nonblocking", name));
    };
    for (Kind const& kind : kinds) {
        if (std::none_of(r.patterns.begin(), r.patterns.end(), kind.is_of_kind))
            continue;
        if (auto const rate = mean_of(r, short_one.value(), kind.is_of_kind))
            h.values.emplace_back(kind.latency, kind.at_a_time * hpcc_latency_length / *rate * 1e6);
        else
            leave_out(kind.latency);
        if (!long_one)
            continue;
        if (auto const rate = mean_of(r, *long_one, kind.is_of_kind))
            h.values.emplace_back(kind.bandwidth, *rate / kind.at_a_time / 1e9);
        else
            leave_out(kind.bandwidth);
    }
    return h;
}

std::string text(Hpcc const& h) {
    std::string text;
    put(text, "with HPCC names       : latency at {} bytes", hpcc_latency_length);
    if (h.bandwidth_length > 0)
        put(text, ", bandwidth at {} bytes", h.bandwidth_length);
    put(text, "{}{}\n", h.left_out.empty() ? "" : "; left out ", fmt::join(h.left_out, "; "));
    for (auto const& [name, value] : h.values)
        put(text, "{}={:g}\n", name, value);
    return text;
}

measure::Summary summary(Hpcc const& h) {
    measure::Summary summary{.name = "hpcc"};
    summary.derived["latency_bytes"] = hpcc_latency_length;
    summary.derived["bandwidth_bytes"] = h.bandwidth_length > 0 ? measure::Value{h.bandwidth_length} : measure::Value{};
    for (auto const& [name, value] : h.values)
        summary.derived[name] = value;
    summary.derived["left_out"] = measure::Value::Array(h.left_out.begin(), h.left_out.end());
    return summary;
}

}  // namespace b_eff
