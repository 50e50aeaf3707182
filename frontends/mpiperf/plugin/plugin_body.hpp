// SPDX-License-Identifier: BSD-3-Clause
/// The body of a plugin's test: one call by a pointer for each run.
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

/// What a plugin is told of a point. The message stays valid as long as this.
class PluginPoint {
public:
    PluginPoint(PluginTest const& test, measure::Comm const& team, std::int64_t count, bodies::Root root) noexcept;
    PluginPoint(PluginPoint const&) = delete;
    PluginPoint& operator=(PluginPoint const&) = delete;

    [[nodiscard]] mpiperf_params const& params() const noexcept { return params_; }
    /// What the plugin says, which may be negative.
    [[nodiscard]] bodies::Sizes buffers() const;
    /// The context of the test. \throws std::bad_alloc; std::runtime_error with the plugin's message
    [[nodiscard]] void* init() const;

private:
    PluginTest const& test_;
    std::array<char, MPIPERF_MESSAGE_SIZE> message_{};
    mpiperf_params params_{};
};

/// False where the plugin reports an error. Move-only. It must not outlive the test.
class PluginBody {
public:
    /// May communicate: the plugin's init. \throws what PluginPoint::init throws
    PluginBody(PluginTest const& test, PluginPoint const& point, bodies::Buffers memory, bodies::Root root);

    bool operator()(measure::Iteration it) const noexcept {
        mpiperf_run const run = at(it);
        return run_(context_.get(), &run) == MPI_SUCCESS;
    }
    /// Has the plugin verify itself. Collective. \return what is wrong, "" where nothing is
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

/// The row of the catalogue. It refers to `test`.
[[nodiscard]] Test plugin_test(PluginTest const& test) noexcept;

}  // namespace mpiperf
