// SPDX-License-Identifier: BSD-3-Clause
/// The body of a plugin's test: one call through a pointer for each run.
#pragma once

#include "bodies/buffers.hpp"
#include "bodies/collectives.hpp"
#include "mpiperf/catalogue/catalogue.hpp"
#include "mpiperf/include/mpiperf_plugin.h"

#include <measure/comm.hpp>
#include <measure/operation.hpp>

#include <mpi.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>

namespace mpiperf {

struct PluginTest;

/// The description of a point for a plugin. The message buffer lives as long as this object.
class PluginPoint {
public:
    PluginPoint(PluginTest const& test, measure::Comm const& team, std::int64_t count, bodies::Root root) noexcept;
    PluginPoint(PluginPoint const&) = delete;
    PluginPoint& operator=(PluginPoint const&) = delete;

    [[nodiscard]] mpiperf_params const& params() const noexcept { return params_; }
    /// The sizes that the plugin requests; may be negative.
    [[nodiscard]] bodies::Sizes buffers() const;
    /// Creates the test's context. \throws std::bad_alloc; std::runtime_error with the plugin's message
    [[nodiscard]] void* init() const;

private:
    PluginTest const& test_;
    std::array<char, MPIPERF_MESSAGE_SIZE> message_{};
    mpiperf_params params_{};
};

/// Returns false if the plugin reports an error. Move-only. It must not outlive the test.
class PluginBody {
public:
    /// Runs the plugin's init, which may communicate. \throws the exceptions of PluginPoint::init
    PluginBody(PluginTest const& test, PluginPoint const& point, bodies::Buffers memory, bodies::Root root);

    bool operator()(measure::Iteration it) const noexcept {
        mpiperf_run const run = at(it);
        return run_(context_.get(), &run) == MPI_SUCCESS;
    }
    /// Lets the plugin verify its result. Collective. \returns the problem, or an empty text
    [[nodiscard]] std::string check() const;

private:
    [[nodiscard]] mpiperf_run at(measure::Iteration it) const noexcept {
        return {it.index, root_.at(it, size_), memory_.send(it), memory_.receive(it)};
    }

    int (*run_)(void*, mpiperf_run const*);
    bodies::Root root_;
    int size_;
    bodies::Buffers memory_;
    PluginTest const* test_;
    std::unique_ptr<void, void (*)(void*)> context_;
};

/// The plugin's row of the catalogue. It refers to `test`.
[[nodiscard]] Test plugin_test(PluginTest const& test) noexcept;

}  // namespace mpiperf
