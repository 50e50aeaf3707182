// SPDX-License-Identifier: BSD-3-Clause
#include "plugin.hpp"

#include "plugin_body.hpp"
#include "program/cli/values.hpp"

#include <measure/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <dlfcn.h>
#include <exception>
#include <utility>

namespace mpiperf {

namespace {

using measure::UsageError;

/// What the plugin's function sees, and what came of it. Exceptions must not pass through the plugin.
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

/// The function of that name. \throws UsageError with the linker's words
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
        throw UsageError(fmt::format("made for version {} of mpiperf_plugin.h, this is version {}", version,
                                     MPIPERF_PLUGIN_VERSION));
    Registration registration{plugins, tests()};
    mpiperf_registry registry{&registration, add_test};
    int const code = symbol<int(mpiperf_registry*)>(library, "mpiperf_plugin")(&registry);
    if (!registration.error.empty())
        throw UsageError(registration.error);
    if (code != 0)
        throw UsageError(fmt::format("its function mpiperf_plugin returns {}", code));
}

/// All ranks throw the first error of any. Collective.
void agree(measure::Comm const& world, std::string const& file, std::string const& error) {
    if (world.max(error.empty() ? 0 : 1) == 0)
        return;
    auto const errors = world.gather(error);
    std::string text;
    for (std::size_t i = 0; i < errors.size() && text.empty(); ++i)
        if (!errors[i].empty())
            text = i == 0 ? errors[i] : fmt::format("rank {}: {}", i, errors[i]);
    world.broadcast(text);
    throw UsageError(fmt::format("--plugin {}: {}", file, text));
}

std::string names(Plugins const& plugins) {
    std::string all;
    for (Test const& test : plugins.tests())
        all += fmt::format("{}{}", all.empty() ? "" : " ", test.name);
    return all;
}

/// Empty where this rank has the root's tests. Collective.
std::string difference(measure::Comm const& world, Plugins const& plugins) {
    auto const mine = names(plugins);
    auto roots = mine;
    world.broadcast(roots);
    return mine == roots ? "" : fmt::format("the tests are '{}', on the root '{}'", mine, roots);
}

}  // namespace

void Plugins::add(mpiperf_test const& test, std::span<Test const> builtin) {
    std::string const name = test.name != nullptr ? test.name : "";
    if (name.empty() || name.find_first_of(" \t\n\r,") != std::string::npos)
        throw UsageError(fmt::format("'{}' is no name for a test", name));
    if (test.run == nullptr)
        throw UsageError(fmt::format("the test '{}' has no function run", name));
    if (test.element < 0)
        throw UsageError(fmt::format("the test '{}' has elements of {} bytes", name, test.element));
    auto const taken = [&](Test const& other) { return program::lower(other.name) == program::lower(name); };
    for (auto const& list : {builtin, tests()})
        if (std::any_of(list.begin(), list.end(), taken))
            throw UsageError(fmt::format("there is a test '{}' already", name));
    auto const& owned = *owned_.emplace_back(
        std::make_unique<PluginTest>(PluginTest{name, test.text != nullptr ? test.text : "", test}));
    tests_.push_back(plugin_test(owned));
}

Plugins load_plugins(measure::Comm const& world, std::span<std::string const> files) {
    Plugins plugins;
    for (std::string const& file : files) {
        std::string error;
        try {
            load(plugins, file);
        } catch (std::exception const& e) {
            error = e.what();
        }
        agree(world, file, error);
        agree(world, file, difference(world, plugins));
    }
    return plugins;
}

}  // namespace mpiperf
