// SPDX-License-Identifier: BSD-3-Clause
/// Catalogue: every routine that can be measured, as one explicit table.
#pragma once

#include "skampi/routines/calls.hpp"

#include <measure/semantics.hpp>
#include <measure/units.hpp>

#include <optional>
#include <span>
#include <string_view>

namespace skampi {

/// The coordination frame that routines share.
enum class Pattern { simple, point_to_point, master_worker, collective, one_sided, kernel };

/// "simple", "point-to-point", "master-worker", "collective", "one-sided", "kernel".
[[nodiscard]] std::string_view name(Pattern p) noexcept;
/// What files of plots begin with: "simple", "p2p", "mw", "col", "osc", "ker".
[[nodiscard]] std::string_view prefix(Pattern p) noexcept;

/// One routine.
struct Routine {
    std::string_view id;  ///< "MPI_Bcast": the key Type of a parameter file
    Pattern pattern;
    std::string_view variations;  ///< what can be varied: letters of L N C, or "-" for nothing
    std::string_view origin;      ///< "paper": the SKaMPI paper; "later": later releases and reports; "new"
    /// Its measurements in the default suite: what follows the id in their names, separated by blanks; "-" stands for
    /// the id alone. Empty: it is not in the default suite.
    std::string_view defaults;
    std::string_view text;                  ///< what one execution does, for people
    std::string_view element = "MPI_BYTE";  ///< the datatype where none is given
    bool reduces = false;                   ///< has an operation on elements
    bool rooted = false;                    ///< has a root
    int least_nodes = 2;                    ///< fewest processes
    Calls calls{};

    [[nodiscard]] bool varies(char letter) const noexcept { return variations.find(letter) != std::string_view::npos; }
    /// Whether messages have a length at all (a barrier has none).
    [[nodiscard]] bool has_length() const noexcept { return pattern != Pattern::simple && varies('L'); }
    /// For readers that compare programs; nothing: others have no such operation.
    [[nodiscard]] std::optional<measure::Semantics> semantics() const;
};

/// Two processes measure it.
[[nodiscard]] constexpr bool is_pair(Routine const& routine) noexcept {
    return routine.pattern == Pattern::point_to_point || routine.pattern == Pattern::one_sided;
}
/// All processes taking part call it together.
[[nodiscard]] constexpr bool is_group(Routine const& routine) noexcept {
    return routine.pattern == Pattern::collective || routine.pattern == Pattern::kernel;
}

/// In the order of the default suite and of --list.
[[nodiscard]] std::span<Routine const> routines() noexcept;

/// The routine of that id, in any letter case, or nullptr.
[[nodiscard]] Routine const* find_routine(std::string_view id) noexcept;

/// Bytes of buffers on the most loaded process. Pure; 64 bits.
/// \param length  bytes of a message  \param nodes  processes taking part, >= 1  \param size  bytes of an element
[[nodiscard]] measure::Bytes buffer_bytes(Routine const& routine, measure::Bytes length, int nodes,
                                          measure::Bytes size = 1) noexcept;

/// Bytes that rank 0 attaches for buffered sends, beside those of `buffer_bytes`; 0 for routines without. Pure; 64
/// bits.
[[nodiscard]] measure::Bytes attached_bytes(Routine const& routine, measure::Bytes length, int nodes) noexcept;

}  // namespace skampi
