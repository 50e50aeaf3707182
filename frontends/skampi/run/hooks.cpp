// SPDX-License-Identifier: BSD-3-Clause
#include "skampi/run/hooks.hpp"

#include "program/cli/values.hpp"

#include <measure/error.hpp>

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <thread>

namespace skampi {

void Hooks::misbehave(std::string_view measurement, std::int64_t point) const {
    if (measurement == abort && point == abort_at)
        std::abort();
    while (measurement == hang)
        std::this_thread::sleep_for(std::chrono::seconds{1});
}

Hooks read_hooks(program::Session& session) {
    Hooks hooks;
    auto const read = [&](std::string const& name, auto&& apply) {
        if (auto const value = session.test_hook(name)) {
            apply(*value, name);
            hooks.active.emplace_back(name, *value);
        }
    };
    read("SKAMPI_TEST_ABORT", [&](std::string const& value, std::string const& name) {
        auto const colon = value.rfind(':');
        hooks.abort = value.substr(0, colon);
        if (colon != std::string::npos)
            hooks.abort_at = program::as::Integer{.low = 0}({name, value.substr(colon + 1)});
    });
    read("SKAMPI_TEST_HANG", [&](std::string const& value, std::string const&) { hooks.hang = value; });
    read("SKAMPI_TEST_CORRUPT", [&](std::string const& value, std::string const&) { hooks.corrupt = value; });
    read("SKAMPI_TEST_SLOW_RANK", [&](std::string const& value, std::string const& name) {
        auto const colon = value.find(':');
        if (colon == std::string::npos)
            throw measure::UsageError(fmt::format("{}: '{}' is not RANK:MICROSECONDS", name, value));
        hooks.slow_rank = program::as::Int{.low = 0}({name, value.substr(0, colon)});
        hooks.late = measure::seconds{1e-6 * program::as::Number{.low = 0}({name, value.substr(colon + 1)})};
    });
    return hooks;
}

}  // namespace skampi
