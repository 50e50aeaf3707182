// SPDX-License-Identifier: BSD-3-Clause
/// Plugins: user-defined tests from shared libraries (include/mpiperf_plugin.h).
#pragma once

#include "mpiperf/catalogue/catalogue.hpp"
#include "mpiperf/include/mpiperf_plugin.h"

#include <measure/comm.hpp>

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace mpiperf {

/// A plugin's test with owned texts.
struct PluginTest {
    std::string name;
    std::string text;
    mpiperf_test calls{};
};

/// The tests of all plugins. Move-only; a `Test` refers to it. The libraries stay open until the program ends, because
/// MPI may still refer to their functions.
class Plugins {
public:
    Plugins() = default;

    /// Adds a test. Local. \param builtin  tests whose names are taken
    /// \throws measure::UsageError that describes the problem
    void add(mpiperf_test const& test, std::span<Test const> builtin);

    [[nodiscard]] std::span<Test const> tests() const noexcept { return tests_; }

private:
    std::vector<std::unique_ptr<PluginTest>> owned_;
    std::vector<Test> tests_;
};

/// Opens the libraries on every rank and lets them add their tests. Collective.
/// \param files  as on the command line; a name without a slash refers to the current folder
/// \throws measure::UsageError on all ranks if a rank cannot open a file, a version does not match, a test is invalid,
///     or the ranks find different tests
[[nodiscard]] Plugins load_plugins(measure::Comm const& world, std::span<std::string const> files);

}  // namespace mpiperf
