// SPDX-License-Identifier: BSD-3-Clause
/// Options: the command line, and what is measured because of it. Pure; no MPI.
#pragma once

#include "catalogue.hpp"
#include "llcbench/machine.hpp"
#include "llcbench/output.hpp"
#include "program/cli/options.hpp"
#include "program/cli/parse.hpp"
#include "rules.hpp"
#include "vectors.hpp"

#include <measure/record.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cachebench {

/// The command line as it was given.
struct Options {
    bool read = false;
    bool write = false;
    bool modify = false;
    bool tuned = false;
    bool set = false;
    bool copy = false;
    bool latency = false;
    std::vector<std::string> tests{};  ///< of --test; "all" is resolved
    std::string type = "double";
    std::string flavour = "user";
    int between = 1;
    int max_log = 24;
    std::optional<std::vector<measure::Bytes>> sizes{};
    std::optional<int> repetitions{};
    bool no_flush = false;
    Rules rules{};
    Layout layout{};
    std::optional<int> copies{};
    llcbench::OutputOptions output{};
};

/// Declares the options. `options` must outlive the parser's `parse`.
void declare(program::Parser& parser, Options& options);

/// Everything decided.
struct Setup {
    std::vector<Test const*> tests{};
    Type const* type = nullptr;
    Flavour const* flavour = nullptr;
    std::vector<measure::Bytes> sizes{};  ///< of every test; multiples of the element size
    int repetitions = 1;
    measure::Bytes flush = 0;  ///< 0: none
    Rules rules{};
    Layout layout{};
    int copies = 0;         ///< 0: in this process
    bool terminal = false;  ///< the tables of the original for people
    llcbench::OutputOptions output{};

    [[nodiscard]] measure::Bytes largest() const;
    [[nodiscard]] bool two_vectors() const;  ///< memcpy is among the tests
    /// Bytes that are needed at the same time.
    [[nodiscard]] measure::Bytes memory() const;
};

/// \param terminal  where the text goes without -o is a terminal
/// \throws measure::UsageError
[[nodiscard]] Setup resolve(Options const& options, llcbench::Machine const& machine, bool terminal);

/// For the record's run line.
[[nodiscard]] measure::Value describe(Setup const& setup);

}  // namespace cachebench
