// SPDX-License-Identifier: BSD-3-Clause
/// Options: the command line, and what is measured because of it. Pure; no MPI.
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

/// How long a point is measured.
struct Rules {
    measure::seconds duration{5};                       ///< of the blocks of a point
    double standard_error = 0;                          ///< relative; > 0: stops earlier, with at least 5 blocks
    std::optional<std::int64_t> constant_iterations{};  ///< passes per point instead of a duration
    bool cold = false;                                  ///< without the untimed pass
};

/// The command line as it was given.
struct Options {
    bool read = false;
    bool write = false;
    bool modify = false;
    bool tuned = false;
    bool set = false;
    bool copy = false;
    bool latency = false;
    std::vector<std::string> tests{};  ///< of --test; "all" is resolved
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

/// One row for each option.
[[nodiscard]] program::OptionTable<Options> option_table();

/// Declares them. `options` must outlive the parser's `parse`.
void declare(program::Parser& parser, Options& options);

/// Everything decided.
struct Setup {
    std::vector<Test const*> tests{};
    Type const* type = nullptr;
    Flavour const* flavour = nullptr;
    Isa const* isa = nullptr;             ///< of the explicit vectors; null with other flavours
    std::vector<measure::Bytes> sizes{};  ///< of every test; multiples of the element size
    int repetitions = 1;
    measure::Bytes flush = 0;  ///< 0: none
    Rules rules{};
    Layout layout{};
    int copies = 0;         ///< 0: in this process
    bool terminal = false;  ///< the tables of the original for people
    llcbench::Statistic statistic = llcbench::Statistic::mean;
    llcbench::OutputOptions output{};

    [[nodiscard]] measure::Bytes largest() const;
    [[nodiscard]] LoopTable const& loops() const { return isa != nullptr ? *isa->loops : *flavour->loops; }
    [[nodiscard]] int most_vectors() const;  ///< of a test
    /// Bytes that are needed at the same time.
    [[nodiscard]] measure::Bytes memory() const;
};

/// \param terminal  where the text goes without -o is a terminal
/// \throws measure::UsageError
[[nodiscard]] Setup resolve(Options const& options, llcbench::Machine const& machine, bool terminal);

/// For the record's run line: what is decided, and the options.
[[nodiscard]] measure::Value describe(Setup const& setup, Options const& options);

}  // namespace cachebench
