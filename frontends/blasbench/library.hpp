// SPDX-License-Identifier: BSD-3-Clause
/// Library: how BLAS libraries are found, opened and told apart at run time. Local; changes this process' environment.
#pragma once

#include "blasbench/blas.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace blasbench {

/// Names that --blas knows besides paths and "builtin".
[[nodiscard]] std::span<std::string_view const> library_names() noexcept;

/// Where libraries are looked for. The loader's own search is not asked for the reference library: under its plain name
/// it hands out whatever the distribution's alternatives point at.
struct Search {
    std::string folder{};  ///< with "blas", "openblas-*", "blis-*" in it: the one that libc is in
    bool loader = true;    ///< ask the loader's search path first, where that is allowed
};
[[nodiscard]] Search standard_search();

/// The files to try for a name of `library_names`, in this order.
[[nodiscard]] std::vector<std::string> candidates(std::string_view name, Search const& search);

/// The name of a file says that its integers have 64 bits: "libopenblas64.so.0".
[[nodiscard]] bool has_64_bit_name(std::string_view file);

/// The folder of a file is one of a vendor's library ("openblas-pthread", "blis-openmp", "atlas", "mkl").
[[nodiscard]] bool is_in_vendor_folder(std::string_view file);

/// Tells the libraries that are opened after this how many threads to use.
void set_threads(int threads);

/// Tries each of these numbers of threads. \throws measure::UsageError where the library cannot change to one of them
void check_threads(Blas const& blas, std::span<int const> threads);

/// Opens a library, with symbols that only it sees; it stays open, because its threads may outlive it.
/// \param name  one of `library_names`, "builtin", or a file
/// \throws measure::UsageError with the loader's reason; where "ref" is a vendor's; for 64-bit integers
[[nodiscard]] Blas open(std::string const& name, Search const& search);

/// What is measured where nothing is named: the reference library or, without one, the loops; for the vendors' program
/// the first vendor's library that can be opened.
/// \throws measure::UsageError where no vendor's library can
[[nodiscard]] Blas open_default(bool vendor, Search const& search);

/// The library does not know this processor and has chosen kernels without its vector instructions.
[[nodiscard]] bool has_too_old_kernels(Blas const& blas);

/// A line for each name: what was found, or why nothing was.
[[nodiscard]] std::string list(Search const& search);

}  // namespace blasbench
