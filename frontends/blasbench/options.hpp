// SPDX-License-Identifier: BSD-3-Clause
/// Options: the command line, and what is measured because of it. Pure; no MPI.
#pragma once

#include "blasbench/blas.hpp"
#include "blasbench/operands.hpp"
#include "blasbench/rules.hpp"
#include "llcbench/machine.hpp"
#include "llcbench/output.hpp"
#include "llcbench/statistic.hpp"
#include "program/cli/option_table.hpp"

#include <measure/record.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace blasbench {

/// What the command line decides by itself.
struct Given {
    std::vector<int> threads{1};            ///< at least one
    std::vector<std::string> transposed{};  ///< of GEMM: "NN", "NT", "TN", "TT"; empty: nothing is, or is said of it
    Scalars scalars{};
    bool hold_leading = false;
    Layout layout{};
    bool mflops = false;  ///< otherwise: the second column
    bool show_dimension = false;
    std::optional<double> peak{};
    llcbench::Statistic statistic = llcbench::Statistic::mean;
    llcbench::OutputOptions output{};
};

/// The command line as it was given.
struct Options : Given {
    bool axpy = false;
    bool gemv = false;
    bool gemm = false;
    std::vector<std::string> routines{};  ///< of --test; "all" is resolved
    bool single = false;
    std::vector<std::string> libraries{};  ///< of --blas
    bool list = false;                     ///< --list-blas
    int between = 1;
    int max_log = 24;
    std::optional<std::vector<Bytes>> sizes{};
    std::optional<std::vector<std::int64_t>> dimensions{};
    std::vector<Dimensions> shapes{};          ///< of --gemm
    std::optional<Bytes> smallest{};           ///< --smin
    std::optional<std::int64_t> smallest_n{};  ///< --nmin
    std::int64_t iterations = 100'000;
    bool constant = false;
    std::optional<int> repetitions{};
    bool no_flush = false;
    double standard_error = 0;
};

/// One row for each option.
[[nodiscard]] program::OptionTable<Options> option_table();

/// Declares them. `options` must outlive the parser's `parse`.
void declare(program::Parser& parser, Options& options);

/// A problem of a series.
struct Size {
    Bytes limit = 0;  ///< what was asked for; where dimensions were, the bytes of the operands
    Dimensions dimensions{};
};

/// A routine and its problems.
struct Series {
    Routine const* routine = nullptr;
    std::vector<Size> sizes{};
    [[nodiscard]] Dimensions largest() const;  ///< of the problem with the most bytes
    /// Elements of each operand that all of its problems find room in.
    [[nodiscard]] std::vector<double> room() const;
};

/// Everything decided but the libraries.
struct Setup : Given {
    std::vector<Series> series{};
    Precision precision = Precision::real64;
    Rules rules{};
    int repetitions = 1;
    Bytes flush = 0;        ///< 0: none
    bool terminal = false;  ///< the tables of the original for people

    /// The leading dimension is held at the largest n: -l, and the routine has matrices.
    [[nodiscard]] bool holds(Routine const& routine) const { return hold_leading && routine.matrices > 0; }
};

/// \param terminal  where the text goes without --output is a terminal
/// \throws measure::UsageError
[[nodiscard]] Setup resolve(Options const& options, llcbench::Machine const& machine, bool terminal);

/// For the record's run line: what is decided, the options, and the libraries.
[[nodiscard]] measure::Value describe(Setup const& setup, Options const& options);
[[nodiscard]] measure::Value describe(std::span<Blas const> libraries);

}  // namespace blasbench
