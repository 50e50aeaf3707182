// SPDX-License-Identifier: BSD-3-Clause
/// Not known: values in records for data that their source does not contain. Pure.
#pragma once

#include "measure/record.hpp"

#include <string>
#include <string_view>

#pragma GCC visibility push(default)
namespace measure {

/// Name of the MPI library or timer if the source of a record does not name it.
inline constexpr char const* not_named = "unknown";

/// Flag of a point whose source does not contain the number of samples. Its counts are 0.
inline constexpr std::string_view samples_unknown = "samples_unknown";

/// Numbers of valid samples and of samples tried for a table: "30/32", or "-" if they are not known.
/// \param between  text between the two numbers
[[nodiscard]] std::string samples_text(Record const& record, std::string_view between = "/");

}  // namespace measure
#pragma GCC visibility pop
