// SPDX-License-Identifier: BSD-3-Clause
/// A plugin's tests as C++ callables: no exception crosses the C boundary, and what a point needs dies with its object.
///
///     MPIPERF_PLUGIN(registry) {
///         return mpiperf_plugins::add(
///             registry,
///             {.name = "BinomialBcast",
///              .text = "c bytes of the root along a binomial tree",
///              .rooted = true,
///              .buffers = [](mpiperf_params const& params) { return mpiperf_plugins::Sizes{.send = params.bytes}; }},
///             [](mpiperf_params const& params) { return Binomial{params}; });
///     }
#pragma once

#include "mpiperf_plugin.h"

#include <concepts>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

/// What a plugin in C++ uses.
namespace mpiperf_plugins {

/// Bytes of one process's buffers.
struct Sizes {
    std::int64_t send = 0;     ///< that a run reads, and may change
    std::int64_t receive = 0;  ///< for what a run brings
};

/// What mpiperf knows of a test before it measures it.
struct Description {
    char const* name;            ///< without blanks; letter case is ignored where tests are looked for
    char const* text = nullptr;  ///< its arguments, for people who list the tests
    std::int64_t element = 1;    ///< bytes of one of the count; 0: the count is ignored
    bool rooted = false;         ///< has a root
    Sizes (*buffers)(mpiperf_params const&) = nullptr;  ///< of this process at a point; none without it. Local
};

/// What a point is measured with: a callable that executes the operation once and returns an MPI code or nothing. Where
/// it has a member `bool verify(mpiperf_run const&)`, that executes once and looks at the result.
template <class B>
concept Body = std::invocable<B&, mpiperf_run const&>;

namespace detail {

template <class F>
int code_of(F&& call) noexcept {
    try {
        if constexpr (std::is_void_v<std::invoke_result_t<F>>) {
            call();
            return MPI_SUCCESS;
        } else {
            return call();
        }
    } catch (...) {
        return MPI_ERR_OTHER;
    }
}

/// The C functions of the test that `Init` makes.
template <class Init>
struct Calls {
    using Body = std::invoke_result_t<Init&, mpiperf_params const&>;
    struct Self {
        Init init;
        Sizes (*sizes)(mpiperf_params const&);
    };

    static void buffers(void* self, mpiperf_params const* params, std::int64_t* send, std::int64_t* receive) noexcept {
        auto const sizes = static_cast<Self*>(self)->sizes(*params);
        *send = sizes.send;
        *receive = sizes.receive;
    }
    static int init(void* self, mpiperf_params const* params, void** context) noexcept {
        try {
            *context = new Body(static_cast<Self*>(self)->init(*params));
            return MPI_SUCCESS;
        } catch (std::bad_alloc const&) {
            return MPI_ERR_NO_MEM;
        } catch (std::exception const& error) {
            std::snprintf(params->message, MPIPERF_MESSAGE_SIZE, "%s", error.what());
        } catch (...) {
            std::snprintf(params->message, MPIPERF_MESSAGE_SIZE, "unknown exception");
        }
        return MPI_ERR_OTHER;
    }
    static int run(void* context, mpiperf_run const* run) noexcept {
        return code_of([&]() -> decltype(auto) { return std::invoke(*static_cast<Body*>(context), *run); });
    }
    static int verify(void* context, mpiperf_run const* run) noexcept {
        return code_of([&] { return static_cast<Body*>(context)->verify(*run) ? MPI_SUCCESS : MPI_ERR_OTHER; });
    }
    static void free(void* context) noexcept { delete static_cast<Body*>(context); }
};

}  // namespace detail

/// Adds a test. \param init  callable with mpiperf_params const&; makes a point's body, and may throw
/// \return what the plugin's function returns, where it is not 0
template <class Init>
requires Body<std::invoke_result_t<Init&, mpiperf_params const&>>
int add(mpiperf_registry* registry, Description const& description, Init init) {
    using Calls = detail::Calls<Init>;
    using Self = typename Calls::Self;
    static std::vector<std::unique_ptr<Self>> kept;  // as long as the plugin
    kept.push_back(std::make_unique<Self>(Self{std::move(init), description.buffers}));
    mpiperf_test test{};
    test.name = description.name;
    test.text = description.text;
    test.element = description.element;
    test.rooted = description.rooted;
    test.self = kept.back().get();
    test.buffers = description.buffers != nullptr ? Calls::buffers : nullptr;
    test.init = Calls::init;
    test.run = Calls::run;
    if constexpr (requires(typename Calls::Body & body, mpiperf_run const& run) {
                      { body.verify(run) } -> std::same_as<bool>;
                  })
        test.verify = Calls::verify;
    test.free = Calls::free;
    return registry->add(registry, &test);
}

}  // namespace mpiperf_plugins
