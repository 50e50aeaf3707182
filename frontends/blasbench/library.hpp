// SPDX-License-Identifier: BSD-3-Clause
/// Library: finds, opens and identifies BLAS libraries at run time. Local. Changes the environment of this process.
#pragma once

#include "blasbench/blas.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace blasbench {

/// The names that --blas accepts in addition to paths and "builtin".
[[nodiscard]] std::span<std::string_view const> library_names() noexcept;

/// Where to search for libraries. The loader's search path is not used for the reference library, because its plain
/// name resolves to whatever library the distribution's alternatives select.
struct Search {
    std::string folder{};  ///< contains "blas", "openblas-*", "blis-*"; by default the folder of libc
    bool loader = true;    ///< try the loader's search path first (never for "ref")
};
[[nodiscard]] Search standard_search();

/// The files to try for a name of `library_names`, in order of preference.
[[nodiscard]] std::vector<std::string> candidates(std::string_view name, Search const& search);

/// Whether the file name indicates 64-bit integers: "libopenblas64.so.0".
[[nodiscard]] bool has_64_bit_name(std::string_view file);

/// Whether the path contains the folder of a vendor's library ("openblas-pthread", "blis-openmp", "atlas", "mkl").
[[nodiscard]] bool is_in_vendor_folder(std::string_view file);

/// Sets the number of threads of all libraries that are opened later.
void set_threads(int threads);

/// Tries each of these numbers of threads. \throws measure::UsageError if the library does not accept one of them
void check_threads(Blas const& blas, std::span<int const> threads);

/// Opens a library without exporting its symbols. It stays open because its threads may keep running.
/// \param name  one of `library_names`, "builtin", or a file
/// \throws measure::UsageError with the loader's reason if loading fails; if "ref" is a vendor's library; if the
/// library uses 64-bit integers
[[nodiscard]] Blas open(std::string const& name, Search const& search);

/// The library that is measured without --blas: the reference library, or the built-in loops if it is not installed.
/// \param vendor  open the first vendor's library that works instead
/// \throws measure::UsageError if `vendor` is set and no vendor's library can be opened
[[nodiscard]] Blas open_default(bool vendor, Search const& search);

/// Whether the library does not know this processor and selected kernels without its vector instructions.
[[nodiscard]] bool has_too_old_kernels(Blas const& blas);

/// One line for each name: the library that was found, or the reason why none was.
[[nodiscard]] std::string list(Search const& search);

}  // namespace blasbench
