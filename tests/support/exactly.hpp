// SPDX-License-Identifier: BSD-3-Clause
/// Equal but for rounding: what a formula gives where the test has another way to the same number.
#pragma once

#include "support/catch.hpp"

namespace test {

/// Within 1e-12 of x, relatively.
inline auto exactly(double x) { return Catch::Matchers::WithinRel(x, 1e-12); }

}  // namespace test
