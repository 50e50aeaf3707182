// SPDX-License-Identifier: BSD-3-Clause
/// Budget: what all the rest will take, as the check has seen it, and what is left out for it. Local.
#pragma once

#include "tune/context.hpp"

namespace measure::tool::tune {

/// Says what is expected. Where that is more than what is left of the budget, the largest sizes are left out, which is
/// said too. \throws BudgetSpent
void keep_within_budget(Context& c);

}  // namespace measure::tool::tune
