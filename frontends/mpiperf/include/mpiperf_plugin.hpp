// SPDX-License-Identifier: BSD-3-Clause
/// A plugin's tests as C++ callables: no exception crosses the C boundary, and an object owns the resources of a
/// point.
///
///     MPIPERF_PLUGIN(registry) {
///         return mpiperf_plugins::add(
///             registry,
///             {.name = "BinomialBcast",
///              .text = "c bytes from the root along a binomial tree",
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

/// Helpers for plugins in C++.
namespace mpiperf_plugins {

/// Sizes of one process's buffers, in bytes.
struct Sizes {
    std::int64_t send = 0;     ///< read by a run, which may also change it
    std::int64_t receive = 0;  ///< filled by a run
};

/// Properties of a test that mpiperf needs before the measurement.
struct Description {
    char const* name;                                   ///< without blanks; letter case is ignored
    char const* text = nullptr;                         ///< short description of the arguments for the list of tests
    std::int64_t element = 1;                           ///< size of an element in bytes; 0: the count is ignored
    bool rooted = false;                                ///< whether the test has a root
    Sizes (*buffers)(mpiperf_params const&) = nullptr;  ///< sizes on this process at a point; null: no buffers. Local
};

/// The body of a point: a callable that executes the operation once and returns an MPI code or nothing. An optional
/// member `bool verify(mpiperf_run const&)` executes once and checks the result.
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

/// The C functions of the test made from `Init`.
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

/// Adds a test. \param init  callable with mpiperf_params const&; makes the body of a point; may throw
/// \returns 0, or nonzero, which the plugin's function should return
template <class Init>
requires Body<std::invoke_result_t<Init&, mpiperf_params const&>>
int add(mpiperf_registry* registry, Description const& description, Init init) {
    using Calls = detail::Calls<Init>;
    using Self = typename Calls::Self;
    static std::vector<std::unique_ptr<Self>> kept;  // lives as long as the plugin
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
