// SPDX-License-Identifier: BSD-3-Clause
/// Catalogue: all benchmarks of every part, in one explicit table for each part.
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

/// The class of a benchmark. It decides process counts, throughput and columns.
enum class Class {
    single,      ///< two processes (files: one) without other traffic
    parallel,    ///< all processes exchange messages at the same time
    collective,  ///< collective calls
    sync,        ///< calls without lengths
    rate,        ///< windows of messages between pairs of processes
    one_to_all,  ///< all processes take part, one is timed
    world,       ///< always runs on all processes of the world
};

/// Element type of a benchmark's messages: its own, -data_type or -red_data_type.
enum class Payload { own, moved, reduced };

struct Benchmark {
    std::string_view name;
    std::string_view text;  ///< description for people
    Class kind = Class::single;
    Payload payload = Payload::own;
    measure::Bytes unit = 1;  ///< lengths are multiples of this, in bytes, if the payload is own
    int messages = 0;         ///< messages per repetition for the throughput; 0: no throughput
    double time_scale = 1;    ///< factor on the displayed time; Class::world: on the mean of all processes
    std::vector<Mode> modes{Mode::single};  ///< one table for each
    bool non_blocking = false;              ///< the table shows the overlap with computing
    bool each = false;                      ///< every repetition is timed individually
    bool rooted = false;                    ///< one process is the root
    bool one_element = false;               ///< the only length is that of one element
    bool target_computes = false;           ///< the table shows calls alone, and calls while the target computes
    bool even = false;                      ///< needs an even number of processes
    int dimensions = 0;                     ///< > 0: the processes form a grid of this dimension
    bool strided = false;                   ///< pairs are a stride apart
    bool few = false;                       ///< uses the repetitions of the non-aggregate mode
    bool checked = true;                    ///< has data that can be checked
    bool standard = true;                   ///< false: an extra benchmark, run only if named
    /// Bytes of a process's send and receive buffer together.
    measure::Bytes (*memory)(measure::Bytes length, int processes, Parameters const& p, bool check) = nullptr;
    std::unique_ptr<Kernel> (*make)(Task const& task) = nullptr;
};

/// The benchmarks in running order. \returns a table that lives as long as the program
[[nodiscard]] std::span<Benchmark const> benchmarks(Part part);

/// The benchmark of that name, in any letter case; nullptr if it does not exist.
[[nodiscard]] Benchmark const* find(Part part, std::string_view name);

/// Lengths are multiples of this unit. In bytes.
[[nodiscard]] measure::Bytes unit_of(Benchmark const& benchmark, Parameters const& p);

/// The operation of a benchmark, for readers that compare programs; no value if other programs have no equivalent.
[[nodiscard]] std::optional<measure::Semantics> semantics(Benchmark const& benchmark, Part part);

/// Whether the benchmark can run on that many processes, if it runs on all of the world.
[[nodiscard]] bool fits(Benchmark const& benchmark, int processes, Parameters const& p = {});

/// The tables of the parts, which `benchmarks` combines.
[[nodiscard]] std::vector<Benchmark> mpi1_benchmarks();
[[nodiscard]] std::vector<Benchmark> imb_mpi1_benchmarks();
[[nodiscard]] std::vector<Benchmark> imb_nbc_benchmarks();
[[nodiscard]] std::vector<Benchmark> imb_rma_benchmarks();
[[nodiscard]] std::vector<Benchmark> imb_p2p_benchmarks();
[[nodiscard]] std::vector<Benchmark> imb_mt_benchmarks();
[[nodiscard]] std::vector<Benchmark> ext_benchmarks();
[[nodiscard]] std::vector<Benchmark> io_benchmarks();

}  // namespace pmb
