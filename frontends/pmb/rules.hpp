// SPDX-License-Identifier: BSD-3-Clause
/// Rules: process counts, lengths, repetitions, portions and formulas of PMB 2.2, and of IMB 2021 where it differs.
/// Pure functions, no MPI.
#pragma once

#include <measure/units.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace pmb {

/// A program: first from PMB 2.2, then from the Intel MPI Benchmarks.
enum class Part { mpi1, ext, io, imb_mpi1, imb_ext, imb_io, imb_nbc, imb_rma, imb_p2p, imb_mt };
/// The programs of the Intel MPI Benchmarks.
inline constexpr std::array imb_parts{Part::imb_mpi1, Part::imb_ext, Part::imb_io, Part::imb_nbc,
                                      Part::imb_rma,  Part::imb_p2p, Part::imb_mt};
[[nodiscard]] constexpr bool is_imb(Part part) noexcept { return part >= Part::imb_mpi1; }
/// Whether an IMB program shares nothing with the others: options, lengths, repetitions, numbers of processes.
[[nodiscard]] constexpr bool is_apart(Part part) noexcept { return part >= Part::imb_p2p; }
[[nodiscard]] constexpr bool is_io(Part part) noexcept { return part == Part::io || part == Part::imb_io; }

/// How repetitions of a one-sided or file benchmark are completed: all together, or one by one.
enum class Mode { single, aggregate, non_aggregate };

/// How writes are completed: by one sync, or by a sync, a barrier and a sync.
enum class WriteSync { single, triple };

enum class ThreadLevel { single, funneled, serialized, multiple };
enum class TeamBarrier { on, off, special };
enum class Allocation { serial, continuous, parallel };

/// Parameters of IMB-MT; other programs also use the level.
struct Threads {
    ThreadLevel level = ThreadLevel::single;  ///< thread level of MPI's initialisation
    int threads = 1;                          ///< threads of each process
    int stride = 0;                           ///< distance of the ranks of a pair; 0: half of the processes
    TeamBarrier barrier = TeamBarrier::on;    ///< barrier of all threads; special: made of messages
    measure::Bytes alignment = 64;            ///< alignment of buffers
    Allocation allocation = Allocation::serial;
    measure::Bytes element = 4;  ///< bytes of an element: 4 for int, 1 for char
};

/// Type of an element of messages, or of a number in reductions.
enum class ElementType { byte, character, integer, real32, real64 };
[[nodiscard]] constexpr measure::Bytes size_of(ElementType type) noexcept {
    return type == ElementType::real64 ? 8 : type == ElementType::integer || type == ElementType::real32 ? 4 : 1;
}

/// Layout of elements in messages: contiguous by default, or as follows.
struct Packing {
    bool vector = false;   ///< the whole message is one MPI_Type_vector of blocks of one element
    bool resized = false;  ///< each element takes twice its size
    friend bool operator==(Packing const&, Packing const&) = default;
};

/// Parameters that are fixed in standard mode and can be changed in optional mode.
struct Parameters {
    int min_log = 0;                             ///< log2 of the smallest length after 0
    int max_log = 22;                            ///< log2 of the largest length
    std::int64_t repetitions = 1000;             ///< upper limit, >= 1
    std::int64_t non_aggregate = 100;            ///< upper limit if each repetition is completed separately
    measure::Bytes volume = 40 * measure::mebi;  ///< limit on all repetitions of one length, per process
    int warm_up = 2;                             ///< repetitions of the warm-up; 0: no warm-up
    int barriers = 2;                            ///< barriers before the first clock reading
    measure::seconds cpu{0.1};                   ///< duration of the CPU loop of non-blocking I/O
    bool zero = true;                            ///< begin with length 0
    bool sync = true;                            ///< individually timed calls are followed by a barrier
    bool dissemination = false;                  ///< barriers around these calls use messages, not MPI_Barrier
    WriteSync write_sync = WriteSync::single;    ///< completion of file writes
    int tests = 0;             ///< calls of MPI_Test during the computing of a non-blocking collective
    int window = 256;          ///< messages in flight, >= 1
    measure::Bytes cache = 0;  ///< > 0: repetitions cycle through twice this much memory
    measure::Bytes cache_line = 64;
    measure::seconds pause{0.1};                ///< before and after each row of IMB-P2P
    bool writes = true;                         ///< IMB-P2P writes to messages before they are sent
    bool reads = true;                          ///< IMB-P2P reads messages after they have arrived
    Threads threads{};                          ///< parameters of IMB-MT
    ElementType moved = ElementType::byte;      ///< type in transfers and in collectives that move data
    ElementType reduced = ElementType::real32;  ///< type in reductions
    Packing packing{};
};

/// The parameters of a part in standard mode.
[[nodiscard]] Parameters standard(Part part) noexcept;

/// q, 2 q, 4 q, .. < `processes`, and `processes`, where q = min(processes, at_least). \param at_least  >= 1
[[nodiscard]] std::vector<int> process_counts(int processes, int at_least);

/// 0, 2^min_log, 2^(min_log + 1), .., 2^max_log. Each is rounded up to the basic type, the largest one down.
/// \param unit  size of the basic type, bytes
[[nodiscard]] std::vector<measure::Bytes> lengths(measure::Bytes unit, Parameters const& p);

/// The given lengths in their order, each rounded up to a multiple of the unit.
[[nodiscard]] std::vector<measure::Bytes> rounded(std::span<measure::Bytes const> given, measure::Bytes unit);

/// max(1, min(volume / length, at_most)); at_most for length 0.
[[nodiscard]] std::int64_t repetitions(measure::Bytes length, std::int64_t at_most, measure::Bytes volume) noexcept;

/// IMB's multiple_np: about at_most 2^max_log / (processes length + 2^max_log), rounded down to a multiple of the
/// processes, at least one repetition per process. Lengths below 4 count as 4.
[[nodiscard]] std::int64_t multiple_repetitions(measure::Bytes length, int processes, Parameters const& p) noexcept;

/// A measured row.
struct RowCount {
    measure::Bytes length = 0;
    std::int64_t repetitions = 0;
};

/// IMB's dynamic policy: the number of the `wanted` repetitions that fit into the limit, floor(1 + limit / each), but
/// no more than in the previous row. For listed lengths in any order: no more than for shorter lengths, and then no
/// fewer than for longer ones.
/// \param earlier  measured rows of the table  \param most  limit for the first row
[[nodiscard]] std::int64_t dynamic_repetitions(std::int64_t wanted, measure::seconds limit, measure::seconds each,
                                               std::span<RowCount const> earlier, std::int64_t most,
                                               std::optional<measure::Bytes> listed) noexcept;

/// Repetitions that measure the time for `dynamic_repetitions`, given the time of a single one: 1000 if it is below 1
/// ms, otherwise the number that fits into 1 s, at least 1. For files: 50 and 20 ms.
[[nodiscard]] std::int64_t probes(measure::seconds one, bool of_files) noexcept;

/// IMB's warm-up of a row: a tenth of the repetitions, but at least 10, or all of them if there are fewer.
[[nodiscard]] std::int64_t warm_up_of(std::int64_t repetitions) noexcept;

/// IMB-P2P's repetitions: max(1, min(at_most, volume / length, rounded)); at_most for length 0.
[[nodiscard]] std::int64_t rounded_repetitions(measure::Bytes length, std::int64_t at_most,
                                               measure::Bytes volume) noexcept;
/// IMB-P2P's warm-up: a tenth of the repetitions, at least 1; no warm-up for a single repetition.
[[nodiscard]] std::int64_t short_warm_up_of(std::int64_t repetitions) noexcept;

/// Blocks of memory that repetitions use in turn, so that no repetition finds its data in a cache.
struct ColdBlocks {
    measure::Bytes step = 0;
    measure::Bytes count = 1;
};
/// The blocks for one length. \param size  bytes of a block \param repetitions  >= 1
[[nodiscard]] ColdBlocks cold_blocks(measure::Bytes size, std::int64_t repetitions, Parameters const& p) noexcept;

/// Memory for the repetitions of any length, in bytes. \param size  of the largest block
[[nodiscard]] measure::Bytes cold_memory(measure::Bytes size, Parameters const& p) noexcept;

/// World ranks in the order of a grid of rows x columns: sorted by (columns x rank) mod (rows x columns - 1), where a
/// result of 0 is replaced by the rank. A single row or column keeps rank order. \param world  number of processes
[[nodiscard]] std::vector<int> grid_order(int world, int rows, int columns);

/// The bytes [begin, begin + size) of a process in a transfer. An empty portion begins where the next one begins.
struct Portion {
    measure::Bytes begin = 0;
    measure::Bytes size = 0;
    friend bool operator==(Portion const&, Portion const&) = default;
};

/// Splits `length` bytes in units of `unit` among the processes. Of the N = ceil(length / unit) units each process
/// gets floor(N / processes), and the first N mod processes get one more. The ends are clipped to the length.
[[nodiscard]] Portion portion(int rank, int processes, measure::Bytes length, measure::Bytes unit) noexcept;

/// Bytes per second: messages x length / time; 0 for a time of 0. \param time  the longest time of the processes
[[nodiscard]] double throughput(int messages, measure::Bytes length, measure::seconds time) noexcept;

/// The hidden share of the shorter of both times: (pure + cpu - overlapped) / min(pure, cpu), clamped to [0, 1]; 0 if
/// the minimum is 0.
[[nodiscard]] double overlap(measure::seconds pure, measure::seconds cpu, measure::seconds overlapped) noexcept;

/// IMB's overlap of collectives: the same, but as a share of the longer time.
[[nodiscard]] double overlap_of_longer(measure::seconds pure, measure::seconds cpu,
                                       measure::seconds overlapped) noexcept;

/// Size of a shared scratch file: max(2^max_log, volume), or 2^max_log x repetitions if volume / 2^max_log exceeds the
/// repetitions.
[[nodiscard]] measure::Bytes file_size(Parameters const& p) noexcept;

/// Size of each of `processes` private files: ceil(file_size / processes), plus 4 x repetitions if 2^max_log is not
/// divisible by the processes.
[[nodiscard]] measure::Bytes private_file_size(Parameters const& p, int processes) noexcept;

}  // namespace pmb
