// SPDX-License-Identifier: BSD-3-Clause
/// Options: the command line, and what is measured because of it. Pure; no MPI.
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

/// The command line as it was given.
struct Options {
    std::string prefix = "b_eff";
    Range range{};
    std::optional<measure::Bytes> memory{};  ///< of a process; nothing: auto
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

/// Everything decided.
struct Setup {
    int ranks = 2;
    std::string prefix{};
    Range range{};
    measure::Bytes memory = 0;
    std::string memory_source{};  ///< where the number comes from
    Lengths lengths{};
    int random = 30;
    int repetitions = 3;
    LoopRule loop = LoopRule::classic;
    double row_budget = 0.5;     ///< timed rule: s for all patterns together
    double last_two_limit = 60;  ///< timed rule: predicted s for the two longest lengths
    std::vector<Method> methods{};
    bool slots = false;
    bool extra = true;
    std::optional<double> rmax{};  ///< flop/s
    bool quick = false;
    bool check = true;
    std::uint64_t seed = 1;
    std::vector<Pattern> patterns{};

    [[nodiscard]] measure::Bytes largest() const noexcept { return lengths[last_length]; }
    /// Bytes of the buffers of a process.
    [[nodiscard]] measure::Bytes buffers() const noexcept;
};

/// What the machine says where --mem does not.
struct MachineMemory {
    measure::Bytes share = 0;  ///< of a process; 0: it does not say
    std::string source{};
};

/// \param ranks  of the world, or of the one that --list supposes \throws measure::UsageError
[[nodiscard]] Setup resolve(Options const& options, int ranks, std::uint64_t seed, MachineMemory const& machine);

/// What sets the run apart from a standard one: "QUICK", "REPS=2", ..
[[nodiscard]] std::vector<std::string> marks(Setup const& setup, bool shortened, bool oversubscribed);
/// The name of the result with its marks: "b_eff", "b_eff(partial)[REPS=2]".
[[nodiscard]] std::string label(Setup const& setup, std::vector<std::string> const& marks);

/// For the record's run line. Root: it has all permutations. \param orders  [random]
[[nodiscard]] measure::Value describe(Setup const& setup, std::vector<std::vector<int>> const& orders);

}  // namespace b_eff
