// SPDX-License-Identifier: BSD-3-Clause
/// Rules: the methodology of the suite as pure functions: partitions, scheduled times, repetitions of the segmented
/// types, and the disk space that a pattern may use.
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

/// The settings of a run: the resolved options.
struct Setting : Given {
    std::int64_t memory_per_process = 1;  ///< MBytes
    std::int64_t memory_total = 1;        ///< MBytes
    std::string memory_source{};          ///< the source of this number
    std::string total_source{};           ///< the source of this number
    measure::Bytes m_part = 2 * megabyte;
    std::int64_t time = 1800;  ///< T: seconds for all partitions together
    std::vector<int> partitions{1};
    bool default_partitions = true;
    bool rewrite_all = false;
    bool shared_pointer = true;
    bool unique_open = false;
    bool part_modified = false;  ///< m_part differs from the value that follows from the memory
    measure::Bytes max_bytes = 0;
    measure::Bytes cache = 0;
    bool cache_known = false;  ///< false: `cache` is an upper bound

    /// Tn: seconds for one partition.
    [[nodiscard]] std::int64_t partition_time() const noexcept {
        return time / static_cast<std::int64_t>(partitions.size());
    }
    /// Whether this access method is measured with this type. Random access, if requested, is measured with every
    /// method.
    [[nodiscard]] bool measures(Access access, Type type) const noexcept;
    /// Whether processes read data that other processes wrote. With the shared pointer, the order of the ranks decides.
    [[nodiscard]] bool reads_neighbor(Access access, Type type) const noexcept {
        return read_neighbor && access == Access::read && !(type == Type::shared && shared_pointer);
    }
    /// The rule of release 2: 15 min for each partition, or 30 min for the default partitions together.
    [[nodiscard]] bool long_enough() const noexcept;
};

/// The memory that the machine reports, in bytes; 0: unknown.
struct Machine {
    measure::Bytes per_process = 0;  ///< see bodies::memory_per_process
    measure::Bytes total = 0;        ///< total memory of all nodes
};

/// Resolves the options for a world of this size, except for facts about the file system: max_bytes is 0 if no option
/// gives it. \throws measure::UsageError
[[nodiscard]] Setting setting(Options const& options, int processes, Machine const& machine = {});

/// The default partitions: small = 2^round(0.35 log2 N), medium = 2^round(0.7 log2 N), and N. Exceptions: small is 1
/// for N = 3, medium is 3 for N = 4.
[[nodiscard]] std::vector<int> default_partitions(int processes);

/// Tp in seconds: T_n U / 192, or T_n U / 150 if only scatter is rewritten. 0 for a pattern without units.
[[nodiscard]] double scheduled(Setting const& setting, int units) noexcept;

/// Repetitions in the initial write of the patterns of one type, in the order of `patterns_of`.
using Repetitions = std::vector<std::int64_t>;

/// The segment of one process in the files of types 3 and 4.
struct Segment {
    std::array<std::int64_t, 8> repetitions{};  ///< repetitions of their patterns, except the fill-up
    measure::Bytes size = 0;                    ///< a multiple of 1 MB
    measure::Bytes fill = 0;                    ///< bytes left by the repetitions, below 1 MB
};

/// rep[0] = 1, rep[k] = min(rep0[k'] L/l, 10 rep1[k], rep2[k]), with k' = k for k = 1 and k + 1 beyond.
/// \param counts  of the types 0, 1, 2
[[nodiscard]] Segment segment(std::array<Repetitions, 3> const& counts, measure::Bytes m_part);

/// The order of random access in a pattern: a permutation of the slots in its part of the file, dealt to the processes
/// in turn, so that no two calls use the same slot. It needs no memory and is the same in each run.
class RandomOrder {
public:
    /// \param slots  >= 1 \param pattern  number of the pattern; each pattern has a different order
    RandomOrder(std::int64_t slots, int pattern) noexcept;
    /// \param i  0 to slots - 1: r n + p for call r of process p of n \returns a slot, different for each i
    [[nodiscard]] std::int64_t operator()(std::int64_t i) const noexcept;

private:
    std::uint64_t slots_, offset_, mask_;
    int half_;
};

/// The part of the file of type random that belongs to a pattern.
struct RandomPart {
    measure::Bytes begin = 0;  ///< a multiple of the chunk, so that all offsets are multiples too
    std::int64_t slots = 1;    ///< number of slots, each of the size of a chunk
};
/// \param separated  repetitions of type separated in the initial write: the slots of each process
/// \param k  index of the pattern within its type
[[nodiscard]] RandomPart random_part(Repetitions const& separated, std::size_t k, int processes,
                                     measure::Bytes m_part) noexcept;

/// Smallest number of bytes that one process needs: one call of each pattern. Segments are rounded up and have 1 MB
/// more. The parts of type random begin at a multiple of their chunk.
[[nodiscard]] measure::Bytes least_bytes(measure::Bytes m_part, bool random = false) noexcept;
/// The sum of these bytes over all processes of all partitions.
[[nodiscard]] measure::Bytes least_bytes(Setting const& setting) noexcept;

/// Refuses a --max-bytes below that sum, before the file system is known. \throws measure::UsageError
void check_limit(Setting const& setting);

/// Refuses a file system with less free space, and a limit derived from free space that is too low.
/// \throws measure::UsageError
void check_room(Setting const& setting, measure::Bytes free);

/// The number of bytes that the patterns of a type may write in the initial write. A pattern passes unused bytes to the
/// next one.
class DiskShare {
public:
    DiskShare(Setting const& setting, int partition_size) noexcept;

    /// Largest number of calls of one process for the pattern, >= 1. \param length  L, > 0
    [[nodiscard]] std::int64_t most_calls(int units, measure::Bytes length) noexcept;
    void used(measure::Bytes bytes) noexcept { left_ -= static_cast<double>(bytes); }

private:
    double unit_ = 0;  ///< bytes for one unit of time
    double size_ = 1;
    double left_ = 0;  ///< bytes that are granted but not used
};

/// The owners of the data that processes read with --read-neighbor: process r reads the data of process r + shift,
/// modulo the number of processes.
struct Neighbor {
    int shift = 0;      ///< 0: processes read their own data
    int elsewhere = 0;  ///< number of processes that read from another node
};
/// Returns the smallest shift > 0 with most pairs on different nodes. \param nodes  for each process, a number that
/// identifies its node
[[nodiscard]] Neighbor neighbor(std::span<int const> nodes);

/// The options in the run line of the record.
[[nodiscard]] measure::Value describe(Setting const& setting, Options const& options);

}  // namespace b_eff_io
