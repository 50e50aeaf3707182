// SPDX-License-Identifier: BSD-3-Clause
#include "mpiperf/plugin/plugin.hpp"

#include "mpiperf/plugin/plugin_body.hpp"
#include "program/cli/values.hpp"

#include <measure/agree.hpp>
#include <measure/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <dlfcn.h>
#include <exception>

namespace mpiperf {

namespace {

using measure::UsageError;

/// The data that the plugin's callback works on, and the first error. Exceptions must not pass through the plugin.
struct Registration {
    Plugins& plugins;
    std::span<Test const> builtin;
    std::string error{};
};

int add_test(mpiperf_registry* registry, mpiperf_test const* test) noexcept {
    auto& registration = *static_cast<Registration*>(registry->tests);
    try {
        registration.plugins.add(*test, registration.builtin);
        return 0;
    } catch (std::exception const& error) {
        if (registration.error.empty())
            registration.error = error.what();
        return 1;
    }
}

/// The function of that name. \throws UsageError with the message of the linker
template <class F>
F* symbol(void* library, char const* name) {
    void* const address = ::dlsym(library, name);
    if (address == nullptr)
        throw UsageError(::dlerror());
    return reinterpret_cast<F*>(address);
}

/// Local. \throws UsageError
void load(Plugins& plugins, std::string const& file) {
    std::string const path = file.find('/') == std::string::npos ? "./" + file : file;
    void* const library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr)
        throw UsageError(::dlerror());
    int const version = symbol<int()>(library, "mpiperf_plugin_version")();
    if (version != MPIPERF_PLUGIN_VERSION)
        throw UsageError(fmt::format("built for version {} of mpiperf_plugin.h, but mpiperf has version {}", version,
                                     MPIPERF_PLUGIN_VERSION));
    Registration registration{plugins, tests()};
    mpiperf_registry registry{&registration, add_test};
    int const code = symbol<int(mpiperf_registry*)>(library, "mpiperf_plugin")(&registry);
    if (!registration.error.empty())
        throw UsageError(registration.error);
    if (code != 0)
        throw UsageError(fmt::format("its function mpiperf_plugin returned {}", code));
}

std::string names(Plugins const& plugins) {
    std::string all;
    for (Test const& test : plugins.tests())
        all += fmt::format("{}{}", all.empty() ? "" : " ", test.name);
    return all;
}

/// Collective. \throws UsageError if this rank's tests differ from the root's
void check_alike(measure::Comm const& world, std::string const& mine) {
    auto roots = mine;
    world.broadcast(roots);
    if (mine != roots)
        throw UsageError(fmt::format("the tests are '{}', but on the root '{}'", mine, roots));
}

}  // namespace

void Plugins::add(mpiperf_test const& test, std::span<Test const> builtin) {
    std::string const name = test.name != nullptr ? test.name : "";
    if (name.empty() || name.find_first_of(" \t\n\r,:") != std::string::npos)
        throw UsageError(fmt::format("'{}' is not a valid test name", name));
    if (test.run == nullptr)
        throw UsageError(fmt::format("the test '{}' has no function run", name));
    if (test.element < 0)
        throw UsageError(fmt::format("the test '{}' has elements of {} bytes", name, test.element));
    auto const taken = [&](Test const& other) { return program::lower(other.name) == program::lower(name); };
    for (auto const& list : {builtin, tests()})
        if (std::any_of(list.begin(), list.end(), taken))
            throw UsageError(fmt::format("a test '{}' already exists", name));
    auto const& owned = *owned_.emplace_back(
        std::make_unique<PluginTest>(PluginTest{name, test.text != nullptr ? test.text : "", test}));
    tests_.push_back(plugin_test(owned));
}

Plugins load_plugins(measure::Comm const& world, std::span<std::string const> files) {
    Plugins plugins;
    for (std::string const& file : files) {
        auto const with_file = [&](auto&& work) {
            measure::agree_on_failure(world, [&] {
                try {
                    work();
                } catch (std::exception const& error) {
                    throw UsageError(fmt::format("--plugin {}: {}", file, error.what()));
                }
            });
        };
        with_file([&] { load(plugins, file); });
        with_file([&] { check_alike(world, names(plugins)); });
    }
    return plugins;
}

}  // namespace mpiperf
