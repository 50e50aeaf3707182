// SPDX-License-Identifier: BSD-3-Clause
/// Rules: the suite's methodology as pure functions: partitions, scheduled times, repetitions of the segmented types,
/// and how much of the disk a pattern may use.
#pragma once

#include "b_eff_io/catalogue.hpp"
#include "b_eff_io/options.hpp"

#include <measure/record.hpp>
#include <measure/units.hpp>

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace b_eff_io {

/// What a run does: the options, resolved.
struct Setting : Given {
    std::int64_t memory_per_process = 1;  ///< MBytes
    std::int64_t memory_total = 1;        ///< MBytes
    std::string memory_source{};          ///< where the number comes from
    std::string total_source{};           ///< likewise
    measure::Bytes m_part = 2 * megabyte;
    std::int64_t time = 1800;  ///< T: s, of all partitions together
    std::vector<int> partitions{1};
    bool default_partitions = true;
    bool rewrite_all = false;
    bool shared_pointer = true;
    bool unique_open = false;
    bool part_modified = false;  ///< m_part is not what the memory says
    measure::Bytes max_bytes = 0;
    measure::Bytes cache = 0;
    bool cache_known = false;  ///< false: an upper bound

    /// Tn: s for one partition.
    [[nodiscard]] std::int64_t partition_time() const noexcept {
        return time / static_cast<std::int64_t>(partitions.size());
    }
    /// Whether this access method is measured with this type; random access with each of them.
    [[nodiscard]] bool measures(Access access, Type type) const noexcept;
    /// Whether a process reads there what another one wrote. With the shared pointer the order of the ranks decides.
    [[nodiscard]] bool reads_neighbor(Access access, Type type) const noexcept {
        return read_neighbor && access == Access::read && !(type == Type::shared && shared_pointer);
    }
    /// The rule of release 2: 15 min for a partition, or the default partitions in 30 min together.
    [[nodiscard]] bool long_enough() const noexcept;
};

/// What the machine says of its memory, in bytes; 0: nothing.
struct Machine {
    measure::Bytes per_process = 0;  ///< see bodies::memory_per_process
    measure::Bytes total = 0;        ///< of all nodes
};

/// The setting of these options in a world of so many processes, but for the facts of the file system: max_bytes is 0
/// where no option gives it. \throws measure::UsageError
[[nodiscard]] Setting setting(Options const& options, int processes, Machine const& machine = {});

/// small = 2^round(0.35 log2 N), medium = 2^round(0.7 log2 N), N; small 1 of 3, medium 3 of 4.
[[nodiscard]] std::vector<int> default_partitions(int processes);

/// Tp: s; 0 where the pattern has no units. T_n U / 192, or 150 where only scatter is rewritten.
[[nodiscard]] double scheduled(Setting const& setting, int units) noexcept;

/// Repetitions of the patterns of one type in the initial write, in the order of `patterns_of`.
using Repetitions = std::vector<std::int64_t>;

/// The segment of one process in the files of types 3 and 4.
struct Segment {
    std::array<std::int64_t, 8> repetitions{};  ///< of their patterns but the fill-up
    measure::Bytes size = 0;                    ///< a multiple of 1 MB
    measure::Bytes fill = 0;                    ///< what the repetitions leave; below 1 MB
};

/// rep[0] = 1, rep[k] = min(rep0[k'] L/l, 10 rep1[k], rep2[k]), with k' = k for k = 1 and k + 1 beyond.
/// \param counts  of the types 0, 1, 2
[[nodiscard]] Segment segment(std::array<Repetitions, 3> const& counts, measure::Bytes m_part);

/// Where the calls of a pattern of random access go: a permutation of the slots of its part of the file, dealt to the
/// processes in turn, so that no two calls meet. It takes no memory, and is the same in each run.
class RandomOrder {
public:
    /// \param slots  >= 1 \param pattern  its number: each has another order
    RandomOrder(std::int64_t slots, int pattern) noexcept;
    /// \param i  0 to slots - 1: r n + p for call r of process p of n \return a slot, another one for each i
    [[nodiscard]] std::int64_t operator()(std::int64_t i) const noexcept;

private:
    std::uint64_t slots_, offset_, mask_;
    int half_;
};

/// The part of a pattern in the file of type random.
struct RandomPart {
    measure::Bytes begin = 0;  ///< a multiple of the chunk, so that all offsets are
    std::int64_t slots = 1;    ///< of a chunk each
};
/// \param separated  repetitions of the initial write of type separated: the slots of each process
/// \param k  the pattern's place in its type
[[nodiscard]] RandomPart random_part(Repetitions const& separated, std::size_t k, int processes,
                                     measure::Bytes m_part) noexcept;

/// Bytes that one process needs at least: one call of each pattern; the segments are rounded up and have 1 MB more,
/// the parts of type random begin at a multiple of their chunk.
[[nodiscard]] measure::Bytes least_bytes(measure::Bytes m_part, bool random = false) noexcept;
/// The same for all processes of all partitions.
[[nodiscard]] measure::Bytes least_bytes(Setting const& setting) noexcept;

/// Refuses a --max-bytes below that, before the file system is known. \throws measure::UsageError
void check_limit(Setting const& setting);

/// Refuses a file system with less room, and a limit derived from its free space that is below. \throws
/// measure::UsageError
void check_room(Setting const& setting, measure::Bytes free);

/// How many bytes the patterns of a type may write in the initial write. What one leaves unused passes to the next.
class DiskShare {
public:
    DiskShare(Setting const& setting, int partition_size) noexcept;

    /// Calls of one process that the pattern may make at most, >= 1. \param length  L, > 0
    [[nodiscard]] std::int64_t most_calls(int units, measure::Bytes length) noexcept;
    void used(measure::Bytes bytes) noexcept { left_ -= static_cast<double>(bytes); }

private:
    double unit_ = 0;  ///< bytes of one unit of time
    double size_ = 1;
    double left_ = 0;  ///< bytes granted and not used
};

/// Whose data the processes of a partition read with --read-neighbor: process r those of r + shift, modulo their
/// number.
struct Neighbor {
    int shift = 0;      ///< 0: their own
    int elsewhere = 0;  ///< processes of which the other one is on another node
};
/// The smallest shift, not 0, with most pairs on different nodes. \param nodes  of each process, any number for each
/// node
[[nodiscard]] Neighbor neighbor(std::span<int const> nodes);

/// The run record's options.
[[nodiscard]] measure::Value describe(Setting const& setting, Options const& options);

}  // namespace b_eff_io
