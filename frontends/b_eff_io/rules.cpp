// SPDX-License-Identifier: BSD-3-Clause
#include "b_eff_io/rules.hpp"

#include "bodies/memory.hpp"

#include <measure/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <map>

namespace b_eff_io {

using measure::Bytes;
using measure::UsageError;

namespace {

Bytes round_up(Bytes bytes) noexcept { return (bytes + megabyte - 1) / megabyte * megabyte; }

/// 2^round(share log2 n), where halves are rounded up.
int power_near(double share, int n) { return 1 << static_cast<int>(std::floor(share * std::log2(n) + 0.5)); }

measure::Value names(Setting const& setting) {
    measure::Value::Array array;
    for (Type const type : with_random)
        if (setting.measures(Access::write, type))
            array.emplace_back(name(type));
    return array;
}

template <class T>
measure::Value array(std::vector<T> const& values) {
    measure::Value::Array result;
    for (auto const& value : values)
        result.emplace_back(value);
    return result;
}

/// Converts the memory that the machine reports to whole MBytes.
std::int64_t found(char const* option, Bytes bytes, std::int64_t most) {
    auto const whole = bytes / megabyte;
    if (whole < 1 || whole > most)
        throw UsageError(fmt::format("{}: auto finds {} MBytes, but 1 to {} are needed", option, whole, most));
    return whole;
}

void resolve_memory(Setting& s, Options const& o, Machine const& machine) {
    bool const asks = o.memory_per_process == from_machine;
    bool const asks_total = o.memory_total ? o.memory_total == from_machine : asks;
    s.memory_per_process = asks ? found("-MB", machine.per_process, most_memory) : o.memory_per_process.value_or(1);
    s.memory_source = asks ? bodies::memory_per_process_source : "given by -MB";
    s.memory_total = asks_total ? found("-MT", machine.total, std::numeric_limits<std::int64_t>::max() / megabyte)
                                : o.memory_total.value_or(1);
    s.total_source = asks_total ? "auto: memory of all nodes" : "given by -MT";
}

void check_partitions(std::vector<int> const& partitions, int processes) {
    for (int const n : partitions)
        if (n > processes)
            throw UsageError(
                fmt::format("-N: a partition of {} processes is larger than the world of {}", n, processes));
}

}  // namespace

bool Setting::measures(Access access, Type type) const noexcept {
    if (type == Type::random)
        return random;
    bool const chosen = std::find(types.begin(), types.end(), type) != types.end();
    return chosen && (access != Access::rewrite || rewrite_all || type == Type::scatter);
}

bool Setting::long_enough() const noexcept {
    constexpr std::int64_t one_partition = 900;
    constexpr std::int64_t release_2 = 1800;
    return partition_time() >= one_partition || (default_partitions && time >= release_2);
}

Setting setting(Options const& o, int processes, Machine const& machine) {
    constexpr std::int64_t usual_time = 1800;
    constexpr std::int64_t quick_time = 60;
    Setting s{o};
    resolve_memory(s, o, machine);
    auto const rule = largest_chunk(s.memory_per_process);
    s.m_part = o.quick ? largest_chunk(1) : rule;
    s.part_modified = s.m_part != rule;
    s.time = o.time.value_or(o.quick ? quick_time : usual_time);
    s.default_partitions = o.partitions.empty();
    s.partitions = o.partitions.empty() ? default_partitions(processes) : o.partitions;
    check_partitions(s.partitions, processes);
    if (s.partition_time() < 1)
        throw UsageError(
            fmt::format("-T: {} s is less than 1 s for each of the {} partitions", s.time, s.partitions.size()));
    s.rewrite_all = o.rewrite;
    s.shared_pointer = !o.no_shared;
    s.unique_open = o.unique;
    s.max_bytes = o.max_bytes.value_or(0);
    s.cache = o.cache.value_or(machine.total);
    s.cache_known = o.cache.has_value();
    return s;
}

std::vector<int> default_partitions(int processes) {
    if (processes == 1)
        return {1};
    if (processes == 2)
        return {1, 2};
    int const small = processes == 3 ? 1 : power_near(0.35, processes);
    int const medium = processes == 4 ? 3 : power_near(0.7, processes);
    return {small, medium, processes};
}

double scheduled(Setting const& setting, int units) noexcept {
    int const sum = setting.rewrite_all ? 3 * all_units : 2 * all_units + units_of(Type::scatter);
    return static_cast<double>(setting.partition_time()) * units / sum;
}

Segment segment(std::array<Repetitions, 3> const& counts, Bytes m_part) {
    auto const scatter = patterns_of(Type::scatter);
    auto const segmented = patterns_of(Type::segmented);
    Segment s;
    Bytes sum = 0;
    for (std::size_t k = 0; k < s.repetitions.size(); ++k) {
        std::size_t const k0 = k < 2 ? k : k + 1;
        Bytes const chunks = resolve(scatter[k0].length, m_part, 0) / resolve(scatter[k0].chunk, m_part, 0);
        s.repetitions[k] = k == 0 ? 1 : std::min({counts[0][k0] * chunks, 10 * counts[1][k], counts[2][k]});
        sum += s.repetitions[k] * resolve(segmented[k].chunk, m_part, 0);
    }
    s.size = round_up(sum);
    s.fill = s.size - sum;
    return s;
}

RandomOrder::RandomOrder(std::int64_t slots, int pattern) noexcept
    : slots_{static_cast<std::uint64_t>(slots)}, offset_{static_cast<std::uint64_t>(pattern)},
      mask_{std::bit_ceil(slots_) - 1}, half_{std::max(1, static_cast<int>(std::bit_width(mask_)) / 2)} {}

std::int64_t RandomOrder::operator()(std::int64_t i) const noexcept {
    // Each step permutes the numbers below a power of two: a product with an odd number, and an exclusive or with the
    // upper half. A number without a slot is permuted again until it has one.
    constexpr std::array<std::uint64_t, 3> factors{0x9e3779b97f4a7c15, 0xbf58476d1ce4e5b9, 0x94d049bb133111eb};
    auto x = static_cast<std::uint64_t>(i);
    do {
        for (auto const factor : factors) {
            x = (x * factor + offset_) & mask_;
            x ^= x >> half_;
        }
    } while (x >= slots_);
    return static_cast<std::int64_t>(x);
}

RandomPart random_part(Repetitions const& separated, std::size_t k, int processes, Bytes m_part) noexcept {
    RandomPart part;
    Bytes end = 0;
    for (std::size_t i = 0; i <= k; ++i) {
        Bytes const chunk = resolve(patterns_of(Type::random)[i].chunk, m_part, 0);
        part = {(end + chunk - 1) / chunk * chunk, separated[i] * processes};
        end = part.begin + part.slots * chunk;
    }
    return part;
}

Bytes least_bytes(Bytes m_part, bool random) noexcept {
    Bytes all = 0;
    for (Type const type : with_random) {
        Bytes sum = 0;
        for (Pattern const& p : patterns_of(type))
            sum += resolve(p.length, m_part, 0);
        if (type == Type::random)
            all += random ? 2 * sum : 0;
        else
            all += is_segmented(type) ? round_up(sum) + megabyte : sum;
    }
    return all;
}

Bytes least_bytes(Setting const& setting) noexcept {
    Bytes processes = 0;
    for (int const n : setting.partitions)
        processes += n;
    return processes * least_bytes(setting.m_part, setting.random);
}

void check_limit(Setting const& setting) {
    if (auto const least = least_bytes(setting); setting.max_bytes < least)
        throw measure::UsageError(fmt::format("--max-bytes: {} bytes are less than the {} that are needed ({} for each "
                                              "process of each partition)",
                                              setting.max_bytes, least, least_bytes(setting.m_part, setting.random)));
}

void check_room(Setting const& setting, Bytes free) {
    auto const least = least_bytes(setting);
    if (free < least)
        throw measure::UsageError(
            fmt::format("-p: '{}' has {} bytes free, but {} are needed ({} for each process of each partition)",
                        setting.directory, free, least, least_bytes(setting.m_part, setting.random)));
    if (setting.max_bytes < least)
        throw measure::UsageError(fmt::format("--max-bytes: {} bytes are less than the {} that are needed ({} for each "
                                              "process of each partition); '{}' has {} bytes free",
                                              setting.max_bytes, least, least_bytes(setting.m_part, setting.random),
                                              setting.directory, free));
}

DiskShare::DiskShare(Setting const& setting, int partition_size) noexcept : size_{static_cast<double>(partition_size)} {
    double processes = 0;
    for (int const n : setting.partitions)
        processes += n;
    auto const beyond = static_cast<double>(setting.max_bytes - least_bytes(setting));
    int const units = all_units + (setting.random ? units_of(Type::random) : 0);
    unit_ = std::max(0.0, beyond) * size_ / processes / units;
}

std::int64_t DiskShare::most_calls(int units, Bytes length) noexcept {
    double const call = size_ * static_cast<double>(length);
    left_ += call + unit_ * units;
    constexpr double most = 1e15;
    return static_cast<std::int64_t>(std::clamp(std::floor(left_ / call), 1.0, most));
}

Neighbor neighbor(std::span<int const> nodes) {
    auto const n = nodes.size();
    std::map<int, std::size_t> sizes;
    std::size_t largest = 0;
    for (int const node : nodes)
        largest = std::max(largest, ++sizes[node]);
    // Processes of the largest node can read from at most as many processes as the other nodes have, and vice versa.
    auto const most = std::min(n, 2 * (n - largest));
    Neighbor best;
    for (std::size_t shift = 1; shift < n; ++shift) {
        std::size_t elsewhere = 0;
        for (std::size_t r = 0; r < n; ++r)
            elsewhere += nodes[r] != nodes[(r + shift) % n] ? 1U : 0U;
        if (best.shift == 0 || elsewhere > static_cast<std::size_t>(best.elsewhere))
            best = {static_cast<int>(shift), static_cast<int>(elsewhere)};
        if (elsewhere == most)
            break;
    }
    return best;
}

measure::Value describe(Setting const& s, Options const& o) {
    return measure::Value::Object{
        {"memory_per_process", s.memory_per_process * megabyte},
        {"memory_source", s.memory_source},
        {"memory_total", s.memory_total * megabyte},
        {"memory_total_source", s.total_source},
        {"m_part", s.m_part},
        {"scheduled_time", s.time},
        {"partitions", array(s.partitions)},
        {"rewrite", s.rewrite_all ? "all" : "scatter"},
        {"shared_pointer", s.shared_pointer},
        {"types", names(s)},
        {"termination", s.termination == measure::Termination::classic ? "classic" : "geometric"},
        {"unique_open", s.unique_open},
        {"max_bytes", s.max_bytes},
        {"cache", s.cache},
        {"notes", array(o.notes)},
        {"quick", o.quick},
        {"read_neighbor", s.read_neighbor},
        {"direct", s.direct},
        {"keep", s.keep},
        {"directory", s.directory},
        {"prefix", o.prefix},
        {"info", o.info.empty() ? measure::Value{} : measure::Value{o.info}},
    };
}

}  // namespace b_eff_io
