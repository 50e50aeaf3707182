// SPDX-License-Identifier: BSD-3-Clause
/// Agreement on failure: an exception on one rank is thrown on all, so that none waits for another that has left.
#pragma once

#include "measure/callback.hpp"
#include "measure/comm.hpp"

#include <optional>
#include <type_traits>
#include <utility>

#pragma GCC visibility push(default)
namespace measure {

namespace detail {
/// \{
/// Runs the work, on all ranks or on the root alone, and throws on all ranks what it threw on the lowest that threw.
void agree_on_failure(Comm const& comm, Callback<void()> const& work);
void on_root(Comm const& comm, Callback<void()> const& work);
/// \}
}  // namespace detail

/// Calls f() on every rank. Where it throws on some, all ranks throw what it threw on the lowest of these: UsageError,
/// std::bad_alloc, Interrupted and SkipPoint as such, anything else as std::runtime_error; texts of errors name the
/// rank unless it is the root. What f() communicates must be complete before it throws. Collective.
/// \return what f() returns on this rank
template <class F>
auto agree_on_failure(Comm const& comm, F&& f) {
    using Result = std::invoke_result_t<F&>;
    if constexpr (std::is_void_v<Result>) {
        detail::agree_on_failure(comm, [&f] { f(); });
    } else {
        std::optional<Result> result;
        detail::agree_on_failure(comm, [&f, &result] { result.emplace(f()); });
        return std::move(*result);
    }
}

/// Calls f() on the root alone; what it throws there all ranks throw, as with agree_on_failure. Collective.
template <class F>
void on_root(Comm const& comm, F&& f) {
    detail::on_root(comm, [&f] { f(); });
}

}  // namespace measure
#pragma GCC visibility pop
