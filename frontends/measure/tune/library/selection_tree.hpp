// SPDX-License-Identifier: BSD-3-Clause
/// Selection tree: the file by which MPICH chooses algorithms (MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE). Pure.
///
/// An object's keys are conditions, of which the first that holds wins; a leaf names an algorithm. The file replaces
/// the library's own tree, so that one which lacks a collective ends the program at the first call of it: files here
/// are the library's own tree with some collectives changed for one number of ranks.
#pragma once

#include "tune/library/algorithms.hpp"

#include <measure/units.hpp>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace measure::tool::tune {

/// The variable that names the file.
inline constexpr char const* file_variable = "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE";

/// What a file of the library says of its choices.
struct LibraryTexts {
    std::string tree{};              ///< its own tree, as JSON
    std::set<std::string> leaves{};  ///< "MPIR_Bcast_intra_binomial": the algorithms that its files may name
};

/// Those in the bytes of the library's file, where they stand as texts that end with a zero. Nothing where it has no
/// tree.
[[nodiscard]] std::optional<LibraryTexts> texts_in(std::string_view library);

/// The name by which a file names an algorithm; nothing where the library knows none.
[[nodiscard]] std::optional<std::string> leaf_of(std::set<std::string> const& leaves, std::string_view collective,
                                                 std::string_view algorithm);

/// By what a file can tell sizes of a collective apart.
enum class SizeKey {
    none,  ///< by nothing: one choice holds for all sizes
    each,  ///< avg_msg_size: bytes of one process's argument, or of one block
    all,   ///< total_msg_size: bytes of all processes together
};
/// `none` also where ranks may see different sizes of one call (gathers and scatters in place, and with types of their
/// own; Alltoallv), and would choose different algorithms, which hangs.
[[nodiscard]] SizeKey size_key(std::string_view collective) noexcept;

/// Bytes as the key counts them. \param bytes  of a point: of one argument, or one block
[[nodiscard]] measure::Bytes key_bytes(Place const& place, measure::Bytes bytes) noexcept;

/// An algorithm for some sizes. With SizeKey::none there is one of them, and its sizes are not read.
struct SizeRule {
    measure::Bytes low = 0;   ///< bytes of a point
    measure::Bytes high = 0;  ///< inclusive
    std::string algorithm{};  ///< "scatter_ring_allgather"
    friend bool operator==(SizeRule const&, SizeRule const&) = default;
};

/// The rules of a collective on so many ranks, in ascending order and apart; the library chooses where none holds.
struct TunedCollective {
    Place place{};
    std::vector<SizeRule> rules{};
};

/// The same by name, each for ascending numbers of ranks.
[[nodiscard]] std::map<std::string, std::vector<TunedCollective>>
by_collective(std::vector<TunedCollective> const& tuned);

/// \throws measure::UsageError for a base that is no such tree, or lacks one of these collectives
void check_tree(std::string const& base, std::vector<std::string> const& collectives);

/// The tree with these collectives changed on intracommunicators, as the text of a file: it ends with
/// a line end, and its size is no multiple of 4096, at which the library reads beyond the end of the file. Where an
/// algorithm is restricted (`restriction`), what restricts it is asked for, and the library's choice stays.
/// \throws measure::UsageError for a base that is no such tree, or lacks a collective, and for an algorithm that the
/// library's files cannot name
[[nodiscard]] std::string tuned_tree(std::string const& base, std::set<std::string> const& leaves,
                                     std::vector<TunedCollective> const& tuned);

}  // namespace measure::tool::tune
