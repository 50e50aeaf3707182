// SPDX-License-Identifier: BSD-3-Clause
/// Options: the axes of a program as its command line has them. Pure, no MPI.
#pragma once

#include "program/cli/options.hpp"
#include "program/cli/parse.hpp"

#include <measure/main.hpp>
#include <measure/record.hpp>
#include <measure/sweep.hpp>

#include <string>
#include <vector>

namespace program::engine {

inline constexpr char const* ranks_axis = "ranks";
inline constexpr char const* benchmarks_option = "benchmarks";  ///< in the record
inline constexpr char const* benchmark_axis = "benchmark";      ///< inside a sweep; a record's benchmark in the end

struct Options {
    std::vector<std::string> names{};    ///< of the benchmarks asked for; empty: all
    std::vector<measure::Axis> axes{};   ///< of the program
    std::vector<measure::Axis> given{};  ///< the same with the values that the command line gives
    double refine = 0;                   ///< tolerance; 0: no points are added
    measure::TableForm form = measure::TableForm::text;
    bool start_given = false;
    bool sync_given = false;
};

/// Options with the axes and defaults of a program. \throws measure::UsageError for a program that cannot be
[[nodiscard]] Options defaults(measure::Program const& program);

/// What the program takes of the common options, and their defaults.
[[nodiscard]] program::CommonUse common_use(measure::Program const& program);

/// Declares the options. `options` must outlive the parser's `parse`.
void declare(program::Parser& parser, measure::Program const& program, Options& options);

}  // namespace program::engine
