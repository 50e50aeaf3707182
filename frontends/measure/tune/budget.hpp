// SPDX-License-Identifier: BSD-3-Clause
/// Budget: estimates the time of the phases after the check, and omits sizes that do not fit. Local.
#pragma once

#include "tune/context.hpp"

namespace measure::tool::tune {

/// Prints the expected launches and time. If the time exceeds the rest of the budget, omits the largest sizes and
/// reports that. \throws BudgetSpent
void keep_within_budget(Context& c);

}  // namespace measure::tool::tune
