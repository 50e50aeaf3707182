// SPDX-License-Identifier: BSD-3-Clause
#include "measure/cost_over_ranks.hpp"

#include "core/require.hpp"
#include "statistics/cost_segments.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

namespace measure {

namespace {

using detail::CostRow;

constexpr double no_cost = std::numeric_limits<double>::infinity();
constexpr std::array all_forms{RanksForm::constant, RanksForm::logarithmic, RanksForm::linear};

double scale_of(RanksForm form, int ranks) {
    switch (form) {
    case RanksForm::logarithmic:
        return std::log2(ranks);
    case RanksForm::linear:
        return ranks;
    case RanksForm::constant:
        break;
    }
    return 0;
}

struct RanksData {
    int ranks;
    CostRow row;
    detail::SegmentCosts costs;
};

/// A time of a piece, with its number of ranks.
struct RanksSample {
    int ranks;
    double bytes;
    double seconds;
    double relative;  ///< expected relative deviation
};

// ---- least squares with up to four columns

constexpr std::size_t widest = 4;
using Coefficients = std::array<double, widest>;
using NormalMatrix = std::array<Coefficients, widest>;

/// Inverse of the leading n x n part of a positive definite matrix by Gauss-Jordan elimination. The matrix is scaled to
/// a unit diagonal, because seconds and seconds per byte differ in magnitude. Empty if it is singular.
std::optional<NormalMatrix> inverse(NormalMatrix m, std::size_t n) {
    Coefficients scale{};
    for (std::size_t i = 0; i < n; ++i) {
        if (!(m[i][i] > 0))
            return std::nullopt;
        scale[i] = 1 / std::sqrt(m[i][i]);
    }
    NormalMatrix result{};
    for (std::size_t i = 0; i < n; ++i) {
        result[i][i] = 1;
        for (std::size_t j = 0; j < n; ++j)
            m[i][j] *= scale[i] * scale[j];
    }
    for (std::size_t i = 0; i < n; ++i) {
        double const pivot = m[i][i];
        if (!(pivot > 1e-12))
            return std::nullopt;
        for (std::size_t j = 0; j < n; ++j) {
            m[i][j] /= pivot;
            result[i][j] /= pivot;
        }
        for (std::size_t k = 0; k < n; ++k) {
            double const factor = m[k][i];
            for (std::size_t j = 0; k != i && j < n; ++j) {
                m[k][j] -= factor * m[i][j];
                result[k][j] -= factor * result[i][j];
            }
        }
    }
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j)
            result[i][j] *= scale[i] * scale[j];
    return result;
}

// ---- one piece

/// A pair of forms under test.
struct FormTrial {
    RanksPiece piece{};
    double score = no_cost;  ///< BIC
};

/// Selects the parameters of a form, in the order of the columns.
struct FormShape {
    RanksForm alpha;
    RanksForm beta;
    bool sloped;  ///< there is more than one size

    [[nodiscard]] Coefficients columns(RanksSample const& s, std::size_t& n) const {
        Coefficients v{};
        n = 0;
        v[n++] = 1;
        if (alpha != RanksForm::constant)
            v[n++] = scale_of(alpha, s.ranks);
        if (sloped)
            v[n++] = s.bytes;
        if (sloped && beta != RanksForm::constant)
            v[n++] = scale_of(beta, s.ranks) * s.bytes;
        return v;
    }

    void take(RanksPiece& piece, Coefficients const& values, Coefficients const& errors) const {
        piece.alpha = {.form = alpha, .c0 = values[0], .c1 = 0, .c0_error = errors[0], .c1_error = 0};
        std::size_t n = 1;
        if (alpha != RanksForm::constant) {
            piece.alpha.c1 = values[n];
            piece.alpha.c1_error = errors[n++];
        }
        if (!sloped)
            return;
        piece.beta = {.form = beta, .c0 = values[n], .c1 = 0, .c0_error = errors[n], .c1_error = 0};
        ++n;
        if (beta != RanksForm::constant) {
            piece.beta.c1 = values[n];
            piece.beta.c1_error = errors[n];
        }
    }
};

double time_of(RanksPiece const& piece, int ranks, double bytes) {
    return piece.alpha.at(ranks) + piece.beta.at(ranks) * bytes;
}

/// Sets the errors of a piece from the deviations of the samples.
double rate(RanksPiece& piece, std::vector<RanksSample> const& samples) {
    double squares = 0;
    double weighted = 0;
    for (auto const& s : samples) {
        double const departure = s.seconds / time_of(piece, s.ranks, s.bytes) - 1;
        squares += departure * departure;
        weighted += std::pow(departure / s.relative, 2);
        piece.largest_error = std::max(piece.largest_error, std::abs(departure));
    }
    piece.relative_error = std::sqrt(squares / static_cast<double>(samples.size()));
    return weighted;
}

bool is_positive(RanksPiece const& piece, int fewest, int most) {
    for (double const bytes : {piece.low, piece.high})
        for (int const ranks : {fewest, most})
            if (!(time_of(piece, ranks, bytes) > 0))
                return false;
    return true;
}

FormTrial attempt(std::vector<RanksSample> const& samples, FormShape const& shape, RanksPiece piece,
                  double resolution) {
    constexpr int passes = 3;
    FormTrial trial{.piece = piece};
    std::optional<NormalMatrix> spread;
    Coefficients values{};
    Coefficients errors{};
    std::size_t n = 0;
    double free = 0;
    // Weights from measured times favour points that came out too low, so only the first pass uses them.
    for (int pass = 0; pass < passes; ++pass) {
        NormalMatrix normal{};
        Coefficients right{};
        for (auto const& s : samples) {
            double const fitted = pass > 0 ? time_of(trial.piece, s.ranks, s.bytes) : 0;
            double const weight = 1 / std::pow(s.relative * (fitted > 0 ? fitted : s.seconds), 2);
            auto const v = shape.columns(s, n);
            for (std::size_t i = 0; i < n; ++i) {
                right[i] += weight * v[i] * s.seconds;
                for (std::size_t j = 0; j < n; ++j)
                    normal[i][j] += weight * v[i] * v[j];
            }
        }
        spread = inverse(normal, n);
        free = static_cast<double>(samples.size()) - static_cast<double>(n);
        if (!spread || free < 1)
            return {.piece = piece};
        values = {};
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j)
                values[i] += (*spread)[i][j] * right[j];
        shape.take(trial.piece, values, errors);
    }
    double const rest = rate(trial.piece, samples);
    for (std::size_t i = 0; i < n; ++i)
        errors[i] = std::sqrt(std::max(0.0, (*spread)[i][i]) * rest / free);
    shape.take(trial.piece, values, errors);
    auto const points = static_cast<double>(samples.size());
    trial.score = points * std::log(rest / points + resolution) + static_cast<double>(n) * std::log(points);
    return trial;
}

std::optional<RanksPiece> best_piece(std::vector<RanksSample> const& samples, RanksPiece const& frame, int fewest,
                                     int most, double resolution) {
    bool const sloped =
        std::any_of(samples.begin(), samples.end(), [&](auto const& s) { return s.bytes != samples.front().bytes; });
    FormTrial best;
    for (auto const alpha : all_forms)
        for (auto const beta : all_forms) {
            if (!sloped && beta != RanksForm::constant)
                continue;
            auto trial = attempt(samples, {alpha, beta, sloped}, frame, resolution);
            if (trial.score < best.score && is_positive(trial.piece, fewest, most))
                best = trial;
        }
    return best.score < no_cost ? std::optional{best.piece} : std::nullopt;
}

// ---- breaks that all numbers of ranks share

/// Costs of segments over the union of all sizes: summed over numbers of ranks, each with its own line.
detail::SegmentCosts common_costs(std::vector<RanksData> const& rows, std::vector<double> const& sizes) {
    detail::SegmentCosts total{sizes.size()};
    std::vector<std::pair<detail::SegmentCosts const*, std::vector<std::size_t>>> parts;
    for (auto const& [ranks, row, costs] : rows) {
        // Number of the row's points that are smaller than each size.
        std::vector<std::size_t> begins;
        for (std::size_t i = 0, k = 0; i <= sizes.size(); ++i) {
            while (k < row.points.size() && (i == sizes.size() || row.points[k].bytes < sizes[i]))
                ++k;
            begins.push_back(k);
        }
        parts.emplace_back(&costs, std::move(begins));
    }
    for (std::size_t i = 0; i < sizes.size(); ++i)
        for (std::size_t j = i + 1; j <= sizes.size(); ++j) {
            total(i, j) = 0;
            for (auto const& [costs, begins] : parts)
                total(i, j) += begins[i] < begins[j] ? (*costs)(begins[i], begins[j]) : no_cost;
        }
    return total;
}

std::vector<double> all_sizes(std::vector<RanksData> const& rows) {
    std::set<double> sizes;
    for (auto const& r : rows)
        for (auto const& p : r.row.points)
            sizes.insert(p.bytes);
    return {sizes.begin(), sizes.end()};
}

/// First size of each piece.
std::vector<double> common_begins(std::vector<RanksData> const& rows, CostRule const& rule) {
    auto const sizes = all_sizes(rows);
    std::vector<double> begins{sizes.front()};
    double points = 0;
    double resolution = 0;
    for (auto const& r : rows) {
        points += static_cast<double>(r.row.points.size());
        resolution += r.row.resolution / static_cast<double>(rows.size());
    }
    // make_row thins rows with many sizes separately, so that several rows may have no sizes in common.
    if (sizes.size() > 1000)
        return begins;
    auto const cuts = detail::best_cuts(common_costs(rows, sizes), {.points = points,
                                                                    .lines = static_cast<double>(rows.size()),
                                                                    .resolution = resolution,
                                                                    .penalty = rule.penalty,
                                                                    .most_pieces = rule.most_pieces});
    for (auto const cut : cuts)
        begins.push_back(sizes[cut]);
    return begins;
}

std::vector<RanksData> usable(std::span<RanksRow const> rows, CostRule const& rule) {
    std::vector<RanksData> result;
    std::set<int> numbers;
    for (auto const& r : rows)
        numbers.insert(r.ranks);
    for (int const ranks : numbers) {
        std::vector<CostPoint> points;
        for (auto const& r : rows)
            if (r.ranks == ranks)
                points.insert(points.end(), r.points.begin(), r.points.end());
        if (auto const own = fit_cost(points, rule))
            for (auto const& outlier : own->outliers)
                std::erase_if(points, [&](CostPoint const& p) { return p.bytes == outlier.bytes; });
        if (auto row = detail::make_row(points, rule); ranks >= 1 && !row.points.empty()) {
            auto costs = detail::settle(row, rule);
            result.push_back({ranks, std::move(row), std::move(costs)});
        }
    }
    return result;
}

/// Restricts a model to the sizes measured with all numbers of ranks; others would be extrapolated. \return whether any
/// remain
bool restrict_sizes(std::vector<RanksPiece>& pieces, std::vector<RanksData> const& rows) {
    double low = 0;
    double high = no_cost;
    for (auto const& r : rows) {
        low = std::max(low, r.row.points.front().bytes);
        high = std::min(high, r.row.points.back().bytes);
    }
    if (low > high)
        return false;
    while (pieces.size() > 1 && pieces.front().high < low)
        pieces.erase(pieces.begin());
    while (pieces.size() > 1 && pieces.back().low >= high)
        pieces.pop_back();
    pieces.front().low = low;
    pieces.back().high = high;
    return true;
}

}  // namespace

std::string_view name(RanksForm form) noexcept {
    static constexpr std::array<std::string_view, 3> names{"constant", "log2(p)", "p"};
    return names[static_cast<std::size_t>(form)];
}

double RanksTerm::at(int ranks) const noexcept { return c0 + c1 * scale_of(form, ranks); }

std::optional<double> RanksModel::at(double bytes, int ranks) const noexcept {
    if (ranks < fewest || ranks > most || !(bytes >= pieces.front().low && bytes <= pieces.back().high))
        return std::nullopt;
    auto const found = std::find_if(pieces.begin(), pieces.end(), [&](RanksPiece const& p) { return bytes <= p.high; });
    return time_of(*found, ranks, bytes);
}

std::optional<RanksModel> fit_cost_over_ranks(std::span<RanksRow const> given, CostRule const& rule) {
    require(rule.resolution > 0, "cost model: the resolution must be above 0");
    auto const rows = usable(given, rule);
    if (rows.size() < 3)
        return std::nullopt;
    auto const begins = common_begins(rows, rule);
    auto const sizes = all_sizes(rows);
    RanksModel model{.pieces = {}, .fewest = rows.front().ranks, .most = rows.back().ranks};
    double squares = 0;
    double points = 0;
    for (std::size_t k = 0; k < begins.size(); ++k) {
        double const end = k + 1 < begins.size() ? begins[k + 1] : no_cost;
        std::vector<RanksSample> samples;
        double resolution = 0;
        for (auto const& [ranks, row, costs] : rows) {
            for (std::size_t i = 0; i < row.points.size(); ++i)
                if (auto const& p = row.points[i]; p.bytes >= begins[k] && p.bytes < end)
                    samples.push_back({ranks, p.bytes, p.seconds, row.relative[i]});
            resolution += row.resolution / static_cast<double>(rows.size());
        }
        auto const last = *std::prev(std::lower_bound(sizes.begin(), sizes.end(), end));
        // The closed form covers all sizes: adjacent pieces meet in the middle of the gap.
        double const high = end == no_cost ? last : std::sqrt(std::max(last, 1.0) * end);
        RanksPiece const frame{
            .low = k == 0 ? begins[0] : model.pieces.back().high, .high = high, .points = samples.size()};
        auto const piece = best_piece(samples, frame, model.fewest, model.most, resolution);
        if (!piece)
            return std::nullopt;
        model.pieces.push_back(*piece);
        auto const n = static_cast<double>(samples.size());
        squares += piece->relative_error * piece->relative_error * n;
        points += n;
        model.largest_error = std::max(model.largest_error, piece->largest_error);
    }
    model.relative_error = std::sqrt(squares / points);
    return restrict_sizes(model.pieces, rows) ? std::optional{model} : std::nullopt;
}

}  // namespace measure
