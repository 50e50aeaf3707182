// SPDX-License-Identifier: BSD-3-Clause
/// Catalogue: every benchmark of every part, as one explicit table each.
#pragma once

#include "pmb/kernel.hpp"
#include "pmb/rules.hpp"

#include <measure/semantics.hpp>
#include <measure/units.hpp>

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace pmb {

/// Decides process counts, throughput and the shape of the table.
enum class Class {
    single,      ///< two processes (files: one) undisturbed
    parallel,    ///< all processes exchange at once
    collective,  ///< collective calls
    sync,        ///< no lengths
    rate,        ///< pairs of processes, windows of messages
    one_to_all,  ///< all processes, of which one is timed
    world,       ///< all that were started, and no fewer
};

/// What the messages of a benchmark are made of.
enum class Payload { own, moved, reduced };

struct Benchmark {
    std::string_view name;
    std::string_view text;  ///< for people
    Class kind = Class::single;
    Payload payload = Payload::own;
    measure::Bytes unit = 1;                ///< of the lengths, where the payload is the benchmark's own
    int messages = 0;                       ///< of the throughput; 0: no throughput
    double time_scale = 1;                  ///< of all processes together: the part of their mean that is shown
    std::vector<Mode> modes{Mode::single};  ///< one table each
    bool non_blocking = false;              ///< the table shows the overlap with a computation
    bool each = false;                      ///< every repetition is timed by itself
    bool rooted = false;                    ///< one process is the root
    bool one_element = false;               ///< the only length is that of an element
    bool target_computes = false;           ///< the table shows the calls alone and beside a computation of the target
    bool even = false;                      ///< the processes are pairs
    int dimensions = 0;                     ///< > 0: they form a grid
    bool strided = false;                   ///< pairs are a stride apart
    bool few = false;                       ///< the repetitions are those of the non-aggregate mode
    bool checked = true;                    ///< there are data to look at
    bool standard = true;                   ///< false: an addition, which is run only where it is named
    /// Bytes of send and receive buffer of a process.
    measure::Bytes (*memory)(measure::Bytes length, int processes, Parameters const& p, bool check) = nullptr;
    std::unique_ptr<Kernel> (*make)(Task const& task) = nullptr;
};

/// In the order of the run. \return lives as long as the program
[[nodiscard]] std::span<Benchmark const> benchmarks(Part part);

/// The benchmark of that name, in any letter case; nullptr where there is none.
[[nodiscard]] Benchmark const* find(Part part, std::string_view name);

/// Lengths are multiples of it. Bytes.
[[nodiscard]] measure::Bytes unit_of(Benchmark const& benchmark, Parameters const& p);

/// Which operation its rows are of, for readers that compare programs; nothing where others have no like.
[[nodiscard]] std::optional<measure::Semantics> semantics(Benchmark const& benchmark, Part part);

/// Whether so many processes can run it, where it runs on all that were started.
[[nodiscard]] bool fits(Benchmark const& benchmark, int processes, Parameters const& p = {});

/// The parts' tables; `benchmarks` joins them.
[[nodiscard]] std::vector<Benchmark> mpi1_benchmarks();
[[nodiscard]] std::vector<Benchmark> imb_mpi1_benchmarks();
[[nodiscard]] std::vector<Benchmark> imb_nbc_benchmarks();
[[nodiscard]] std::vector<Benchmark> imb_rma_benchmarks();
[[nodiscard]] std::vector<Benchmark> imb_p2p_benchmarks();
[[nodiscard]] std::vector<Benchmark> imb_mt_benchmarks();
[[nodiscard]] std::vector<Benchmark> ext_benchmarks();
[[nodiscard]] std::vector<Benchmark> io_benchmarks();

}  // namespace pmb
