// SPDX-License-Identifier: BSD-3-Clause
/// Run options: what `measure run` is asked for. Pure, local.
#pragma once

#include "compare/fail_on.hpp"
#include "program/cli/parse.hpp"

#include <measure/units.hpp>

#include <optional>
#include <string>
#include <vector>

namespace measure::tool::runs {

/// What is looked at.
enum class Topic { latency, bandwidth, rate, collectives, overlap, onesided, memory, io };

struct RunOptions {
    measure::seconds budget{300};  ///< of the whole command
    bool is_budget_given = false;
    double precision = 0.02;  ///< half the 95 % interval of a median, as a share, that is exact enough
    std::vector<Topic> what{Topic::latency, Topic::bandwidth, Topic::collectives};
    std::vector<std::string> calls{};  ///< tests of mpiperf in place of `what`
    std::vector<measure::Bytes> sizes{8, 1024, 65536, 1048576};
    bool are_sizes_given = false;
    std::optional<int> ranks{};           ///< nothing: the cores of this host
    std::vector<std::string> launcher{};  ///< words before the program; empty: one that is found
    std::string program{};                ///< mpiperf; empty: the one that belongs to this tool
    std::string io_folder{};              ///< of the file that io writes and reads; empty: where runs are kept
    std::string against{};                ///< words before the program on the other side: "env UCX_TLS=tcp"
    std::string against_mpiexec{};
    std::string against_program{};
    std::string compare = "last";  ///< "last", "none" or the name of an older run
    std::string name{};
    std::string folder{};  ///< where runs are kept; empty: by `runs_folder`
    std::string expect{};  ///< file of limits
    std::string write_expect{};
    std::vector<FailOn> fail_on{};
    bool plan = false;
    bool list = false;                  ///< show the runs that are kept, and measure nothing
    std::vector<std::string> remove{};  ///< names of runs to delete; measure nothing
    std::string junit{};                ///< file for a report of `fail_on` and `expect`
    bool force = false;                 ///< write limits also from values that are not to be trusted
    bool strict = false;
    std::optional<std::string> resume{};  ///< name of the run to go on with; empty: the last one

    /// Whether two things are measured in turn.
    [[nodiscard]] bool has_sides() const noexcept {
        return !against.empty() || !against_mpiexec.empty() || !against_program.empty();
    }
};

/// Declares all of them. `options` must outlive the parser's `parse`.
void declare(program::Parser& parser, RunOptions& options);

/// "latency"
[[nodiscard]] std::string name(Topic topic);

/// A text as the words that a shell would make of it, without anything that a shell would replace.
/// \throws measure::UsageError where a quotation mark has no partner
[[nodiscard]] std::vector<std::string> words_of(std::string const& option, std::string const& text);

}  // namespace measure::tool::runs
