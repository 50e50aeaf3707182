// SPDX-License-Identifier: BSD-3-Clause
#include "pmb/rules.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace pmb {

using measure::Bytes;

namespace {

constexpr Bytes round_up(Bytes n, Bytes unit) noexcept { return (n + unit - 1) / unit * unit; }
double hidden_share(measure::seconds whole, measure::seconds hidden) noexcept {
    return whole.count() > 0 ? std::clamp(hidden / whole, 0.0, 1.0) : 0;
}
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
    if (part == Part::imb_mt) {
        p.window = 64;
        p.warm_up = 100;
    }
    if (part == Part::imb_p2p) {
        p.repetitions = 100'000;
        p.volume = 800 * measure::mebi;
    }
    if (part == Part::imb_io) {
        p.cpu = measure::seconds{0.01};
        p.write_sync = WriteSync::triple;
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

std::int64_t multiple_repetitions(Bytes length, int processes, Parameters const& p) noexcept {
    auto const largest = static_cast<double>(power_of_two(p.max_log));
    auto const all = processes * static_cast<double>(std::max<Bytes>(length, 4));
    auto const n = std::llround(static_cast<double>(p.repetitions) * largest / (all + largest));
    return std::max<std::int64_t>(processes, n - n % processes);
}

std::int64_t dynamic_repetitions(std::int64_t wanted, measure::seconds limit, measure::seconds each,
                                 std::span<RowCount const> earlier, std::int64_t most,
                                 std::optional<Bytes> listed) noexcept {
    // Times below this are too short to be meaningful.
    constexpr measure::seconds shortest{1e-8};
    double const fit = each > shortest ? std::floor(1 + limit / each) : static_cast<double>(wanted);
    auto n = static_cast<std::int64_t>(std::min(fit, static_cast<double>(wanted)));
    if (!listed)
        return std::min(n, earlier.empty() ? most : earlier.back().repetitions);
    for (auto const& row : earlier)
        n = row.length < *listed ? std::min(n, row.repetitions) : std::max(n, row.repetitions);
    return std::min(n, wanted);
}

std::int64_t probes(measure::seconds one, bool of_files) noexcept {
    auto const span = of_files ? measure::seconds{0.02} : measure::seconds{1};
    if (one < measure::seconds{1e-3})
        return of_files ? 50 : 1000;
    return one < span ? std::llround(span / one) : 1;
}

std::int64_t warm_up_of(std::int64_t repetitions) noexcept {
    constexpr std::int64_t fewest = 10;
    return std::max(repetitions / 10, std::min(fewest, repetitions));
}

std::int64_t rounded_repetitions(Bytes length, std::int64_t at_most, Bytes volume) noexcept {
    return length == 0 ? at_most : std::clamp<std::int64_t>((volume + length / 2) / length, 1, at_most);
}

std::int64_t short_warm_up_of(std::int64_t repetitions) noexcept {
    return repetitions > 1 ? std::max<std::int64_t>(1, repetitions / 10) : 0;
}

ColdBlocks cold_blocks(Bytes size, std::int64_t repetitions, Parameters const& p) noexcept {
    if (p.cache == 0)
        return {};
    // Keeps elements aligned for any line length.
    Bytes const step = round_up(round_up(size, p.cache_line) + p.cache_line, 8);
    return {step, std::min<Bytes>(repetitions, (2 * p.cache + step - 1) / step)};
}

Bytes cold_memory(Bytes size, Parameters const& p) noexcept {
    if (p.cache == 0)
        return size;
    // Twice the cache and the last block, but at most one block for each repetition.
    Bytes const step = cold_blocks(size, 1, p).step;
    return std::min(2 * p.cache + step, step * std::max(p.repetitions, p.non_aggregate));
}

std::vector<int> grid_order(int world, int rows, int columns) {
    std::vector<int> order(static_cast<std::size_t>(world));
    std::iota(order.begin(), order.end(), 0);
    if (rows == 1 || columns == 1)
        return order;
    auto const key = [&](int rank) {
        auto const turned = std::int64_t{columns} * rank % (std::int64_t{rows} * columns - 1);
        return turned == 0 ? rank : turned;
    };
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return key(a) < key(b); });
    return order;
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
    return hidden_share(std::min(pure, cpu), pure + cpu - overlapped);
}

double overlap_of_longer(measure::seconds pure, measure::seconds cpu, measure::seconds overlapped) noexcept {
    return hidden_share(std::max(pure, cpu), pure + cpu - overlapped);
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
