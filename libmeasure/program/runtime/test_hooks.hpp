// SPDX-License-Identifier: BSD-3-Clause
/// Test hooks: environment variables MEASURE_TEST_* that make a program misbehave on purpose, for its tests. A build
/// without tests ignores them with a warning.
#pragma once

#include <measure/comm.hpp>
#include <measure/units.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace program {

/// The root's environment variable on every rank; no value if it is not set or empty. Collective. Programs call
/// Session::test_hook instead, which respects `obeys_hooks`.
[[nodiscard]] std::optional<std::string> read_hook(measure::Comm const& comm, std::string const& name);

/// Whether this build obeys test hooks.
[[nodiscard]] bool obeys_hooks() noexcept;

/// The warning about a hook that is set. \param obeyed  whether the build obeys it
[[nodiscard]] std::string hook_warning(std::string const& name, std::string const& value, bool obeyed);

/// MEASURE_TEST_DELAY=RANK:RUN:DURATION: the rank sleeps for the duration before this run.
struct Delay {
    int rank = 0;
    std::int64_t run = 0;
    measure::seconds duration{0};
};

/// \throws measure::UsageError
[[nodiscard]] Delay delay_from(std::string const& text);

}  // namespace program
