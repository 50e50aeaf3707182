// SPDX-License-Identifier: BSD-3-Clause
#include "program/cli/shown.hpp"

#include "program/cli/values.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

namespace program::detail {

std::string shown(std::string const& value) { return value; }
std::string shown(bool value) { return value ? "on" : "off"; }
std::string shown(std::int64_t value) { return fmt::format("{}", value); }
std::string shown(std::uint64_t value) { return fmt::format("{}", value); }
std::string shown(int value) { return fmt::format("{}", value); }
std::string shown(double value) { return fmt::format("{:g}", value); }
std::string shown(measure::seconds value) { return duration_text(value); }

std::string joined(std::vector<std::string> const& texts) { return fmt::format("{}", fmt::join(texts, ",")); }

std::string with_default(std::string help, std::string const& value) {
    return value.empty() ? std::move(help) : fmt::format("{} (default {})", help, value);
}

}  // namespace program::detail
