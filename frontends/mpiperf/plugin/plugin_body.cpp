// SPDX-License-Identifier: BSD-3-Clause
#include "mpiperf/plugin/plugin_body.hpp"

#include "mpiperf/plugin/plugin.hpp"

#include <measure/error.hpp>
#include <measure/run.hpp>

#include <fmt/format.h>

#include <new>
#include <optional>
#include <stdexcept>
#include <utility>

namespace mpiperf {

namespace {

void nothing_to_free(void*) noexcept {}

/// Volatile, so that the compiler cannot inline the call: the cost of an empty test of a plugin.
int (*volatile empty_run)(void*, mpiperf_run const*) = [](void*, mpiperf_run const*) -> int { return MPI_SUCCESS; };

/// The cost of a sample that only calls into a plugin and returns.
std::optional<measure::seconds> empty_call(measure::Comm const& team, measure::Plan const& plan) {
    auto* const run = empty_run;
    return measure::empty_sample(team, plan, [run](measure::Iteration it) {
        mpiperf_run const args{it.index, 0, nullptr, nullptr};
        return run(nullptr, &args) == MPI_SUCCESS;
    });
}

/// The plugin's buffer sizes. Refused on all ranks if they are invalid on one. Collective. \throws measure::UsageError
bodies::Sizes agreed_sizes(measure::Comm const& team, PluginTest const& test, PluginPoint const& point) {
    auto const sizes = point.buffers();
    bool const mine = sizes.send < 0 || sizes.receive < 0;
    if (team.max(mine ? 1 : 0) > 0)
        throw measure::UsageError(mine ? fmt::format("{}: buffer sizes of {} and {} bytes are not valid", test.name,
                                                     sizes.send, sizes.receive)
                                       : "");
    return sizes;
}

void build_plugin(Test const& of, Setting const& setting, measure::Benchmark& row) {
    row.empty = empty_call;
    row.make = maker(setting, [&test = *of.plugin, &setting](measure::Comm const& team, measure::Point const& at) {
        PluginPoint const point{test, team, at.integer("count"), setting.root};
        auto const sizes = agreed_sizes(team, test, point);
        auto memory = agreed_buffers(team, place(setting, team, at, sizes), sizes);
        return measure::op(PluginBody{test, point, std::move(memory), setting.root}).check([](PluginBody& body) {
            return body.check();
        });
    });
}

}  // namespace

PluginPoint::PluginPoint(PluginTest const& test, measure::Comm const& team, std::int64_t count,
                         bodies::Root root) noexcept
    : test_{test}, params_{.comm = team.native(),
                           .rank = team.rank(),
                           .size = team.size(),
                           .root = root.rank,
                           .count = count,
                           .bytes = count * test.calls.element,
                           .message = message_.data()} {}

bodies::Sizes PluginPoint::buffers() const {
    bodies::Sizes sizes;
    if (test_.calls.buffers != nullptr)
        test_.calls.buffers(test_.calls.self, &params_, &sizes.send, &sizes.receive);
    return sizes;
}

void* PluginPoint::init() const {
    void* context = nullptr;
    int const code = test_.calls.init != nullptr ? test_.calls.init(test_.calls.self, &params_, &context) : MPI_SUCCESS;
    if (code == MPI_ERR_NO_MEM)
        throw std::bad_alloc{};
    if (code != MPI_SUCCESS)
        throw std::runtime_error(
            fmt::format("{}: init failed: {}", test_.name,
                        message_[0] != '\0' ? std::string{message_.data()} : fmt::format("code {}", code)));
    return context;
}

PluginBody::PluginBody(PluginTest const& test, PluginPoint const& point, bodies::Buffers memory, bodies::Root root)
    : run_{test.calls.run}, root_{root}, size_{point.params().size}, memory_{std::move(memory)}, test_{&test},
      context_{point.init(), test.calls.free != nullptr ? test.calls.free : nothing_to_free} {}

std::string PluginBody::check() const {
    mpiperf_run const run = at({});
    bool const right = test_->calls.verify == nullptr || test_->calls.verify(context_.get(), &run) == MPI_SUCCESS;
    return right ? "" : fmt::format("{} gives a wrong result", test_->name);
}

Test plugin_test(PluginTest const& test) noexcept {
    return {.name = test.name,
            .text = test.text,
            .element = test.calls.element,
            .rooted = test.calls.rooted != 0,
            .expected = nullptr,
            .build = build_plugin,
            .plugin = &test};
}

}  // namespace mpiperf
