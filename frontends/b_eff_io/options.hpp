// SPDX-License-Identifier: BSD-3-Clause
/// Options: what a user may choose, beside the common options. Pure, no MPI.
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

/// How processes outside a partition wait for it.
enum class Idle { automatic, spin, sleep };

/// Stands for a number of MBytes that the machine says.
inline constexpr std::int64_t from_machine = 0;

/// MBytes of a process: a call moves M_PART as doubles, whose number is an int of MPI: 16 GiB, an 128th of this.
inline constexpr std::int64_t most_memory = (std::int64_t{1} << 21) - 1;

/// What the command line decides by itself.
struct Given {
    bool keep = false;
    bool read_neighbor = false;
    bool direct = false;                                          ///< past the page cache
    bool random = false;                                          ///< type random, beside the value
    std::vector<Type> types{all_types.begin(), all_types.end()};  ///< ascending
    measure::Termination termination = measure::Termination::geometric;
    std::string directory = ".";
    int messages = 1;  ///< about wrong data, of a pattern and process
};

struct Options : Given {
    std::optional<std::int64_t> memory_per_process{};  ///< MBytes of 2^20 bytes, or from_machine
    std::optional<std::int64_t> memory_total{};        ///< likewise, of the whole system
    bool no_shared = false;
    bool no_unique = false;
    bool unique = false;
    bool rewrite = false;
    std::vector<int> partitions{};       ///< empty: the default ones
    std::optional<std::int64_t> time{};  ///< s, of all partitions together
    std::string info{};                  ///< file of hints; empty: none
    std::string prefix = "b_eff_io";
    bool erase = false;  ///< the default, by its old name

    std::vector<std::string> notes{};
    bool quick = false;
    std::optional<measure::Bytes> cache{};      ///< of the file system
    std::optional<measure::Bytes> max_bytes{};  ///< of all files together
    Idle idle = Idle::automatic;
    bool cleanup = false;
    bool watchdog_given = false;
};

/// Declares the options. `options` must outlive the parser's `parse`.
void declare(program::Parser& parser, Options& options);

/// Checks what no single option shows. \throws measure::UsageError that names the options
void check(Options const& options, program::CommonOptions const& common);

}  // namespace b_eff_io
