// SPDX-License-Identifier: BSD-3-Clause
/// Campaign: makes all measurements of a setup that the log does not list as finished.
#pragma once

#include "program/runtime/session.hpp"
#include "skampi/options.hpp"
#include "skampi/setup.hpp"

namespace skampi {

/// Collective over the session's world.
void measure_suite(Options const& options, Setup const& setup, program::Session& session);

}  // namespace skampi
