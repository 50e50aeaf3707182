// SPDX-License-Identifier: BSD-3-Clause
/// The options of `measure run`. Pure, local.
#pragma once

#include "compare/fail_on.hpp"
#include "program/cli/parse.hpp"

#include <measure/units.hpp>

#include <optional>
#include <string>
#include <vector>

namespace measure::tool::runs {

/// A group of tests that --what selects.
enum class Topic { latency, bandwidth, rate, collectives, overlap, onesided, memory, io };

struct RunOptions {
    measure::seconds budget{300};  ///< time limit of the whole command
    bool is_budget_given = false;
    double precision = 0.02;  ///< half width of the 95 % interval, as a share of the median, at which a point is done
    std::vector<Topic> what{Topic::latency, Topic::bandwidth, Topic::collectives};
    std::vector<std::string> calls{};  ///< tests of mpiperf that replace `what`
    std::vector<measure::Bytes> sizes{8, 1024, 65536, 1048576};
    bool are_sizes_given = false;
    std::optional<int> ranks{};           ///< number of ranks; nothing: one for each core of this host
    std::vector<std::string> launcher{};  ///< launcher with its options; empty: search for a launcher
    std::string program{};                ///< path of mpiperf; empty: the one installed with this tool
    std::string io_folder{};              ///< folder for the file of the topic io; empty: the folder of the runs
    std::string against{};                ///< words before the launcher of the second side: "env UCX_TLS=tcp"
    std::string against_mpiexec{};
    std::string against_program{};
    std::string compare = "last";  ///< "last", "none" or the name of an earlier run
    std::string name{};
    std::string folder{};  ///< folder of the runs; empty: see `runs_folder`
    std::string expect{};  ///< file with limits for --expect
    std::string write_expect{};
    std::vector<FailOn> fail_on{};
    bool plan = false;
    bool list = false;                  ///< list the stored runs; measure nothing
    std::vector<std::string> remove{};  ///< names of runs to delete; measure nothing
    std::string junit{};                ///< file for a JUnit report of `fail_on` and `expect`
    bool force = false;                 ///< write limits even if the trust is poor
    bool strict = false;
    std::optional<std::string> resume{};  ///< name of the run to continue; empty: the last one

    /// Whether a second side is measured in alternation with the first.
    [[nodiscard]] bool has_sides() const noexcept {
        return !against.empty() || !against_mpiexec.empty() || !against_program.empty();
    }
};

/// Declares all options. `options` must outlive the parser's `parse`.
void declare(program::Parser& parser, RunOptions& options);

/// "latency"
[[nodiscard]] std::string name(Topic topic);

/// Splits a text into words as a shell does, with quotation marks but without expansions.
/// \throws measure::UsageError if a quotation mark is unmatched
[[nodiscard]] std::vector<std::string> words_of(std::string const& option, std::string const& text);

}  // namespace measure::tool::runs
