// SPDX-License-Identifier: BSD-3-Clause
/// Result: what was measured, and the values that follow from it: of types, access methods, partitions, and the system.
/// Pure. Rates in bytes/s.
#pragma once

#include "b_eff_io/catalogue.hpp"
#include "b_eff_io/rules.hpp"

#include <measure/settle.hpp>
#include <measure/units.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace b_eff_io {

/// What became of a pattern. Times in seconds, of the partition's root.
struct PatternResult {
    bool measured = false;  ///< begun
    measure::Bytes chunk = 0;
    measure::Bytes length = 0;
    std::int64_t repetitions = 0;
    double transferred = 0;  ///< bytes of all processes
    double time = 0;
    double scheduled = 0;
    double io = 0;
    double barrier = 0;
    double broadcast = 0;
    double sync = 0;
    double last_call = 0;
    double last_agreement = 0;
    std::int64_t decisions = 0;
    std::int64_t errors = 0;             ///< elements that were not what was written, on all processes
    measure::SettlingReport settling{};  ///< of the calls and what is timed around them
    bool time_limited = false;
    bool disk_limited = false;
    bool io_error = false;
    bool is_backward = false;  ///< the root's clock went back: no time is one, all are 0

    /// Nothing where nothing was moved, where there were errors or where there is no time.
    [[nodiscard]] std::optional<double> bandwidth() const noexcept;
    /// Whether it has a bandwidth, and that is one of new memory: page faults in more than one of a hundred calls.
    [[nodiscard]] bool unsettled() const noexcept;
    /// Share of its time in barriers and broadcasts.
    [[nodiscard]] double agreement() const noexcept { return time > 0 ? (barrier + broadcast) / time : 0; }
    /// Whether it has a bandwidth, and that is one of barriers and broadcasts: more than a tenth of its time.
    [[nodiscard]] bool agreement_bound() const noexcept;
};

/// What belongs to a type beside its patterns. Seconds.
struct TypeTimes {
    double open = 0;
    double close = 0;
    int shift = 0;             ///< the process whose data a process accesses is so many ranks away; 0: its own
    bool is_backward = false;  ///< the root's clock went back while the file was opened or closed
};

struct AccessResult {
    std::array<PatternResult, pattern_count> patterns{};
    std::array<std::optional<TypeTimes>, with_random.size()> types{};  ///< nothing: not measured to its end
    /// The pattern of a type in a row of the summary. \param position  1 to 7, see Pattern
    [[nodiscard]] PatternResult const& at(Type type, int position) const;
};

struct PartitionResult {
    int processes = 1;
    std::array<AccessResult, all_accesses.size()> accesses{};
    std::array<measure::Bytes, with_random.size()> segment{};  ///< Lseg of types 3 and 4
    Neighbor neighbor{};                                       ///< with --read-neighbor
    std::string stopped{};         ///< why the partition has no value; empty: it was not stopped
    std::string random_stopped{};  ///< why random access, which is no part of it, has ended

    [[nodiscard]] AccessResult& at(Access a) noexcept { return accesses[index(a)]; }
    [[nodiscard]] AccessResult const& at(Access a) const noexcept { return accesses[index(a)]; }
};

/// Contiguous bytes of a position of the summary, as the initial write had them; 0 where nothing was written.
[[nodiscard]] measure::Bytes chunk_at(PartitionResult const& partition, int position);

/// Bytes over time, from open to close.
struct Volume {
    double transferred = 0;
    double time = 0;                   ///< 0 where the clock went back
    bool is_backward = false;          ///< the root's clock went back in a part of it
    std::optional<double> weighted{};  ///< mean of the patterns' values, weighted by U; nothing where none has a value
    [[nodiscard]] double rate() const noexcept { return time > 0 ? transferred / time : 0; }
    /// The same; nothing where the clock went back.
    [[nodiscard]] std::optional<double> known_rate() const noexcept {
        return is_backward ? std::nullopt : std::optional{rate()};
    }
};

/// Nothing where the type was not measured to its end.
[[nodiscard]] std::optional<Volume> type_volume(AccessResult const& access, Type type);
/// The sum over all types that were measured and are part of the value.
[[nodiscard]] Volume access_volume(AccessResult const& access);

/// (2 scatter + shared + separated + segmented + seg_coll) / 6; rewriting of scatter alone: its value. Nothing where
/// one of these types is missing.
[[nodiscard]] std::optional<double> access_value(PartitionResult const& partition, Access access, bool rewrite_all);

/// 0.25 write + 0.25 rewrite + 0.5 read: the paper's value.
[[nodiscard]] std::optional<double> partition_value(PartitionResult const& partition, bool rewrite_all);

/// sqrt(WR read), WR = (write0 + rewrite0 + write1 + write2 + write3 + write4) / 6: the value of release 2.1.
[[nodiscard]] std::optional<double> release_2_1(PartitionResult const& partition, bool rewrite_all);

/// What a partition must fulfil to be compared; nothing: it is not known.
struct Criteria {
    std::optional<bool> time{};
    std::optional<bool> shared_pointer{};
    std::optional<bool> errors{};
    std::optional<bool> cache{};  ///< each access method moved 20 times the cache
    std::optional<bool> unmodified{};
    [[nodiscard]] bool valid() const noexcept;
};
[[nodiscard]] Criteria criteria(PartitionResult const& partition, Setting const& setting);

/// What of a partition's value is not its file system's.
struct Noise {
    double agreement = 0;                 ///< share of all patterns' time in barriers and broadcasts
    int bound = 0;                        ///< patterns whose bandwidth is one of agreement
    int patterns = 0;                     ///< that have a bandwidth
    std::optional<double> undisturbed{};  ///< the partition's value without the agreement of these patterns, bytes/s
    std::string reason{};                 ///< why the run should be repeated; empty: it can be trusted
};
[[nodiscard]] Noise noise(PartitionResult const& partition, bool rewrite_all);

/// Why no partition of a run can be valid, as known before it: "-T: 60 s are ..., -noshared"; empty: it may be.
[[nodiscard]] std::string never_valid(Setting const& setting);

[[nodiscard]] bool disk_limited(PartitionResult const& partition) noexcept;
[[nodiscard]] std::int64_t errors(PartitionResult const& partition) noexcept;

/// What stands beside every result: "QUICK", "DISK-LIMITED", "ERRORS", "UNIQUE-OPEN", "READ-NEIGHBOR",
/// "DIRECT".
[[nodiscard]] std::vector<std::string> marks(PartitionResult const& partition, Setting const& setting);

/// The best partition: the largest value, of the valid ones where there are any. Nothing where none has a value.
[[nodiscard]] std::optional<std::size_t> best(std::span<PartitionResult const> partitions, Setting const& setting);

/// The rule of the coffee cup: all memory moved within ten minutes. bytes/s
[[nodiscard]] double coffee_cup_target(Setting const& setting) noexcept;

}  // namespace b_eff_io
