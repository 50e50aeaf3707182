// SPDX-License-Identifier: BSD-3-Clause
/// Options: the command line and the measurements that it selects. Pure; no MPI.
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

/// Options that the setup takes over unchanged.
struct Given {
    std::vector<int> threads{1};            ///< never empty
    std::vector<std::string> transposed{};  ///< of GEMM: "NN", "NT", "TN", "TT"; empty: NN, without an axis
    Scalars scalars{};
    bool hold_leading = false;
    Layout layout{};
    bool mflops = false;  ///< MFLOPS in the second column instead of MB/s
    bool show_dimension = false;
    std::optional<double> peak{};
    llcbench::Statistic statistic = llcbench::Statistic::mean;
    llcbench::OutputOptions output{};
};

/// All options of the command line.
struct Options : Given {
    bool axpy = false;
    bool gemv = false;
    bool gemm = false;
    std::vector<std::string> routines{};  ///< --test, with "all" expanded
    bool single = false;
    std::vector<std::string> libraries{};  ///< --blas
    bool list = false;                     ///< --list-blas
    int between = 1;
    int max_log = 24;
    std::optional<std::vector<Bytes>> sizes{};
    std::optional<std::vector<std::int64_t>> dimensions{};
    std::vector<Dimensions> shapes{};          ///< --gemm
    std::optional<Bytes> smallest{};           ///< --smin
    std::optional<std::int64_t> smallest_n{};  ///< --nmin
    std::int64_t iterations = 100'000;
    bool constant = false;
    std::optional<int> repetitions{};
    bool no_flush = false;
    double standard_error = 0;
};

/// The table of all options, one row each.
[[nodiscard]] program::OptionTable<Options> option_table();

/// Declares the options. `options` must outlive the parser's `parse`.
void declare(program::Parser& parser, Options& options);

/// A problem of a series.
struct Size {
    Bytes limit = 0;  ///< requested size; if dimensions were requested, the bytes of the operands
    Dimensions dimensions{};
};

/// A routine and its problem sizes.
struct Series {
    Routine const* routine = nullptr;
    std::vector<Size> sizes{};
    [[nodiscard]] Dimensions largest() const;  ///< dimensions of the largest problem, by bytes
    /// Number of elements of each operand that is enough for every problem of the series.
    [[nodiscard]] std::vector<double> room() const;
};

/// All settings of a run, except the libraries.
struct Setup : Given {
    std::vector<Series> series{};
    Precision precision = Precision::real64;
    Rules rules{};
    int repetitions = 1;
    Bytes flush = 0;        ///< bytes; 0: no flush
    bool terminal = false;  ///< print the tables of the original

    /// Whether the leading dimension stays at the largest n: -l is given and the routine has matrices.
    [[nodiscard]] bool holds(Routine const& routine) const { return hold_leading && routine.matrices > 0; }
};

/// Checks the options and computes the setup.
/// \param terminal  whether the default output is a terminal
/// \throws measure::UsageError
[[nodiscard]] Setup resolve(Options const& options, llcbench::Machine const& machine, bool terminal);

/// The setup, options and libraries for the run line of the record.
[[nodiscard]] measure::Value describe(Setup const& setup, Options const& options);
[[nodiscard]] measure::Value describe(std::span<Blas const> libraries);

}  // namespace blasbench
