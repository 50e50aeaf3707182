// SPDX-License-Identifier: BSD-3-Clause
/// Cost over ranks: a common model for several numbers of ranks, alpha(p) + beta(p) m, in pieces of the size m. Pure
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

/// Times measured with one number of ranks.
struct RanksRow {
    int ranks = 1;                    ///< number of ranks, >= 1
    std::vector<CostPoint> points{};  ///< times at any sizes, in any order
};

/// Dependence of a coefficient on the number of ranks p.
enum class RanksForm {
    constant,     ///< c0
    logarithmic,  ///< c0 + c1 log2 p
    linear,       ///< c0 + c1 p
};
[[nodiscard]] std::string_view name(RanksForm form) noexcept;  ///< "constant", "log2(p)", "p"

/// One coefficient as c0 + c1 f(p), with standard errors. All members have the unit of the coefficient.
struct RanksTerm {
    RanksForm form = RanksForm::constant;               ///< the function f
    double c0 = 0;                                      ///< constant part
    double c1 = 0;                                      ///< factor of f(p); 0 for a constant
    double c0_error = 0;                                ///< standard error of c0
    double c1_error = 0;                                ///< standard error of c1
    [[nodiscard]] double at(int ranks) const noexcept;  ///< c0 + c1 f(ranks)
};

/// One piece: the sizes between two breaks, for all numbers of ranks.
struct RanksPiece {
    double low = 0;             ///< lower end, bytes: the smallest size, or `high` of the previous piece
    double high = 0;            ///< upper end, bytes; the next piece begins above it
    RanksTerm alpha{};          ///< seconds
    RanksTerm beta{};           ///< seconds per byte
    std::size_t points = 0;     ///< number of times in the fit
    double relative_error = 0;  ///< root mean square of (time - form) / form
    double largest_error = 0;   ///< largest |time - form| / form
};

/// A model of times over sizes and numbers of ranks.
struct RanksModel {
    std::vector<RanksPiece> pieces{};  ///< ascending, at least one
    int fewest = 1;                    ///< smallest measured number of ranks
    int most = 1;                      ///< largest measured number of ranks
    double relative_error = 0;         ///< root mean square of the relative deviations over all pieces
    double largest_error = 0;          ///< largest relative deviation over all pieces

    /// Time of the model, seconds. Empty for sizes outside the range measured with all numbers of ranks, and for
    /// numbers of ranks outside fewest .. most.
    [[nodiscard]] std::optional<double> at(double bytes, int ranks) const noexcept;
};

/// Fits a model to times. The breaks are common to all numbers of ranks. They are optimal for lines that are fitted
/// independently for each number of ranks. In each piece, alpha and beta get the pair of forms with the smallest BIC of
/// the relative deviations, among the pairs whose times are above zero within the piece.
/// \param rows  in any order
/// \return empty for fewer than three numbers of ranks, because every form fits two exactly, or without common sizes.
///         The model has a single piece if some number of ranks has fewer than three sizes, or if all times have one
///         size (a barrier)
[[nodiscard]] std::optional<RanksModel> fit_cost_over_ranks(std::span<RanksRow const> rows, CostRule const& rule = {});

}  // namespace measure
#pragma GCC visibility pop
