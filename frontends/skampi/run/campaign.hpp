// SPDX-License-Identifier: BSD-3-Clause
/// Campaign: all measurements of a setup, in the order that the log leaves.
#pragma once

#include "program/runtime/session.hpp"
#include "skampi/options.hpp"
#include "skampi/setup.hpp"

namespace skampi {

/// Collective over the session's world.
void measure_suite(Options const& options, Setup const& setup, program::Session& session);

}  // namespace skampi
