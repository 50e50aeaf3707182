// SPDX-License-Identifier: BSD-3-Clause
/// Agreement on failure: an exception on one rank is thrown on all ranks, so that no rank waits for one that has left.
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
/// Runs the work on all ranks, or on the root only. If it throws, the exception of the lowest rank that threw is thrown
/// on all ranks.
void agree_on_failure(Comm const& comm, Callback<void()> const& work);
void on_root(Comm const& comm, Callback<void()> const& work);
/// \}
}  // namespace detail

/// Calls f() on every rank. Collective. f() must complete its communication before it throws.
///
/// If f() throws on any rank, the exception of the lowest rank that threw is thrown on all ranks. UsageError,
/// std::bad_alloc, Interrupted and SkipPoint keep their type; any other exception becomes a std::runtime_error. The
/// text of UsageError and std::runtime_error names the rank, unless it is the root.
/// \return the result of f() on this rank
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

/// Calls f() on the root only. If it throws, all ranks throw, as with `agree_on_failure`. Collective.
template <class F>
void on_root(Comm const& comm, F&& f) {
    detail::on_root(comm, [&f] { f(); });
}

}  // namespace measure
#pragma GCC visibility pop
