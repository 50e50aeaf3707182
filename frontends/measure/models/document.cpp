// SPDX-License-Identifier: BSD-3-Clause
/// The fields of the document of `measure model`.
#include "models/document.hpp"

#include "shared/documents.hpp"

namespace measure::tool {

template <>
inline constexpr auto fields<CostPiece> =
    std::array{field<&CostPiece::low>("low", "smallest measured size", "B"),
               field<&CostPiece::high>("high", "largest measured size", "B"),
               field<&CostPiece::line, &CostLine::alpha>("alpha", "time at zero bytes", "s"),
               field<&CostPiece::line, &CostLine::beta>("beta", "time per byte", "s/B"),
               field<&CostPiece::line, &CostLine::alpha_error>("alpha_standard_error", "standard error of alpha", "s"),
               field<&CostPiece::line, &CostLine::beta_error>("beta_standard_error", "standard error of beta", "s/B"),
               field<&CostPiece::line, &CostLine::covariance>("covariance", "covariance of alpha and beta", "s^2/B"),
               field<&CostPiece::alpha_interval>("alpha_interval", "interval of alpha (Student), at --confidence", "s"),
               field<&CostPiece::beta_interval>("beta_interval", "interval of beta (Student), at --confidence", "s/B"),
               field<&CostPiece::points>("points", "measured sizes"),
               field<&CostPiece::relative_error>("relative_error", "root mean square of (time - line) / line", "1"),
               field<&CostPiece::largest_error>("largest_error", "largest absolute (time - line) / line", "1")};

/// A switch point that looks badly placed.
struct BadPlace {
    RanksCost const* ranks = nullptr;
    SwitchFault const* fault = nullptr;
};
template <>
inline constexpr auto fields<BadPlace> = std::array{
    field<[](BadPlace const& b) { return b.fault->too_early ? "early" : "late"; }>("too", "early or late"),
    field<&BadPlace::fault, &SwitchFault::low>("low", "first size for which the other piece is faster", "B"),
    field<&BadPlace::fault, &SwitchFault::high>("high", "last size for which the other piece is faster", "B"),
    field<&BadPlace::fault, &SwitchFault::open>("open", "the lines do not cross between low and high"),
    field<&BadPlace::fault, &SwitchFault::size>("size", "measured size next to the break", "B"),
    field<&BadPlace::fault, &SwitchFault::saving>(
        "saving", "share of the time that the other piece would save at that size", "1"),
    field<&BadPlace::fault, &SwitchFault::saving_error>("saving_standard_error", "standard error of the saving", "1"),
    field<[](BadPlace const& b) { return describe(*b.ranks, *b.fault); }>("text", "sentence")};

/// A break of a model.
struct ModelBreak {
    BenchmarkCost const* cost = nullptr;
    RanksCost const* ranks = nullptr;
    std::size_t number = 0;

    [[nodiscard]] CostBreak const& at() const { return ranks->model.breaks[number]; }
    [[nodiscard]] std::optional<BadPlace> bad_place() const {
        for (auto const& fault : ranks->faults)
            if (fault.at == number)
                return BadPlace{ranks, &fault};
        return std::nullopt;
    }
};
template <>
inline constexpr auto fields<ModelBreak> = std::array{
    field<&ModelBreak::at, &CostBreak::at>("at", "size at which the model changes to the next piece", "B"),
    field<&ModelBreak::at, &CostBreak::low>("low", "last size before the break", "B"),
    field<&ModelBreak::at, &CostBreak::high>("high", "first size after the break", "B"),
    field<&ModelBreak::at, &CostBreak::earliest>("earliest", "the break is above this size", "B"),
    field<&ModelBreak::at, &CostBreak::latest>("latest", "the break is not above this size", "B"),
    field<&ModelBreak::at, &CostBreak::ratio>("ratio", "time after the break over time before it, by the lines", "1"),
    field<&ModelBreak::at, &CostBreak::ratio_error>("ratio_standard_error", "standard error of the ratio", "1"),
    field<&ModelBreak::at, &CostBreak::jump>("jump", "the time jumps; otherwise the line bends"),
    field<[](ModelBreak const& b) { return reason_of(*b.cost, *b.ranks, b.number); }>("reason", "probable cause"),
    field<&ModelBreak::bad_place>("badly_placed", "why the break looks badly placed, if it does")};

/// One number of ranks of a benchmark.
struct ModelOfRanks {
    BenchmarkCost const* cost = nullptr;
    RanksCost const* ranks = nullptr;

    [[nodiscard]] std::vector<ModelBreak> breaks() const {
        std::vector<ModelBreak> all;
        for (std::size_t k = 0; k < ranks->model.breaks.size(); ++k)
            all.push_back({cost, ranks, k});
        return all;
    }
    [[nodiscard]] std::vector<double> outliers() const {
        std::vector<double> sizes;
        for (auto const& point : ranks->model.outliers)
            sizes.push_back(point.bytes);
        return sizes;
    }
};
template <>
inline constexpr auto fields<ModelOfRanks> =
    std::array{field<&ModelOfRanks::ranks, &RanksCost::ranks>("ranks", "processes"),
               field<&ModelOfRanks::ranks, &RanksCost::model, &CostModel::sizes>("sizes", "number of sizes"),
               field<&ModelOfRanks::ranks, &RanksCost::model, &CostModel::relative_error>(
                   "relative_error", "root mean square of the relative errors", "1"),
               field<&ModelOfRanks::ranks, &RanksCost::model, &CostModel::largest_error>("largest_error",
                                                                                         "largest relative error", "1"),
               field<&ModelOfRanks::ranks, &RanksCost::model, &CostModel::confidence>(
                   "confidence", "confidence level of the intervals", "1"),
               field<&ModelOfRanks::ranks, &RanksCost::model, &CostModel::pieces>(
                   "pieces", "lines by size; a size belongs to the line after all breaks with a smaller `at`"),
               field<&ModelOfRanks::breaks>("breaks", "breaks between the pieces"),
               field<&ModelOfRanks::outliers>("outliers", "sizes that belong to no piece", "B")};

template <>
inline constexpr auto fields<RanksTerm> =
    std::array{field<&RanksTerm::form>("form", "f of c0 + c1 f(ranks)"),
               field<&RanksTerm::c0>("c0", "constant, in the unit of the coefficient"),
               field<&RanksTerm::c1>("c1", "factor of f, in the unit of the coefficient"),
               field<&RanksTerm::c0_error>("c0_standard_error", "standard error of c0"),
               field<&RanksTerm::c1_error>("c1_standard_error", "standard error of c1")};

template <>
inline constexpr auto fields<RanksPiece> = std::array{
    field<&RanksPiece::low>("low", "first size", "B"),
    field<&RanksPiece::high>("high", "last size; a size belongs to the first piece whose `high` is not smaller", "B"),
    field<&RanksPiece::alpha>("alpha", "time at zero bytes, in seconds"),
    field<&RanksPiece::beta>("beta", "time per byte, in s/B"),
    field<&RanksPiece::points>("points", "measured times"),
    field<&RanksPiece::relative_error>("relative_error", "root mean square of (time - form) / form", "1"),
    field<&RanksPiece::largest_error>("largest_error", "largest absolute (time - form) / form", "1")};

template <>
inline constexpr auto fields<RanksModel> =
    std::array{field<&RanksModel::fewest>("fewest", "smallest number of ranks"),
               field<&RanksModel::most>("most", "largest number of ranks"),
               field<&RanksModel::relative_error>("relative_error", "root mean square over all pieces", "1"),
               field<&RanksModel::largest_error>("largest_error", "largest over all pieces", "1"),
               field<&RanksModel::pieces>("pieces", "pieces by size")};

namespace {

std::vector<ModelOfRanks> by_ranks(BenchmarkCost const& cost) {
    std::vector<ModelOfRanks> all;
    for (auto const& ranks : cost.by_ranks)
        all.push_back({&cost, &ranks});
    return all;
}

}  // namespace

template <>
inline constexpr auto fields<BenchmarkCost> =
    std::array{field<&BenchmarkCost::identifier>("identifier", "letters, digits and _; unique"),
               field<&BenchmarkCost::benchmark>("benchmark", "name"),
               field<&BenchmarkCost::label>("label", "series and coordinates; may be empty"),
               field<&BenchmarkCost::source>("source", "suite, MPI library, host, time of the launch and file"),
               field<&BenchmarkCost::has_sizes>("has_sizes", "false for operations without a size, such as a barrier"),
               field<[](BenchmarkCost const& c) { return c.quantity.empty() ? std::string{"time"} : c.quantity; }>(
                   "quantity", "formula of the times, such as `bytes / bandwidth`; `time` if they were measured"),
               field<by_ranks>("by_ranks", "models over sizes, for each number of ranks"),
               field<&BenchmarkCost::over_ranks>(
                   "over_ranks", "model over sizes and ranks; null for fewer than three numbers of ranks"),
               field<&BenchmarkCost::notes>("notes", "what could not be modelled, and why")};

template <>
inline constexpr auto fields<LogGpValue> =
    std::array{field<&LogGpValue::value>("value", "value; null if unknown", "s; for G s/B"),
               field<[](LogGpValue const& v) { return v.value ? std::optional{v.error} : std::nullopt; }>(
                   "standard_error", "standard error of the value", "s; for G s/B"),
               field<&LogGpValue::from>("from", "measurements that it comes from, or that are missing")};

template <>
inline constexpr auto fields<LogGp> =
    std::array{field<&LogGp::label>("label", "label of the series"), field<&LogGp::latency>("L", "latency"),
               field<&LogGp::overhead>("o", "overhead"), field<&LogGp::gap>("g", "gap between messages"),
               field<&LogGp::gap_per_byte>("G", "gap per byte")};

template <>
inline constexpr auto fields<Peak> = std::array{
    field<[](Peak const& p) { return p.precision == 'd' ? "double" : "single"; }>("precision", "double or single"),
    field<&Peak::threads>("threads", "threads"), field<&Peak::rate>("rate", "highest rate of all routines", "flop/s"),
    field<&Peak::of>("of", "routine, library and dimension with that rate")};

template <>
inline constexpr auto fields<BandwidthPoint> =
    std::array{field<&BandwidthPoint::bytes>("bytes", "size", "B"),
               field<&BandwidthPoint::bandwidth>("bandwidth", "largest of all tests at this size", "B/s"),
               field<&BandwidthPoint::test>("test", "test with that bandwidth")};

/// A rate below its roof.
struct CurvePoint {
    RoofCurve const* curve = nullptr;
    RoofPoint const* at = nullptr;

    template <class T>
    [[nodiscard]] std::optional<T> if_known(T value) const {
        return at->bandwidth > 0 ? std::optional{value} : std::nullopt;
    }
};
template <>
inline constexpr auto fields<CurvePoint> =
    std::array{field<&CurvePoint::curve, &RoofCurve::routine>("routine", "BLAS routine"),
               field<&CurvePoint::curve, &RoofCurve::label>("label", "label with library and threads"),
               field<&CurvePoint::at, &RoofPoint::bytes>("bytes", "problem size", "B"),
               field<&CurvePoint::at, &RoofPoint::n>("n", "dimension"),
               field<&CurvePoint::at, &RoofPoint::rate>("rate", "measured rate", "flop/s"),
               field<&CurvePoint::at, &RoofPoint::intensity>("intensity", "operations per byte", "flop/B"),
               field<[](CurvePoint const& p) { return p.if_known(p.at->bandwidth); }>(
                   "bandwidth", "memory bandwidth at this size", "B/s"),
               field<[](CurvePoint const& p) { return p.if_known(bound_of(*p.at)); }>(
                   "bound_by", "memory, processor, neither or above the roof"),
               field<[](CurvePoint const& p) { return p.if_known(p.at->share); }>(
                   "share", "rate over the lower of the two roofs", "1")};

namespace {

std::vector<CurvePoint> points_of(Roofline const& roof) {
    std::vector<CurvePoint> all;
    for (auto const& curve : roof.curves)
        for (auto const& point : curve.points)
            all.push_back({&curve, &point});
    return all;
}

}  // namespace

template <>
inline constexpr auto fields<Roofline> =
    std::array{field<&Roofline::peaks>("peaks", "peak rates of the processor"),
               field<&Roofline::memory>("memory", "memory bandwidths"), field<points_of>("points", "rates of routines"),
               field<&Roofline::notes>("notes", "notes")};

template <>
inline constexpr auto fields<Models> = std::array{
    field<&Models::costs>("models", "times over sizes and ranks"),
    field<&Models::loggp>("loggp", "LogGP parameters for each label"),
    field<&Models::roofline>("roofline", "BLAS rates and memory bandwidths; null without points of blasbench")};

Models make_models(std::span<Series const> series, measure::CostRule const& rule) {
    return {model_costs(series, rule), loggp(series), roofline(series)};
}

Value model_document(Models const& models) { return document(model_kind().name, models); }

DocumentKind model_kind() { return {"measure model", "measure model --json FILE", object_schema<Models>}; }

}  // namespace measure::tool
