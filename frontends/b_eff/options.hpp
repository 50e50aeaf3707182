// SPDX-License-Identifier: BSD-3-Clause
/// Options: the command line, and the setup that follows from it. Pure; no MPI.
#pragma once

#include "b_eff/catalogue.hpp"
#include "b_eff/lengths.hpp"
#include "program/cli/options.hpp"
#include "program/cli/parse.hpp"

#include <measure/record.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace b_eff {

enum class LoopRule { classic, timed };

/// The vertical range of the plots, MB/s.
struct Range {
    double low = 0.01;
    double high = 10000;
};

/// The options as given on the command line.
struct Options {
    std::string prefix = "b_eff";
    Range range{};
    std::optional<measure::Bytes> memory{};  ///< bytes of a process; not given: auto
    std::optional<int> random{};
    std::optional<int> repetitions{};
    std::optional<LoopRule> loop{};
    std::vector<Method> methods{b_eff::methods.begin(), b_eff::methods.end()};
    std::string start = "barrier";
    bool no_extra = false;
    std::optional<double> rmax{};  ///< Gflop/s
    bool quick = false;
    bool no_check = false;
};

/// Declares the options. `options` must outlive the parser's `parse`.
void declare(program::Parser& parser, Options& options);

/// All decisions about a run.
struct Setup {
    int ranks = 2;
    std::string prefix{};
    Range range{};
    measure::Bytes memory = 0;
    std::string memory_source{};  ///< the source of this number
    Lengths lengths{};
    int random = 30;
    int repetitions = 3;
    LoopRule loop = LoopRule::classic;
    double row_budget = 0.5;     ///< timed rule: seconds for all patterns together
    double last_two_limit = 60;  ///< timed rule: limit of the predicted seconds for the two longest lengths
    std::vector<Method> methods{};
    bool slots = false;
    bool extra = true;
    std::optional<double> rmax{};  ///< flop/s
    bool quick = false;
    bool check = true;
    std::uint64_t seed = 1;
    std::vector<Pattern> patterns{};

    [[nodiscard]] measure::Bytes largest() const noexcept { return lengths[last_length]; }
    /// Total size in bytes of the buffers of a process.
    [[nodiscard]] measure::Bytes buffers() const noexcept;
};

/// The memory that the machine reports, used without --mem.
struct MachineMemory {
    measure::Bytes share = 0;  ///< bytes per process; 0: not reported
    std::string source{};
};

/// \param ranks  size of the world, or of the assumed world of --list \throws measure::UsageError
[[nodiscard]] Setup resolve(Options const& options, int ranks, std::uint64_t seed, MachineMemory const& machine);

/// The differences between this run and a standard one: "QUICK", "REPS=2", ..
[[nodiscard]] std::vector<std::string> marks(Setup const& setup, bool shortened, bool oversubscribed);
/// The name of the result with its marks: "b_eff", "b_eff(partial)[REPS=2]".
[[nodiscard]] std::string label(Setup const& setup, std::vector<std::string> const& marks);

/// The options in the run line of the record. Call it on the root, which has all permutations. \param orders  [random]
[[nodiscard]] measure::Value describe(Setup const& setup, std::vector<std::vector<int>> const& orders);

}  // namespace b_eff
