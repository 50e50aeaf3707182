// SPDX-License-Identifier: BSD-3-Clause
#include "measure/error.hpp"

#include "measure/callback.hpp"

#include <fmt/format.h>

#include <filesystem>

namespace measure {

void detail::call_of_nothing() { throw UsageError("an empty callback was called"); }

std::string error_text(std::exception const& error) {
    auto const* const file = dynamic_cast<std::filesystem::filesystem_error const*>(&error);
    return file != nullptr ? fmt::format("'{}': {}", file->path1().string(), file->code().message()) : error.what();
}

}  // namespace measure
