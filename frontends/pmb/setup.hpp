// SPDX-License-Identifier: BSD-3-Clause
/// Setup: the resolved options. Pure, no MPI.
#pragma once

#include "pmb/catalogue.hpp"
#include "pmb/options.hpp"
#include "pmb/rules.hpp"
#include "pmb/selection.hpp"
#include "program/cli/options.hpp"

#include <measure/units.hpp>

#include <optional>
#include <string>
#include <vector>

namespace pmb {

/// An option that leaves the standard mode, as the header shows it.
struct Change {
    std::string flag;
    std::string value;
    std::string standard;
};

/// The resolved options, which determine the measurement. Equal on all ranks.
struct Setup {
    Part part = Part::mpi1;
    std::vector<Benchmark const*> benchmarks{};
    int at_least = 2;
    std::optional<int> multi{};
    Parameters parameters{};
    bool rotate_root = true;
    bool check = false;
    std::optional<std::vector<measure::Bytes>> lengths{};  ///< explicit lengths, in the given order
    std::optional<measure::seconds> time{};
    Policy policy = Policy::off;
    double standard_error = 0.05;
    std::optional<double> refine{};
    std::optional<std::string> start{};  ///< start of single calls; no value: the loop
    std::string sync = "linear";
    program::CommonOptions common{};        ///< -stop, -trim and -confidence apply to single calls
    double memory_gbytes = 1;               ///< as given, in GByte
    measure::Bytes memory = measure::gibi;  ///< the same limit in bytes
    std::vector<Change> changes{};
    std::optional<Grid> map{};
    std::optional<Mode> mode{};  ///< mode of benchmarks with several modes; no value: all modes
    bool pauses = false;         ///< pauses after each row
    bool keeps_times = false;    ///< keeps the time of each repetition, which is then timed individually
    bool show_tail = false;      ///< prints quantiles of these times after each row
    bool header = true;
    bool adds_synchronised = false;  ///< each row is also measured with synchronised starts
    int rounds = 1;                  ///< rounds over all lengths of a table; the standard columns show the first round

    [[nodiscard]] bool optional_mode() const noexcept { return !is_imb(part) && !changes.empty(); }
    /// Whether rows are measured by a plan of the library, with an error and discarded samples.
    [[nodiscard]] bool by_plan() const noexcept { return start || policy == Policy::standard_error; }
};

/// The defaults of a part, without its benchmarks.
[[nodiscard]] Setup usual_setup(Part part);

/// Resolves the options. \throws measure::UsageError
[[nodiscard]] Setup resolve(Options const& options, program::CommonOptions const& common, ReadFile const& read);

/// The modes of a benchmark, with one table each.
[[nodiscard]] std::vector<Mode> modes_of(Benchmark const& benchmark, Setup const& setup);

/// World ranks in the order in which groups take them; empty: in rank order.
/// \throws measure::UsageError if there are not enough processes for -map
[[nodiscard]] std::vector<int> order_of(Setup const& setup, int processes);

}  // namespace pmb
