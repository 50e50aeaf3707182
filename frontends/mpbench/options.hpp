// SPDX-License-Identifier: BSD-3-Clause
/// Options: the command line, and what is measured because of it. Pure; no MPI.
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

/// What rates are printed in.
enum class Units { mb, kb, si };

/// What the command line decides by itself.
struct Given {
    Api api = Api::mpi;  ///< to be set before the options are declared
    Rules rules{};
    int repetitions = 1;
    bool flush_sizes = false;
    bool flush_repetitions = false;
    bool verify = false;
    Units units = Units::mb;
    llcbench::Statistic statistic = llcbench::Statistic::mean;
    llcbench::OutputOptions output{};
};

/// The command line as it was given.
struct Options : Given {
    int tasks = 2;                     ///< of PVM; MPI counts them itself
    std::vector<std::string> tests{};  ///< in the order given; "all" is resolved
    int max_log = 24;
    int min_log = 2;
    int between = 0;
    std::optional<std::vector<measure::Bytes>> sizes{};
    std::optional<std::vector<measure::Bytes>> range{};
    std::optional<measure::Bytes> flush_size{};
};

/// One row for each option but those that choose tests, whose order counts.
[[nodiscard]] program::OptionTable<Options> option_table(Api api);

/// Declares all of them. `options` must outlive the parser's `parse`.
void declare(program::Parser& parser, Options& options);

/// Everything decided.
struct Setup : Given {
    llcbench::Fields layer{};  ///< what else a head says of the message layer
    int tasks = 2;
    std::vector<Test const*> tests{};
    std::vector<measure::Bytes> sizes{};
    measure::Bytes flush = 0;  ///< size of the buffer; 0: nothing is flushed
    bool oversubscribed = false;
    /// Larger sizes have no memory.
    measure::Bytes most = std::numeric_limits<measure::Bytes>::max();

    /// The largest size that has memory.
    [[nodiscard]] measure::Bytes largest() const;
    /// Leaves the largest size out. \return false: it is the only one left
    [[nodiscard]] bool leave_largest();
    /// Bytes of a test's messages, each once; nothing for the barrier, and where no size is enough for all tasks.
    [[nodiscard]] std::vector<measure::Bytes> messages(Test const& test) const;
    /// Bytes that each task needs. PVM has a copy of what arrives, and one of what it converts.
    [[nodiscard]] measure::Bytes memory() const { return (api == Api::pvm ? 4 : 2) * largest() + flush; }
};

/// \param usual_flush  size of the buffer where the user names none
/// \throws measure::UsageError
[[nodiscard]] Setup resolve(Options const& options, int tasks, measure::Bytes usual_flush);

/// Leaves out the sizes that have no memory. \param fits  whether a task has this number of bytes; equal on all tasks
/// \throws measure::UsageError where no size is left
void leave_too_large(Setup& setup, std::function<bool(measure::Bytes)> const& fits);

/// For the record's run line: what is decided, and the options.
[[nodiscard]] measure::Value describe(Setup const& setup, Options const& options);

}  // namespace mpbench
