// SPDX-License-Identifier: BSD-3-Clause
/// Options: the command line options of a program, one for each of its axes. Pure, no MPI.
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
inline constexpr char const* benchmarks_option = "benchmarks";  ///< field of the record's options
inline constexpr char const* benchmark_axis = "benchmark";  ///< coordinate inside a sweep; later a record's benchmark

struct Options {
    std::vector<std::string> names{};    ///< names of the requested benchmarks; empty: all
    std::vector<measure::Axis> axes{};   ///< axes as the program defines them
    std::vector<measure::Axis> given{};  ///< the same axes, with the values of the command line
    double refine = 0;                   ///< relative tolerance of the interpolation; 0: no points are added
    measure::TableForm form = measure::TableForm::text;
    bool start_given = false;
    bool sync_given = false;
};

/// Options with the axes and defaults of a program. \throws measure::UsageError if the program is not valid
[[nodiscard]] Options defaults(measure::Program const& program);

/// The common options that the program has, and their defaults.
[[nodiscard]] program::CommonUse common_use(measure::Program const& program);

/// Declares the options. `options` must outlive the parser's `parse`.
void declare(program::Parser& parser, measure::Program const& program, Options& options);

}  // namespace program::engine
