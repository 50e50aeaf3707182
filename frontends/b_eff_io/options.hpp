// SPDX-License-Identifier: BSD-3-Clause
/// Options: the options of this suite, in addition to the common ones. Pure, no MPI.
#pragma once

#include "b_eff_io/catalogue.hpp"
#include "program/cli/options.hpp"
#include "program/cli/parse.hpp"

#include <measure/batch.hpp>
#include <measure/units.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace b_eff_io {

/// The way in which processes outside a partition wait for it.
enum class Idle { automatic, spin, sleep };

/// Stands for a number of MBytes that is detected from the machine.
inline constexpr std::int64_t from_machine = 0;

/// Largest number of MBytes of a process. A call moves M_PART, 1/128 of this memory, as doubles. Their number is an int
/// in MPI, so M_PART is limited to 16 GiB.
inline constexpr std::int64_t most_memory = (std::int64_t{1} << 21) - 1;

/// The options that the command line alone determines.
struct Given {
    bool keep = false;
    bool read_neighbor = false;
    bool direct = false;  ///< bypass the page cache
    bool random = false;  ///< also measure type random, which is not part of the value
    std::vector<Type> types{all_types.begin(), all_types.end()};  ///< ascending
    measure::Termination termination = measure::Termination::geometric;
    std::string directory = ".";
    int messages = 1;  ///< messages about wrong data, for each pattern and process
};

struct Options : Given {
    std::optional<std::int64_t> memory_per_process{};  ///< MBytes of 2^20 bytes, or from_machine
    std::optional<std::int64_t> memory_total{};        ///< MBytes of the whole system, or from_machine
    bool no_shared = false;
    bool no_unique = false;
    bool unique = false;
    bool rewrite = false;
    std::vector<int> partitions{};       ///< empty: the default ones
    std::optional<std::int64_t> time{};  ///< seconds for all partitions together
    std::string info{};                  ///< file with hints; empty: no hints
    std::string prefix = "b_eff_io";
    bool erase = false;  ///< the default, under its old name

    std::vector<std::string> notes{};
    bool quick = false;
    std::optional<measure::Bytes> cache{};      ///< cache size of the file system, in bytes
    std::optional<measure::Bytes> max_bytes{};  ///< total size of all files, in bytes
    Idle idle = Idle::automatic;
    bool cleanup = false;
    bool watchdog_given = false;
};

/// Declares the options. `options` must outlive the parser's `parse`.
void declare(program::Parser& parser, Options& options);

/// Checks combinations of options. \throws measure::UsageError that names the options
void check(Options const& options, program::CommonOptions const& common);

}  // namespace b_eff_io
