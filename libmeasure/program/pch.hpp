// SPDX-License-Identifier: BSD-3-Clause
/// Precompiled for all frontends: what most of their sources include. Every source still names what it needs:
/// `tools/check --all` compiles each without this header.
#include "program/cli/values.hpp"
#include "program/runtime/session.hpp"

#include <measure/run.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>
