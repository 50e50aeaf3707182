// SPDX-License-Identifier: BSD-3-Clause
/// Plugins: tests of the user's own, from shared libraries (include/mpiperf_plugin.h).
#pragma once

#include "mpiperf/catalogue/catalogue.hpp"
#include "mpiperf/include/mpiperf_plugin.h"

#include <measure/comm.hpp>

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace mpiperf {

/// A plugin's test, with texts of its own.
struct PluginTest {
    std::string name;
    std::string text;
    mpiperf_test calls{};
};

/// The tests of all plugins. Move-only; a `Test` refers to it. The libraries stay open until the program ends, because
/// MPI may hold on to functions of theirs.
class Plugins {
public:
    Plugins() = default;

    /// Adds a test. Local. \param builtin  whose names are taken
    /// \throws measure::UsageError that says what is wrong with it
    void add(mpiperf_test const& test, std::span<Test const> builtin);

    [[nodiscard]] std::span<Test const> tests() const noexcept { return tests_; }

private:
    std::vector<std::unique_ptr<PluginTest>> owned_;
    std::vector<Test> tests_;
};

/// Opens the libraries on every rank and has them add their tests. Collective.
/// \param files  as on the command line; one without a slash is in the current folder
/// \throws measure::UsageError on all ranks alike where one rank cannot open a file, its version is another one, a test
///         cannot be, or ranks find other tests than the root
[[nodiscard]] Plugins load_plugins(measure::Comm const& world, std::span<std::string const> files);

}  // namespace mpiperf
