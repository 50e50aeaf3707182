// SPDX-License-Identifier: BSD-3-Clause
/// Report: a profile as text of 80 columns and as a page. Pure, local.
#pragma once

#include "analysis/guidelines/guidelines.hpp"
#include "page/document.hpp"
#include "profile/profile.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace measure::tool {

struct ProfileReport {
    Profile profile{};
    std::vector<JudgedCost> judged{};            ///< [profile.costs]; empty if there are no measured costs
    std::vector<GuidelineCheck> violated{};      ///< guidelines that MPI violates for calls of the application
    std::map<std::string, std::string> sites{};  ///< maps "solver+0x1f3a" to "halo.c:42 exchange"
    std::size_t top = 10;                        ///< number of keys shown
};

[[nodiscard]] page::Document profile_document(ProfileReport const& report);

/// The report with a matrix of calls and sizes.
[[nodiscard]] page::Document profile_page(ProfileReport const& report);

}  // namespace measure::tool
