// SPDX-License-Identifier: BSD-3-Clause
#include "models/export.hpp"

#include <measure/environment_info.hpp>

#include <utility>

namespace measure::tool {

namespace {

using measure::Value;

Value pair(measure::Interval const& i) { return Value::Array{i.first, i.second}; }

Value describe(measure::CostPiece const& p) {
    return Value::Object{{"low", p.low},
                         {"high", p.high},
                         {"alpha", p.line.alpha},
                         {"beta", p.line.beta},
                         {"alpha_standard_error", p.line.alpha_error},
                         {"beta_standard_error", p.line.beta_error},
                         {"covariance", p.line.covariance},
                         {"alpha_interval", pair(p.alpha_interval)},
                         {"beta_interval", pair(p.beta_interval)},
                         {"points", p.points},
                         {"relative_error", p.relative_error},
                         {"largest_error", p.largest_error}};
}

Value describe_break(BenchmarkCost const& cost, RanksCost const& ranks, std::size_t k) {
    auto const& b = ranks.model.breaks[k];
    Value::Object result{{"at", b.at},
                         {"low", b.low},
                         {"high", b.high},
                         {"earliest", b.earliest},
                         {"latest", b.latest},
                         {"ratio", b.ratio},
                         {"ratio_standard_error", b.ratio_error},
                         {"jump", b.jump},
                         {"reason", reason_of(cost, ranks, k)},
                         {"badly_placed", nullptr}};
    for (auto const& fault : ranks.faults)
        if (fault.at == k)
            result.back().second = Value::Object{{"too", fault.too_early ? "early" : "late"},
                                                 {"low", fault.low},
                                                 {"high", fault.high},
                                                 {"open", fault.open},
                                                 {"size", fault.size},
                                                 {"saving", fault.saving},
                                                 {"saving_standard_error", fault.saving_error},
                                                 {"text", describe(ranks, fault)}};
    return result;
}

Value describe(BenchmarkCost const& cost, RanksCost const& ranks) {
    Value::Array pieces;
    for (auto const& piece : ranks.model.pieces)
        pieces.push_back(describe(piece));
    Value::Array breaks;
    for (std::size_t k = 0; k < ranks.model.breaks.size(); ++k)
        breaks.push_back(describe_break(cost, ranks, k));
    Value::Array outliers;
    for (auto const& p : ranks.model.outliers)
        outliers.emplace_back(p.bytes);
    return Value::Object{{"ranks", ranks.ranks},
                         {"sizes", ranks.model.sizes},
                         {"relative_error", ranks.model.relative_error},
                         {"largest_error", ranks.model.largest_error},
                         {"confidence", ranks.model.confidence},
                         {"pieces", std::move(pieces)},
                         {"breaks", std::move(breaks)},
                         {"outliers", std::move(outliers)}};
}

Value describe(measure::RanksTerm const& term) {
    return Value::Object{{"form", measure::name(term.form)},
                         {"c0", term.c0},
                         {"c1", term.c1},
                         {"c0_standard_error", term.c0_error},
                         {"c1_standard_error", term.c1_error}};
}

Value describe(measure::RanksModel const& model) {
    Value::Array pieces;
    for (auto const& p : model.pieces)
        pieces.push_back(Value::Object{{"low", p.low},
                                       {"high", p.high},
                                       {"alpha", describe(p.alpha)},
                                       {"beta", describe(p.beta)},
                                       {"points", p.points},
                                       {"relative_error", p.relative_error},
                                       {"largest_error", p.largest_error}});
    return Value::Object{{"fewest", model.fewest},
                         {"most", model.most},
                         {"relative_error", model.relative_error},
                         {"largest_error", model.largest_error},
                         {"pieces", std::move(pieces)}};
}

Value texts(std::vector<std::string> const& all) {
    Value::Array result;
    for (auto const& text : all)
        result.emplace_back(text);
    return result;
}

Value describe(BenchmarkCost const& cost) {
    Value::Array by_ranks;
    for (auto const& ranks : cost.by_ranks)
        by_ranks.push_back(describe(cost, ranks));
    return Value::Object{{"identifier", cost.identifier},
                         {"benchmark", cost.benchmark},
                         {"label", cost.label},
                         {"source", cost.source},
                         {"has_sizes", cost.has_sizes},
                         {"quantity", cost.quantity.empty() ? Value{"time"} : Value{cost.quantity}},
                         {"by_ranks", std::move(by_ranks)},
                         {"over_ranks", cost.over_ranks ? describe(*cost.over_ranks) : Value{}},
                         {"notes", texts(cost.notes)}};
}

Value describe(LogGpValue const& v) {
    return Value::Object{{"value", v.value}, {"standard_error", v.value ? Value{v.error} : Value{}}, {"from", v.from}};
}

Value describe(Roofline const& roof) {
    Value::Array memory;
    for (auto const& p : roof.memory)
        memory.push_back(Value::Object{{"bytes", p.bytes}, {"bandwidth", p.bandwidth}, {"test", p.test}});
    Value::Array points;
    for (auto const& curve : roof.curves)
        for (auto const& p : curve.points) {
            Value::Object point{
                {"routine", curve.routine}, {"label", curve.label},     {"bytes", p.bytes},     {"n", p.n},
                {"rate", p.rate},           {"intensity", p.intensity}, {"bandwidth", nullptr}, {"bound_by", nullptr},
                {"share", nullptr}};
            if (p.bandwidth > 0) {
                point[6].second = p.bandwidth;
                point[7].second = bound_of(p);
                point[8].second = p.share;
            }
            points.push_back(std::move(point));
        }
    Value::Array peaks;
    for (auto const& p : roof.peaks)
        peaks.push_back(Value::Object{{"precision", p.precision == 'd' ? "double" : "single"},
                                      {"threads", p.threads},
                                      {"rate", p.rate},
                                      {"of", p.of}});
    return Value::Object{{"peaks", std::move(peaks)},
                         {"memory", std::move(memory)},
                         {"points", std::move(points)},
                         {"notes", texts(roof.notes)}};
}

}  // namespace

Models make_models(std::span<Series const> series, measure::CostRule const& rule) {
    return {model_costs(series, rule), loggp(series), roofline(series)};
}

Value model_document(Models const& models) {
    Value::Array costs;
    for (auto const& cost : models.costs)
        costs.push_back(describe(cost));
    Value::Array parameters;
    for (auto const& p : models.loggp)
        parameters.push_back(Value::Object{{"label", p.label},
                                           {"L", describe(p.latency)},
                                           {"o", describe(p.overhead)},
                                           {"g", describe(p.gap)},
                                           {"G", describe(p.gap_per_byte)}});
    return Value::Object{
        {"document", "measure model"},    {"schema", 1},
        {"version", measure::version()},  {"models", std::move(costs)},
        {"loggp", std::move(parameters)}, {"roofline", models.roofline ? describe(*models.roofline) : Value{}}};
}

}  // namespace measure::tool
