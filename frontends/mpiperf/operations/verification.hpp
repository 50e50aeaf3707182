// SPDX-License-Identifier: BSD-3-Clause
/// Names from `bodies/verification.hpp` in the namespace of mpiperf.
#pragma once

#include "bodies/verification.hpp"

namespace mpiperf {

using bodies::check_data;
using bodies::Checking;
using bodies::CollectiveData;
using bodies::FixedData;
using bodies::in_sample;
using bodies::neighbour_data;
using bodies::Trial;
using bodies::Verified;

}  // namespace mpiperf
