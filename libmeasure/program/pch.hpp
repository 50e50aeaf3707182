// SPDX-License-Identifier: BSD-3-Clause
/// Precompiled header of all frontends: the headers that most of their sources include. Every source still includes
/// the headers that it needs; `tools/check --all` compiles each source without this header.
#include "program/cli/values.hpp"
#include "program/runtime/session.hpp"

#include <measure/run.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>
