// mpi_alone.cpp with the standard headers that the library's header includes.
// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_alone.cpp"

#include <array>
#include <bit>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <initializer_list>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>
