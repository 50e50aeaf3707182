// SPDX-License-Identifier: BSD-3-Clause
/// Tables: the parts of the catalogue, one for each pattern. Each is defined next to the functions that it refers to.
#pragma once

#include "bodies/point_to_point.hpp"
#include "skampi/routines/catalogue.hpp"

#include <span>

namespace skampi {

[[nodiscard]] std::span<Routine const> simple_routines() noexcept;
[[nodiscard]] std::span<Routine const> point_to_point_routines() noexcept;
[[nodiscard]] std::span<Routine const> master_worker_routines() noexcept;
[[nodiscard]] std::span<Routine const> collective_routines() noexcept;
[[nodiscard]] std::span<Routine const> one_sided_routines() noexcept;
[[nodiscard]] std::span<Routine const> kernel_routines() noexcept;

using bodies::worse;

}  // namespace skampi
