// SPDX-License-Identifier: BSD-3-Clause
#include "rules.hpp"

#include <algorithm>

namespace pmb {

using measure::Bytes;

namespace {

constexpr Bytes round_up(Bytes n, Bytes unit) noexcept { return (n + unit - 1) / unit * unit; }
constexpr Bytes power_of_two(int log) noexcept { return Bytes{1} << log; }

}  // namespace

Parameters standard(Part part) noexcept {
    Parameters p;
    if (part == Part::io) {
        p.max_log = 24;
        p.repetitions = 50;
        p.non_aggregate = 10;
        p.volume = 16 * measure::mebi;
        p.warm_up = 0;
    }
    return p;
}

std::vector<int> process_counts(int processes, int at_least) {
    std::vector<int> counts;
    for (std::int64_t q = std::min(processes, at_least); q < processes; q *= 2)
        counts.push_back(static_cast<int>(q));
    counts.push_back(processes);
    return counts;
}

std::vector<Bytes> lengths(Bytes unit, Parameters const& p) {
    std::vector<Bytes> result;
    if (p.zero)
        result.push_back(0);
    Bytes const largest = power_of_two(p.max_log) / unit * unit;
    for (Bytes x = std::min(round_up(power_of_two(p.min_log), unit), largest); x < largest; x *= 2)
        result.push_back(x);
    if (largest > 0)
        result.push_back(largest);
    return result;
}

std::vector<Bytes> rounded(std::span<Bytes const> given, Bytes unit) {
    std::vector<Bytes> result;
    for (Bytes const x : given)
        result.push_back(round_up(x, unit));
    return result;
}

std::int64_t repetitions(Bytes length, std::int64_t at_most, Bytes volume) noexcept {
    return length == 0 ? at_most : std::max<std::int64_t>(1, std::min(volume / length, at_most));
}

Portion portion(int rank, int processes, Bytes length, Bytes unit) noexcept {
    Bytes const units = (length + unit - 1) / unit;
    Bytes const share = units / processes;
    Bytes const longer = units % processes;
    auto const begin_of = [&](Bytes r) { return std::min(length, (r * share + std::min(r, longer)) * unit); };
    Bytes const begin = begin_of(rank);
    return {begin, begin_of(rank + 1) - begin};
}

double throughput(int messages, Bytes length, measure::seconds time) noexcept {
    return time.count() > 0 ? messages * static_cast<double>(length) / time.count() : 0;
}

double overlap(measure::seconds pure, measure::seconds cpu, measure::seconds overlapped) noexcept {
    double const shorter = std::min(pure, cpu).count();
    return shorter > 0 ? std::clamp((pure + cpu - overlapped).count() / shorter, 0.0, 1.0) : 0;
}

Bytes file_size(Parameters const& p) noexcept {
    Bytes const largest = power_of_two(p.max_log);
    return p.volume / largest > p.repetitions ? largest * p.repetitions : std::max(largest, p.volume);
}

Bytes private_file_size(Parameters const& p, int processes) noexcept {
    Bytes const share = (file_size(p) + processes - 1) / processes;
    return share + (power_of_two(p.max_log) % processes != 0 ? 4 * p.repetitions : 0);
}

}  // namespace pmb
