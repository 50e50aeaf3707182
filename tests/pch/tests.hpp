// SPDX-License-Identifier: BSD-3-Clause
/// Precompiled header of all unit tests.
#include "support/catch.hpp"

#include <algorithm>
#include <string>
#include <vector>
