// SPDX-License-Identifier: BSD-3-Clause
/// Selection tree: the file by which MPICH chooses algorithms (MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE). Pure.
///
/// The keys of an object are conditions; the first one that holds is followed. A leaf names an algorithm. The file
/// replaces the library's own tree, and a program aborts at the first call of a collective that the file lacks.
/// Therefore the files written here are the library's own tree, with some collectives changed for some numbers of
/// ranks.
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

/// Texts found in the library's file.
struct LibraryTexts {
    std::string tree{};              ///< its own tree, as JSON
    std::set<std::string> leaves{};  ///< algorithms that files may name: "MPIR_Bcast_intra_binomial"
};

/// Finds these texts, which end with a zero byte, in the bytes of the library's file. Empty if it has no tree.
[[nodiscard]] std::optional<LibraryTexts> texts_in(std::string_view library);

/// The name of an algorithm in files; empty if the library has none.
[[nodiscard]] std::optional<std::string> leaf_of(std::set<std::string> const& leaves, std::string_view collective,
                                                 std::string_view algorithm);

/// How a file distinguishes the sizes of a collective.
enum class SizeKey {
    none,  ///< it cannot: one choice holds for all sizes
    each,  ///< avg_msg_size: bytes of one process's argument, or of one block
    all,   ///< total_msg_size: bytes of all processes together
};
/// `none` also if ranks may see different sizes in one call (gather and scatter in place or with different datatypes;
/// Alltoallv), because they would choose different algorithms and hang.
[[nodiscard]] SizeKey size_key(std::string_view collective) noexcept;

/// The value of the key for a size. \param bytes  size of a point: one argument, or one block
[[nodiscard]] measure::Bytes key_bytes(Place const& place, measure::Bytes bytes) noexcept;

/// An algorithm for a range of sizes. With SizeKey::none there is one rule, and its sizes are ignored.
struct SizeRule {
    measure::Bytes low = 0;   ///< smallest size of a point
    measure::Bytes high = 0;  ///< inclusive
    std::string algorithm{};  ///< "scatter_ring_allgather"
    friend bool operator==(SizeRule const&, SizeRule const&) = default;
};

/// The rules of a collective on a number of ranks, ascending and disjoint. The library chooses for all other sizes.
struct TunedCollective {
    Place place{};
    std::vector<SizeRule> rules{};
};

/// The rules by collective, each list in ascending order of the number of ranks.
[[nodiscard]] std::map<std::string, std::vector<TunedCollective>>
by_collective(std::vector<TunedCollective> const& tuned);

/// Checks a tree. \throws measure::UsageError if the text is not such a tree, or lacks one of these collectives
void check_tree(std::string const& base, std::vector<std::string> const& collectives);

/// The tree with these collectives changed on intracommunicators, as the text of a file. It ends with a line end, and
/// its size is not a multiple of 4096, because the library would then read beyond the end of the file. The tree tests
/// the conditions of restricted algorithms (`restriction`) and keeps the library's choice if they do not hold.
/// \throws measure::UsageError if the base is not such a tree or lacks a collective, or if the library's files have no
/// name for an algorithm
[[nodiscard]] std::string tuned_tree(std::string const& base, std::set<std::string> const& leaves,
                                     std::vector<TunedCollective> const& tuned);

}  // namespace measure::tool::tune
