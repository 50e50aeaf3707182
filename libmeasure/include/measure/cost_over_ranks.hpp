// SPDX-License-Identifier: BSD-3-Clause
/// Cost over ranks: one closed form for several numbers of ranks, alpha(p) + beta(p) m, in pieces of the size. Pure
/// functions of measured times, local.
#pragma once

#include "measure/cost_model.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)
namespace measure {

/// What was measured with some number of ranks.
struct RanksRow {
    int ranks = 1;                    ///< >= 1
    std::vector<CostPoint> points{};  ///< of any sizes, in any order
};

/// How a coefficient depends on the number of ranks p.
enum class RanksForm {
    constant,     ///< c0
    logarithmic,  ///< c0 + c1 log2 p
    linear,       ///< c0 + c1 p
};
[[nodiscard]] std::string_view name(RanksForm form) noexcept;  ///< "constant", "log2(p)", "p"

/// c0 + c1 f(p), with standard errors.
struct RanksTerm {
    RanksForm form = RanksForm::constant;               ///< what f is
    double c0 = 0;                                      ///< in the unit of the coefficient, as all of these
    double c1 = 0;                                      ///< 0 for a constant
    double c0_error = 0;                                ///< standard error of c0
    double c1_error = 0;                                ///< standard error of c1
    [[nodiscard]] double at(int ranks) const noexcept;  ///< c0 + c1 f(ranks)
};

/// The sizes between two breaks, with all numbers of ranks.
struct RanksPiece {
    double low = 0;  ///< the piece begins here: of the first one the smallest size, otherwise where the one before ends
    double high = 0;            ///< the piece ends here; the next one begins behind it
    RanksTerm alpha{};          ///< seconds
    RanksTerm beta{};           ///< seconds per byte
    std::size_t points = 0;     ///< times that it was made of
    double relative_error = 0;  ///< root mean square of (time - form) / form
    double largest_error = 0;   ///< largest |time - form| / form
};

/// Times over sizes and numbers of ranks, as forms in pieces.
struct RanksModel {
    std::vector<RanksPiece> pieces{};  ///< ascending, at least one
    int fewest = 1;                    ///< smallest number of ranks that was measured
    int most = 1;                      ///< largest number of ranks that was measured
    double relative_error = 0;         ///< over all pieces
    double largest_error = 0;          ///< over all pieces

    /// Seconds. Nothing outside the sizes that were measured with all numbers of ranks, and outside these.
    [[nodiscard]] std::optional<double> at(double bytes, int ranks) const noexcept;
};

/// The model of some times. Breaks are common to all numbers of ranks: the best ones for lines that are free for each
/// of them. In each piece the pair of forms is chosen for which the BIC of the relative departures is smallest, among
/// those whose times are above zero within the piece.
/// \param rows  in any order
/// \return nothing for fewer than three numbers of ranks, through two of which every form goes, or without sizes in
///         common. Where a number of ranks has fewer than three sizes, or all times are of one size (a barrier), there
///         is one piece
[[nodiscard]] std::optional<RanksModel> fit_cost_over_ranks(std::span<RanksRow const> rows, CostRule const& rule = {});

}  // namespace measure
#pragma GCC visibility pop
