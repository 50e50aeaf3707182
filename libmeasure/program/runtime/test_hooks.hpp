// SPDX-License-Identifier: BSD-3-Clause
/// Test hooks: environment variables MEASURE_TEST_* that make a program misbehave on purpose, for its tests. A build
/// without tests obeys none, and says so.
#pragma once

#include <measure/comm.hpp>
#include <measure/units.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace program {

/// The root's environment variable on every rank; nothing where it is not set or empty. Collective. Programs call
/// Session::test_hook, which obeys the build.
[[nodiscard]] std::optional<std::string> read_hook(measure::Comm const& comm, std::string const& name);

/// Whether this build obeys test hooks.
[[nodiscard]] bool obeys_hooks() noexcept;

/// The warning of a hook that is set. \param obeyed  by the build
[[nodiscard]] std::string hook_warning(std::string const& name, std::string const& value, bool obeyed);

/// MEASURE_TEST_DELAY=RANK:RUN:DURATION: that rank sleeps before that run.
struct Delay {
    int rank = 0;
    std::int64_t run = 0;
    measure::seconds duration{0};
};

/// \throws measure::UsageError
[[nodiscard]] Delay delay_from(std::string const& text);

}  // namespace program
