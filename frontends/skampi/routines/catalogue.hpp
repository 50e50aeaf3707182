// SPDX-License-Identifier: BSD-3-Clause
/// Catalogue: a table of all routines that can be measured.
#pragma once

#include "skampi/routines/calls.hpp"

#include <measure/semantics.hpp>
#include <measure/units.hpp>

#include <optional>
#include <span>
#include <string_view>

namespace skampi {

/// The coordination of processes that several routines share.
enum class Pattern { simple, point_to_point, master_worker, collective, one_sided, kernel };

/// Returns "simple", "point-to-point", "master-worker", "collective", "one-sided" or "kernel".
[[nodiscard]] std::string_view name(Pattern p) noexcept;
/// Returns the prefix of plot files: "simple", "p2p", "mw", "col", "osc" or "ker".
[[nodiscard]] std::string_view prefix(Pattern p) noexcept;

/// One routine.
struct Routine {
    std::string_view id;  ///< "MPI_Bcast", the value of the key Type in a parameter file
    Pattern pattern;
    std::string_view variations;  ///< parameters that can be varied: letters of L N C, or "-"
    std::string_view origin;      ///< "paper": the SKaMPI paper; "later": later releases and reports; "new"
    /// The measurements in the default suite: suffixes that follow the id, separated by blanks. "-" means the id alone.
    /// Empty: not in the default suite.
    std::string_view defaults;
    std::string_view text;                  ///< description of one execution
    std::string_view element = "MPI_BYTE";  ///< default datatype
    bool reduces = false;                   ///< whether it applies a reduction
    bool rooted = false;                    ///< whether it has a root
    int least_nodes = 2;                    ///< smallest number of processes
    Calls calls{};

    [[nodiscard]] bool varies(char letter) const noexcept { return variations.find(letter) != std::string_view::npos; }
    /// Whether messages have a length. A barrier, for example, has none.
    [[nodiscard]] bool has_length() const noexcept { return pattern != Pattern::simple && varies('L'); }
    /// The meaning of the operation, for comparisons between programs. Missing if other programs have no such
    /// operation.
    [[nodiscard]] std::optional<measure::Semantics> semantics() const;
};

/// Whether two processes measure it.
[[nodiscard]] constexpr bool is_pair(Routine const& routine) noexcept {
    return routine.pattern == Pattern::point_to_point || routine.pattern == Pattern::one_sided;
}
/// Whether all participating processes call it together.
[[nodiscard]] constexpr bool is_group(Routine const& routine) noexcept {
    return routine.pattern == Pattern::collective || routine.pattern == Pattern::kernel;
}

/// All routines, in the order of the default suite and of --list.
[[nodiscard]] std::span<Routine const> routines() noexcept;

/// Returns the routine with this id, ignoring letter case, or nullptr.
[[nodiscard]] Routine const* find_routine(std::string_view id) noexcept;

/// Buffer memory in bytes of the process that needs most. Pure; 64 bits.
/// \param length  message length in bytes  \param nodes  participating processes, >= 1  \param size  bytes of an
/// element
[[nodiscard]] measure::Bytes buffer_bytes(Routine const& routine, measure::Bytes length, int nodes,
                                          measure::Bytes size = 1) noexcept;

/// Bytes that rank 0 attaches for buffered sends, in addition to `buffer_bytes`; 0 for other routines. Pure; 64 bits.
[[nodiscard]] measure::Bytes attached_bytes(Routine const& routine, measure::Bytes length, int nodes) noexcept;

}  // namespace skampi
