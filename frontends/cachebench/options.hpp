// SPDX-License-Identifier: BSD-3-Clause
/// Options: the command line and the measurements that it selects. Pure; no MPI.
#pragma once

#include "cachebench/catalogue.hpp"
#include "cachebench/vectors.hpp"
#include "llcbench/machine.hpp"
#include "llcbench/output.hpp"
#include "llcbench/statistic.hpp"
#include "program/cli/option_table.hpp"

#include <measure/record.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cachebench {

/// The amount of measurement at each point.
struct Rules {
    measure::seconds duration{5};  ///< total time of the blocks of a point
    double standard_error = 0;     ///< relative; > 0: stop once it is reached, with at least 5 blocks
    std::optional<std::int64_t> constant_iterations{};  ///< passes per point instead of a duration
    bool cold = false;                                  ///< skip the untimed pass before the first block
};

/// All options of the command line.
struct Options {
    bool read = false;
    bool write = false;
    bool modify = false;
    bool tuned = false;
    bool set = false;
    bool copy = false;
    bool latency = false;
    std::vector<std::string> tests{};  ///< --test, with "all" expanded
    std::string type = "double";
    std::string flavour = "user";
    std::string isa = "auto";
    int between = 1;
    int max_log = 24;
    std::optional<std::vector<measure::Bytes>> sizes{};
    std::optional<int> repetitions{};
    bool no_flush = false;
    Rules rules{};
    Layout layout{};
    std::optional<int> copies{};
    llcbench::Statistic statistic = llcbench::Statistic::mean;
    llcbench::OutputOptions output{};
};

/// The table of all options, one row each.
[[nodiscard]] program::OptionTable<Options> option_table();

/// Declares the options. `options` must outlive the parser's `parse`.
void declare(program::Parser& parser, Options& options);

/// All settings of a run.
struct Setup {
    std::vector<Test const*> tests{};
    Type const* type = nullptr;
    Flavour const* flavour = nullptr;
    Isa const* isa = nullptr;             ///< instruction set of flavour vector; null for other flavours
    std::vector<measure::Bytes> sizes{};  ///< the same for all tests; multiples of the element size
    int repetitions = 1;
    measure::Bytes flush = 0;  ///< bytes; 0: no flush
    Rules rules{};
    Layout layout{};
    int copies = 0;         ///< number of processes; 0: measure in this process
    bool terminal = false;  ///< print the tables of the original
    llcbench::Statistic statistic = llcbench::Statistic::mean;
    llcbench::OutputOptions output{};

    [[nodiscard]] measure::Bytes largest() const;
    [[nodiscard]] LoopTable const& loops() const { return isa != nullptr ? *isa->loops : *flavour->loops; }
    [[nodiscard]] int most_vectors() const;  ///< largest number of vectors of any test
    /// Bytes needed at the same time: vectors and flush of all copies.
    [[nodiscard]] measure::Bytes memory() const;
};

/// Checks the options and computes the setup.
/// \param terminal  whether the default output is a terminal
/// \throws measure::UsageError
[[nodiscard]] Setup resolve(Options const& options, llcbench::Machine const& machine, bool terminal);

/// The setup and options for the run line of the record.
[[nodiscard]] measure::Value describe(Setup const& setup, Options const& options);

}  // namespace cachebench
