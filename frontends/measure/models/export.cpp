// SPDX-License-Identifier: BSD-3-Clause
#include "models/export.hpp"

#include <measure/environment_info.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
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

// ---- the header

/// Text for a comment: nothing in it can end the comment, begin another line or a trigraph.
std::string in_comment(std::string_view text) {
    std::string result;
    for (char const c : text) {
        bool const safe = static_cast<unsigned char>(c) >= 32 && static_cast<unsigned char>(c) < 127 && c != '\\';
        if (!safe || (c == '/' && !result.empty() && result.back() == '*') || (c == '*' && result.ends_with('/')) ||
            (c == '?' && result.ends_with('?')))
            result += '_';
        else
            result += c;
    }
    return result;
}

std::string c_string(std::string_view text) {
    auto result = in_comment(text);
    for (auto& c : result)
        if (c == '"')
            c = '\'';
    return fmt::format("\"{}\"", result);
}

std::string line_text(double alpha, double beta) {
    return beta == 0 ? literal(alpha) : fmt::format("{} + {} * bytes", literal(alpha), literal(beta));
}

std::string share_text(double share) {
    return share >= 1 ? fmt::format("{:.0f} %", share * 100) : fmt::format("{:.2g} %", share * 100);
}

void append(std::string& out, std::string const& indent, RanksCost const& ranks, bool has_sizes) {
    auto const& model = ranks.model;
    if (has_sizes)
        out += fmt::format("{}if (bytes < {} || bytes > {})\n{}    return HUGE_VAL;\n", indent, literal(model.low()),
                           literal(model.high()), indent);
    for (std::size_t k = 0; k < model.pieces.size(); ++k) {
        auto const& line = model.pieces[k].line;
        if (k + 1 < model.pieces.size())
            out += fmt::format("{}if (bytes <= {})\n{}    return {};\n", indent, literal(model.breaks[k].at), indent,
                               line_text(line.alpha, line.beta));
        else
            out += fmt::format("{}return {};\n", indent, line_text(line.alpha, line.beta));
    }
}

std::string term_text(measure::RanksTerm const& term) {
    switch (term.form) {
    case measure::RanksForm::logarithmic:
        return fmt::format("({} + {} * (log(1.0 * ranks) / log(2.0)))", literal(term.c0), literal(term.c1));
    case measure::RanksForm::linear:
        return fmt::format("({} + {} * ranks)", literal(term.c0), literal(term.c1));
    case measure::RanksForm::constant:
        break;
    }
    return literal(term.c0);
}

void append(std::string& out, measure::RanksModel const& model, bool has_sizes) {
    out += fmt::format("    if (ranks < {} || ranks > {})\n        return HUGE_VAL;\n", model.fewest, model.most);
    if (has_sizes)
        out += fmt::format("    if (bytes < {} || bytes > {})\n        return HUGE_VAL;\n",
                           literal(model.pieces.front().low), literal(model.pieces.back().high));
    for (std::size_t k = 0; k < model.pieces.size(); ++k) {
        auto const& p = model.pieces[k];
        bool const last = k + 1 == model.pieces.size();
        if (!last)
            out += fmt::format("    if (bytes <= {})\n    ", literal(p.high));
        auto text = term_text(p.alpha);
        if (has_sizes && (p.beta.c0 != 0 || p.beta.c1 != 0))
            text += fmt::format(" + {} * bytes", term_text(p.beta));
        out += fmt::format("    return {};\n", text);
    }
}

std::string comment_of(BenchmarkCost const& cost) {
    std::string text = fmt::format("/* {}{}{}\n * {}.\n", in_comment(cost.benchmark), cost.label.empty() ? "" : ", ",
                                   in_comment(cost.label), in_comment(cost.source));
    if (!cost.quantity.empty())
        text += fmt::format(" * Seconds are {}.\n", in_comment(cost.quantity));
    for (auto const& ranks : cost.by_ranks)
        text +=
            fmt::format(" * {} ranks: {:.0f} to {:.0f} bytes, {} sizes, error {} (root mean square), {} (largest).\n",
                        ranks.ranks, ranks.model.low(), ranks.model.high(), ranks.model.sizes,
                        share_text(ranks.model.relative_error), share_text(ranks.model.largest_error));
    if (cost.over_ranks)
        text += fmt::format(
            " * Other numbers of ranks from {} to {}: a form over all of them, error {} (root mean square), "
            "{} (largest).\n",
            cost.over_ranks->fewest, cost.over_ranks->most, share_text(cost.over_ranks->relative_error),
            share_text(cost.over_ranks->largest_error));
    for (auto const& note : cost.notes)
        text += fmt::format(" * {}.\n", in_comment(note));
    return text + " */\n";
}

void append(std::string& out, BenchmarkCost const& cost) {
    out += comment_of(cost);
    out += fmt::format("static inline double measure_model_{}(double bytes, int ranks)\n{{\n", cost.identifier);
    if (!cost.has_sizes || (cost.by_ranks.empty() && !cost.over_ranks))
        out += "    (void)bytes;\n";
    if (cost.by_ranks.empty() && !cost.over_ranks)
        out += "    (void)ranks;\n";
    for (auto const& ranks : cost.by_ranks) {
        out += fmt::format("    if (ranks == {}) {{\n", ranks.ranks);
        append(out, "        ", ranks, cost.has_sizes);
        out += "    }\n";
    }
    if (cost.over_ranks)
        append(out, *cost.over_ranks, cost.has_sizes);
    else
        out += "    return HUGE_VAL;\n";
    out += "}\n\n";
}

/// Smallest and largest size and number of ranks, and the largest error, for the table.
std::string table_row(BenchmarkCost const& cost) {
    double low = cost.by_ranks.front().model.low();
    double high = cost.by_ranks.front().model.high();
    int fewest = cost.by_ranks.front().ranks;
    int most = cost.by_ranks.back().ranks;
    double error = 0;
    for (auto const& ranks : cost.by_ranks) {
        low = std::min(low, ranks.model.low());
        high = std::max(high, ranks.model.high());
        error = std::max(error, ranks.model.relative_error);
    }
    if (cost.over_ranks)
        error = std::max(error, cost.over_ranks->relative_error);
    auto const name = cost.label.empty() ? cost.benchmark : fmt::format("{}, {}", cost.benchmark, cost.label);
    return fmt::format("    {{{}, measure_model_{}, {}, {}, {}, {}, {}}}", c_string(name), cost.identifier,
                       literal(low), literal(high), fewest, most, literal(error));
}

constexpr std::string_view header_top = R"(#ifndef MEASURE_MODEL_H
#define MEASURE_MODEL_H

#include <math.h>

)";

constexpr std::string_view header_table = R"(/* The models of this file, to be looked at by a program. */
struct measure_model {
    const char *name;
    double (*seconds)(double bytes, int ranks);
    double bytes_low;      /* over all numbers of ranks: for one of them the range may be smaller */
    double bytes_high;
    int ranks_low;         /* between these only what was measured, or all where there is a form over the ranks */
    int ranks_high;
    double relative_error; /* root mean square, of the worst number of ranks */
};

)";

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

std::string literal(double value) {
    if (!std::isfinite(value))
        return value < 0 ? "-HUGE_VAL" : "HUGE_VAL";
    auto text = fmt::format("{:.17g}", value);
    if (text.find_first_of(".e") == std::string::npos)
        text += ".0";
    return value < 0 ? fmt::format("({})", text) : text;
}

std::string model_header(std::span<BenchmarkCost const> costs) {
    auto text = fmt::format(
        "/* What operations cost on the machine that they were measured on, by measure {}. Made by a program.\n"
        " *\n"
        " * measure_model_NAME(bytes, ranks) is a time in seconds; the comment before it says where it comes from and "
        "how\n"
        " * far off it is. Outside the sizes and numbers of ranks that were measured it is HUGE_VAL, so that the "
        "smallest\n"
        " * of several never is one that nobody knows. C99 or C++; link with -lm.\n"
        " */\n",
        measure::version());
    text += header_top;
    std::vector<std::string> rows;
    for (auto const& cost : costs) {
        append(text, cost);
        if (!cost.by_ranks.empty())
            rows.push_back(table_row(cost));
    }
    text += header_table;
    if (rows.empty())
        text += "enum { measure_model_count = 0 };\n";
    else
        text += fmt::format("enum {{ measure_model_count = {} }};\n\n"
                            "/* The model of a number from 0 to measure_model_count - 1. */\n"
                            "static inline struct measure_model measure_model_at(int number)\n{{\n"
                            "    static const struct measure_model all[] = {{\n    {}\n    }};\n"
                            "    return all[number];\n}}\n",
                            rows.size(), fmt::join(rows, ",\n    "));
    return text + "\n#endif\n";
}

}  // namespace measure::tool
