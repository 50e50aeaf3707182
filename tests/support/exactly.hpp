// SPDX-License-Identifier: BSD-3-Clause
/// Equal except for rounding: compares a value with a formula that the test computes in another way.
#pragma once

#include "support/catch.hpp"

namespace test {

/// Within 1e-12 of x, relatively.
inline auto exactly(double x) { return Catch::Matchers::WithinRel(x, 1e-12); }

}  // namespace test
