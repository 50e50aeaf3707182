// SPDX-License-Identifier: BSD-3-Clause
/// Rules: process counts, lengths, repetitions, portions and formulas of PMB 2.2, and where they differ those of IMB
/// 2021. Pure functions, no MPI.
#pragma once

#include <measure/units.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace pmb {

/// A program: those of PMB 2.2, then those of the Intel MPI Benchmarks.
enum class Part { mpi1, ext, io, imb_mpi1, imb_ext, imb_io, imb_nbc, imb_rma, imb_p2p, imb_mt };
/// The programs of the Intel MPI Benchmarks.
inline constexpr std::array imb_parts{Part::imb_mpi1, Part::imb_ext, Part::imb_io, Part::imb_nbc,
                                      Part::imb_rma,  Part::imb_p2p, Part::imb_mt};
[[nodiscard]] constexpr bool is_imb(Part part) noexcept { return part >= Part::imb_mpi1; }
/// Programs of IMB that share nothing with the others: options, lengths, repetitions, numbers of processes.
[[nodiscard]] constexpr bool is_apart(Part part) noexcept { return part >= Part::imb_p2p; }
[[nodiscard]] constexpr bool is_io(Part part) noexcept { return part == Part::io || part == Part::imb_io; }

/// How the repetitions of a one-sided or file benchmark are completed: all together, or one by one.
enum class Mode { single, aggregate, non_aggregate };

/// What completes writes: one sync, or a sync, a barrier and a sync.
enum class WriteSync { single, triple };

enum class ThreadLevel { single, funneled, serialized, multiple };
enum class TeamBarrier { on, off, special };
enum class Allocation { serial, continuous, parallel };

/// Of IMB-MT; the level is of other programs too.
struct Threads {
    ThreadLevel level = ThreadLevel::single;  ///< what MPI is started with
    int threads = 1;                          ///< of each process
    int stride = 0;                           ///< between the ranks of a pair; 0: half of the processes
    TeamBarrier barrier = TeamBarrier::on;    ///< of all threads; special: of messages
    measure::Bytes alignment = 64;            ///< of buffers
    Allocation allocation = Allocation::serial;
    measure::Bytes element = 4;  ///< of int; 1: of char
};

/// An element of messages, or a number that is added.
enum class ElementType { byte, character, integer, real32, real64 };
[[nodiscard]] constexpr measure::Bytes size_of(ElementType type) noexcept {
    return type == ElementType::real64 ? 8 : type == ElementType::integer || type == ElementType::real32 ? 4 : 1;
}

/// How elements lie in messages: one after another, or as follows.
struct Packing {
    bool vector = false;   ///< the whole message is one MPI_Type_vector of blocks of one element
    bool resized = false;  ///< each element takes twice its size
    friend bool operator==(Packing const&, Packing const&) = default;
};

/// What is fixed in standard mode and may be changed in optional mode.
struct Parameters {
    int min_log = 0;                             ///< log2 of the smallest length after 0
    int max_log = 22;                            ///< log2 of the largest length
    std::int64_t repetitions = 1000;             ///< at most, >= 1
    std::int64_t non_aggregate = 100;            ///< at most, where each repetition is completed by itself
    measure::Bytes volume = 40 * measure::mebi;  ///< of all repetitions of one length, per process
    int warm_up = 2;                             ///< repetitions of the warm-up; 0: none
    int barriers = 2;                            ///< before the first clock reading
    measure::seconds cpu{0.1};                   ///< duration of the CPU loop of non-blocking I/O
    bool zero = true;                            ///< length 0 comes first
    bool sync = true;                            ///< calls that are timed one by one have a barrier behind each
    bool dissemination = false;                  ///< around these calls not MPI's barrier, but one of messages
    WriteSync write_sync = WriteSync::single;    ///< of files
    int tests = 0;                               ///< calls of MPI_Test while a non-blocking collective computes
    int window = 256;                            ///< messages under way at once, >= 1
    measure::Bytes cache = 0;                    ///< > 0: repetitions use blocks of memory in turn, twice as much
    measure::Bytes cache_line = 64;
    measure::seconds pause{0.1};                ///< around each row of IMB-P2P
    bool writes = true;                         ///< into its messages before they are sent
    bool reads = true;                          ///< them after they have arrived
    Threads threads{};                          ///< of IMB-MT
    ElementType moved = ElementType::byte;      ///< of transfers, and collectives that move data
    ElementType reduced = ElementType::real32;  ///< of reductions
    Packing packing{};
};

/// The standard mode of a part.
[[nodiscard]] Parameters standard(Part part) noexcept;

/// q, 2 q, 4 q, .. < `processes`, and `processes`, where q = min(processes, at_least). \param at_least  >= 1
[[nodiscard]] std::vector<int> process_counts(int processes, int at_least);

/// 0, 2^min_log, 2^(min_log + 1), .., 2^max_log, each but 0 rounded to the basic type: up, the largest down.
/// \param unit  size of the basic type, bytes
[[nodiscard]] std::vector<measure::Bytes> lengths(measure::Bytes unit, Parameters const& p);

/// Given lengths in their order, each rounded up to a multiple of the unit.
[[nodiscard]] std::vector<measure::Bytes> rounded(std::span<measure::Bytes const> given, measure::Bytes unit);

/// max(1, min(volume / length, at_most)); at_most for length 0.
[[nodiscard]] std::int64_t repetitions(measure::Bytes length, std::int64_t at_most, measure::Bytes volume) noexcept;

/// IMB's multiple_np: about at_most 2^max_log / (processes length + 2^max_log), a multiple of the processes, at least
/// one of each. Lengths below 4 count as 4.
[[nodiscard]] std::int64_t multiple_repetitions(measure::Bytes length, int processes, Parameters const& p) noexcept;

/// A row that was measured.
struct RowCount {
    measure::Bytes length = 0;
    std::int64_t repetitions = 0;
};

/// IMB's dynamic: as many of `wanted` as fit into the limit, floor(1 + limit / each), and no more than the row before
/// had. Of lengths in any order, no more than shorter ones had, and then no fewer than longer ones.
/// \param earlier  rows of the table  \param most  what counts before the first row
[[nodiscard]] std::int64_t dynamic_repetitions(std::int64_t wanted, measure::seconds limit, measure::seconds each,
                                               std::span<RowCount const> earlier, std::int64_t most,
                                               std::optional<measure::Bytes> listed) noexcept;

/// Repetitions in which `dynamic_repetitions` gets its time, from the time of a single one: 1000 below a millisecond,
/// otherwise what fits into a second, at least 1; of files with 50 and 20 ms.
[[nodiscard]] std::int64_t probes(measure::seconds one, bool of_files) noexcept;

/// IMB's warm-up of a row: a tenth of the repetitions, but at least 10 or all of them.
[[nodiscard]] std::int64_t warm_up_of(std::int64_t repetitions) noexcept;

/// IMB-P2P's: max(1, min(at_most, volume / length, rounded)); at_most for length 0.
[[nodiscard]] std::int64_t rounded_repetitions(measure::Bytes length, std::int64_t at_most,
                                               measure::Bytes volume) noexcept;
/// And its warm-up: a tenth of them, at least 1; none before a single one.
[[nodiscard]] std::int64_t short_warm_up_of(std::int64_t repetitions) noexcept;

/// How repetitions go round in a buffer of one length, so that none finds its data in a cache.
struct ColdBlocks {
    measure::Bytes step = 0;
    measure::Bytes count = 1;
};
/// \param size  bytes of a block \param repetitions  >= 1
[[nodiscard]] ColdBlocks cold_blocks(measure::Bytes size, std::int64_t repetitions, Parameters const& p) noexcept;

/// Bytes in which the repetitions of any length go round. \param size  of the largest block
[[nodiscard]] measure::Bytes cold_memory(measure::Bytes size, Parameters const& p) noexcept;

/// World ranks in the order of a grid of rows x columns: by (columns x rank) mod (rows x columns - 1), where 0 gives
/// way to the rank itself. In their own order for a single row or column. \param world  processes
[[nodiscard]] std::vector<int> grid_order(int world, int rows, int columns);

/// A process's bytes [begin, begin + size) of a transfer. Empty portions begin where the next one does.
struct Portion {
    measure::Bytes begin = 0;
    measure::Bytes size = 0;
    friend bool operator==(Portion const&, Portion const&) = default;
};

/// Splits `length` bytes in units of `unit` over the processes: each gets floor(N / processes) of the N = ceil(length /
/// unit) units, the first N mod processes one more; the ends are clipped to the length.
[[nodiscard]] Portion portion(int rank, int processes, measure::Bytes length, measure::Bytes unit) noexcept;

/// Bytes per second: messages x length / time; 0 for a time of 0. \param time  the longest of the processes
[[nodiscard]] double throughput(int messages, measure::Bytes length, measure::seconds time) noexcept;

/// The share of the shorter of both that disappeared behind the other: (pure + cpu - overlapped) / min(pure, cpu)
/// within [0, 1]; 0 where that minimum is 0.
[[nodiscard]] double overlap(measure::seconds pure, measure::seconds cpu, measure::seconds overlapped) noexcept;

/// The same as a share of the longer of both: IMB's overlap of collectives.
[[nodiscard]] double overlap_of_longer(measure::seconds pure, measure::seconds cpu,
                                       measure::seconds overlapped) noexcept;

/// Size of a common scratch file: max(2^max_log, volume), but 2^max_log x repetitions where volume / 2^max_log is
/// larger than the repetitions.
[[nodiscard]] measure::Bytes file_size(Parameters const& p) noexcept;

/// Size of each of `processes` private files: ceil(file_size / processes), and 4 x repetitions more where 2^max_log is
/// not divisible by the processes.
[[nodiscard]] measure::Bytes private_file_size(Parameters const& p, int processes) noexcept;

}  // namespace pmb
