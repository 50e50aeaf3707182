// SPDX-License-Identifier: BSD-3-Clause
/// Setup: the options resolved. Pure, no MPI.
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

/// A choice that leaves the standard mode, as the header shows it.
struct Change {
    std::string flag;
    std::string value;
    std::string standard;
};

/// The options resolved: what is to be done. The same on all ranks.
struct Setup {
    Part part = Part::mpi1;
    std::vector<Benchmark const*> benchmarks{};
    int at_least = 2;
    std::optional<int> multi{};
    Parameters parameters{};
    bool rotate_root = true;
    bool check = false;
    std::optional<std::vector<measure::Bytes>> lengths{};  ///< given explicitly, in their order
    std::optional<measure::seconds> time{};
    Policy policy = Policy::off;
    double standard_error = 0.05;
    std::optional<double> refine{};
    std::optional<std::string> start{};  ///< of single calls; otherwise the loop
    std::string sync = "linear";
    program::CommonOptions common{};        ///< of which -stop, -trim and -confidence change single calls
    double memory_gbytes = 1;               ///< as given
    measure::Bytes memory = measure::gibi;  ///< the same in bytes
    std::vector<Change> changes{};
    std::optional<Grid> map{};
    std::optional<Mode> mode{};  ///< of benchmarks that have several; nothing: all
    bool pauses = false;         ///< behind each row
    bool keeps_times = false;    ///< of each repetition, which then is timed by itself
    bool show_tail = false;      ///< quantiles of them behind each row
    bool header = true;
    bool adds_synchronised = false;  ///< each row is measured with synchronised starts too
    int rounds = 1;                  ///< over all lengths of a table; the standard columns are those of the first one

    [[nodiscard]] bool optional_mode() const noexcept { return !is_imb(part) && !changes.empty(); }
    /// Whether rows are measured by a plan of the library, with an error and discarded samples.
    [[nodiscard]] bool by_plan() const noexcept { return start || policy == Policy::standard_error; }
};

/// What a part does without options, but for its benchmarks.
[[nodiscard]] Setup usual_setup(Part part);

/// \throws measure::UsageError
[[nodiscard]] Setup resolve(Options const& options, program::CommonOptions const& common, ReadFile const& read);

/// A table each.
[[nodiscard]] std::vector<Mode> modes_of(Benchmark const& benchmark, Setup const& setup);

/// World ranks as the groups take them; empty: in their own order.
/// \throws measure::UsageError where there are not enough for -map
[[nodiscard]] std::vector<int> order_of(Setup const& setup, int processes);

}  // namespace pmb
