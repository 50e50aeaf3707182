// SPDX-License-Identifier: BSD-3-Clause
/// Result: the measured values, and the values of types, access methods, partitions and the system that follow from
/// them. Pure. Rates are in bytes/s.
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

/// The result of a pattern. Times are in seconds, measured on the partition's root.
struct PatternResult {
    bool measured = false;  ///< whether it was begun
    measure::Bytes chunk = 0;
    measure::Bytes length = 0;
    std::int64_t repetitions = 0;
    double transferred = 0;  ///< total bytes of all processes
    double time = 0;
    double scheduled = 0;
    double io = 0;
    double barrier = 0;
    double broadcast = 0;
    double sync = 0;
    double last_call = 0;
    double last_agreement = 0;
    std::int64_t decisions = 0;
    std::int64_t errors = 0;             ///< number of wrong elements on all processes
    measure::SettlingReport settling{};  ///< kernel counts of the timed region
    bool time_limited = false;
    bool disk_limited = false;
    bool io_error = false;
    bool is_backward = false;  ///< the root's clock went back: all times are invalid and set to 0

    /// Missing if no data was moved, if there were errors, or without a valid time.
    [[nodiscard]] std::optional<double> bandwidth() const noexcept;
    /// Whether its bandwidth was measured with new memory: page faults in more than one of a hundred calls.
    [[nodiscard]] bool unsettled() const noexcept;
    /// Share of its time spent in barriers and broadcasts.
    [[nodiscard]] double agreement() const noexcept { return time > 0 ? (barrier + broadcast) / time : 0; }
    /// Whether barriers and broadcasts dominate its bandwidth: they take more than a tenth of its time.
    [[nodiscard]] bool agreement_bound() const noexcept;
};

/// The times of a type besides its patterns, in seconds.
struct TypeTimes {
    double open = 0;
    double close = 0;
    int shift = 0;             ///< distance in ranks to the process whose data is accessed; 0: own data
    bool is_backward = false;  ///< the root's clock went back while the file was opened or closed
};

struct AccessResult {
    std::array<PatternResult, pattern_count> patterns{};
    std::array<std::optional<TypeTimes>, with_random.size()> types{};  ///< missing: not completely measured
    /// The pattern of a type in a row of the summary. \param position  1 to 7, see Pattern
    [[nodiscard]] PatternResult const& at(Type type, int position) const;
};

struct PartitionResult {
    int processes = 1;
    std::array<AccessResult, all_accesses.size()> accesses{};
    std::array<measure::Bytes, with_random.size()> segment{};  ///< Lseg of types 3 and 4
    Neighbor neighbor{};                                       ///< with --read-neighbor
    std::string stopped{};         ///< reason why the partition was stopped and has no value; empty: not stopped
    std::string random_stopped{};  ///< reason why random access was stopped, which does not affect the value

    [[nodiscard]] AccessResult& at(Access a) noexcept { return accesses[index(a)]; }
    [[nodiscard]] AccessResult const& at(Access a) const noexcept { return accesses[index(a)]; }
};

/// Contiguous bytes at a position of the summary in the initial write; 0 if nothing was written.
[[nodiscard]] measure::Bytes chunk_at(PartitionResult const& partition, int position);

/// Transferred bytes and time, from open to close.
struct Volume {
    double transferred = 0;
    double time = 0;                   ///< seconds; 0 if the clock went back
    bool is_backward = false;          ///< the root's clock went back in some part
    std::optional<double> weighted{};  ///< mean of the patterns' values weighted by U; missing without any value
    [[nodiscard]] double rate() const noexcept { return time > 0 ? transferred / time : 0; }
    /// The rate; missing if the clock went back.
    [[nodiscard]] std::optional<double> known_rate() const noexcept {
        return is_backward ? std::nullopt : std::optional{rate()};
    }
};

/// Missing if the type was not completely measured.
[[nodiscard]] std::optional<Volume> type_volume(AccessResult const& access, Type type);
/// The sum over all types that were measured and are part of the value.
[[nodiscard]] Volume access_volume(AccessResult const& access);

/// (2 scatter + shared + separated + segmented + seg_coll) / 6. If only scatter is rewritten, its value. Missing if one
/// of these types is missing.
[[nodiscard]] std::optional<double> access_value(PartitionResult const& partition, Access access, bool rewrite_all);

/// 0.25 write + 0.25 rewrite + 0.5 read: the paper's value.
[[nodiscard]] std::optional<double> partition_value(PartitionResult const& partition, bool rewrite_all);

/// sqrt(WR read), WR = (write0 + rewrite0 + write1 + write2 + write3 + write4) / 6: the value of release 2.1.
[[nodiscard]] std::optional<double> release_2_1(PartitionResult const& partition, bool rewrite_all);

/// The conditions for comparing a partition; a missing value means unknown.
struct Criteria {
    std::optional<bool> time{};
    std::optional<bool> shared_pointer{};
    std::optional<bool> errors{};
    std::optional<bool> cache{};  ///< whether each access method moved 20 times the cache
    std::optional<bool> unmodified{};
    [[nodiscard]] bool valid() const noexcept;
};
[[nodiscard]] Criteria criteria(PartitionResult const& partition, Setting const& setting);

/// The influence of agreement on a partition's value.
struct Noise {
    double agreement = 0;                 ///< share of the time of all patterns in barriers and broadcasts
    int bound = 0;                        ///< number of patterns dominated by agreement
    int patterns = 0;                     ///< number of patterns with a bandwidth
    std::optional<double> undisturbed{};  ///< value without agreement in the dominated patterns, bytes/s
    std::string reason{};                 ///< reason to repeat the run; empty: the result can be trusted
};
[[nodiscard]] Noise noise(PartitionResult const& partition, bool rewrite_all);

/// The reasons, known in advance, why no partition of a run can be valid: "-T: 60 s ..., -noshared"; empty: it can be
/// valid.
[[nodiscard]] std::string never_valid(Setting const& setting);

[[nodiscard]] bool disk_limited(PartitionResult const& partition) noexcept;
[[nodiscard]] std::int64_t errors(PartitionResult const& partition) noexcept;

/// The marks of every result: "QUICK", "DISK-LIMITED", "ERRORS", "UNIQUE-OPEN", "READ-NEIGHBOR", "DIRECT".
[[nodiscard]] std::vector<std::string> marks(PartitionResult const& partition, Setting const& setting);

/// The partition with the largest value, among the valid ones if there are any. Missing if no partition has a value.
[[nodiscard]] std::optional<std::size_t> best(std::span<PartitionResult const> partitions, Setting const& setting);

/// The coffee-cup rule: the bandwidth in bytes/s that moves all memory within ten minutes.
[[nodiscard]] double coffee_cup_target(Setting const& setting) noexcept;

}  // namespace b_eff_io
