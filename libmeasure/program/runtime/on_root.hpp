// SPDX-License-Identifier: BSD-3-Clause
/// on_root: what only the root can do, so that its failure is everyone's.
#pragma once

#include <measure/comm.hpp>
#include <measure/error.hpp>

#include <exception>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace program {

/// What an exception says to people: of a file system error the path and the reason.
[[nodiscard]] inline std::string error_text(std::exception const& error) {
    auto const* const file = dynamic_cast<std::filesystem::filesystem_error const*>(&error);
    return file != nullptr ? "'" + file->path1().string() + "': " + file->code().message() : error.what();
}

/// Calls `work()` on the root. What it throws there is thrown on all ranks: measure::UsageError as such, everything
/// else as std::runtime_error with its text. Collective.
template <class Work>
void on_root(measure::Comm const& comm, Work&& work) {
    enum Failure : int { none, usage, other };
    int failure = none;
    std::string text;
    if (comm.is_root()) {
        try {
            work();
        } catch (measure::UsageError const& error) {
            failure = usage;
            text = error.what();
        } catch (std::exception const& error) {
            failure = other;
            text = error_text(error);
        }
    }
    comm.broadcast(failure);
    if (failure == none)
        return;
    comm.broadcast(text);
    if (failure == usage)
        throw measure::UsageError(text);
    throw std::runtime_error(text);
}

}  // namespace program
