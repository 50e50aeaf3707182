// SPDX-License-Identifier: BSD-3-Clause
/// Options: the command line and the measurements that it selects. Pure; no MPI.
#pragma once

#include "llcbench/output.hpp"
#include "llcbench/statistic.hpp"
#include "mpbench/catalogue.hpp"
#include "mpbench/rules.hpp"
#include "program/cli/option_table.hpp"

#include <measure/error.hpp>
#include <measure/record.hpp>

#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace mpbench {

/// The unit of printed rates.
enum class Units { mb, kb, si };

/// Options that the setup takes over unchanged.
struct Given {
    Api api = Api::mpi;  ///< must be set before the options are declared
    Rules rules{};
    int repetitions = 1;
    bool flush_sizes = false;
    bool flush_repetitions = false;
    bool verify = false;
    Units units = Units::mb;
    llcbench::Statistic statistic = llcbench::Statistic::mean;
    llcbench::OutputOptions output{};
};

/// All options of the command line.
struct Options : Given {
    int tasks = 2;                     ///< used by PVM only; MPI knows its number of tasks
    std::vector<std::string> tests{};  ///< in the given order, with "all" expanded
    int max_log = 24;
    int min_log = 2;
    int between = 0;
    std::optional<std::vector<measure::Bytes>> sizes{};
    std::optional<std::vector<measure::Bytes>> range{};
    std::optional<measure::Bytes> flush_size{};
};

/// The table of the options, one row each. Excludes the options that select tests, because their order matters.
[[nodiscard]] program::OptionTable<Options> option_table(Api api);

/// Declares all options. `options` must outlive the parser's `parse`.
void declare(program::Parser& parser, Options& options);

/// All settings of a run.
struct Setup : Given {
    llcbench::Fields layer{};  ///< further facts about the message layer, for the head
    int tasks = 2;
    std::vector<Test const*> tests{};
    std::vector<measure::Bytes> sizes{};
    measure::Bytes flush = 0;  ///< size of the flush buffer in bytes; 0: no flush
    bool oversubscribed = false;
    /// Sizes above this limit do not fit into memory.
    measure::Bytes most = std::numeric_limits<measure::Bytes>::max();

    /// The largest size that fits into memory.
    [[nodiscard]] measure::Bytes largest() const;
    /// Removes the largest size. \return false if it is the only one left
    [[nodiscard]] bool leave_largest();
    /// Message sizes of a test, without duplicates. Empty for the barrier, and if every size is too small for all
    /// tasks.
    [[nodiscard]] std::vector<measure::Bytes> messages(Test const& test) const;
    /// Bytes that each task needs. PVM keeps a copy of the received data and one of the converted data.
    [[nodiscard]] measure::Bytes memory() const { return (api == Api::pvm ? 4 : 2) * largest() + flush; }
};

/// Checks the options and computes the setup.
/// \param usual_flush  default size of the flush buffer in bytes
/// \throws measure::UsageError
[[nodiscard]] Setup resolve(Options const& options, int tasks, measure::Bytes usual_flush);

/// Removes the sizes that do not fit into memory. \param fits  whether a task has this number of bytes; must return the
/// same on all tasks  \throws measure::UsageError if no size is left
void leave_too_large(Setup& setup, std::function<bool(measure::Bytes)> const& fits);

/// The setup and options for the run line of the record.
[[nodiscard]] measure::Value describe(Setup const& setup, Options const& options);

}  // namespace mpbench
