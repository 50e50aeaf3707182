// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/models/models.hpp"

#include "analysis/runs/unknown.hpp"

#include <measure/units.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace measure {

namespace {

constexpr std::array<std::string_view, 19> messages{
    "Pingpong",  "PingPong",  "PingPing", "Send", "Ssend", "Rsend", "Bsend",  "Isend", "Send_init",        "Sendrecv",
    "bandwidth", "roundtrip", "latency",  "bibw", "isend", "irecv", "irsend", "Ping",  "MPI_Send-MPI_Recv"};

std::string source_of(Series const& series) {
    auto const& run = series.run();
    std::vector<std::string> parts{fmt::format("{} {}", run.program.empty() ? run.suite : run.program, run.version)};
    if (run.mpi_library)
        parts.push_back(library_text(run));
    if (!run.hosts.empty())
        parts.push_back(fmt::format("host {}{}", run.hosts.front().name,
                                    run.hosts.size() > 1 ? fmt::format(" and {} more", run.hosts.size() - 1) : ""));
    if (series.launches.size() > 1)
        parts.push_back(fmt::format("{} launches", series.launches.size()));
    if (!series.states.empty())
        parts.push_back(fmt::format("machine states {}: the first", series.states));
    parts.push_back(run.started.empty() ? "measured at an unknown time" : fmt::format("measured {}", run.started));
    parts.push_back(fmt::format("label {}", series.label));
    return fmt::format("{}", fmt::join(parts, ", "));
}

/// Label of a curve without its number of ranks.
std::string label_without(std::string const& label, std::string const& part) {
    std::vector<std::string> kept;
    for (std::size_t at = 0; at <= label.size();) {
        auto const end = std::min(label.find(", ", at), label.size());
        if (auto const word = label.substr(at, end - at); word != part && !word.empty())
            kept.push_back(word);
        at = end + 2;
    }
    return fmt::format("{}", fmt::join(kept, ", "));
}

int ranks_of(Record const& record, Series const& series) {
    auto const ranks = number(record, "ranks").value_or(series.run().ranks);
    return ranks >= 1 && ranks <= 1e9 ? static_cast<int>(ranks) : 1;
}

/// Points of a benchmark, before a model is fitted.
struct Gathered {
    BenchmarkCost cost{};
    std::map<int, std::vector<CostPoint>> points{};
};

class Gatherer {
public:
    explicit Gatherer(std::span<Series const> series) : series_{series} {}

    void add(Family const& family) {
        for (auto const& curve : family.curves)
            for (auto const& point : curve.points)
                add(family, curve, *point.record);
    }

    /// Adds a benchmark with a single point, which belongs to no family.
    void add(Series const& of, Record const& record) {
        if (std::size_t const i = static_cast<std::size_t>(&of - series_.data()); !record.at.has("bytes"))
            add({.benchmark = record.benchmark, .x = "ranks"}, {.series = i}, record);
    }

    [[nodiscard]] std::vector<Gathered> take() { return std::move(all_); }

private:
    void add(Family const& family, RecordCurve const& curve, Record const& record) {
        auto const& series = series_[curve.series];
        auto point = cost_point(record, series.run().suite);
        bool const sizes = record.at.has("bytes");
        if (!point || (family.x != "bytes" && sizes) || !seen_.insert(&record).second)
            return;
        auto const ranks = ranks_of(record, series);
        auto const label = label_without(curve.label, fmt::format("ranks={}", ranks));
        auto const [place, is_new] =
            places_.try_emplace({family.benchmark, sizes, record.quantity, label}, all_.size());
        if (is_new) {
            all_.emplace_back();
            auto& cost = all_.back().cost;
            cost.benchmark = family.benchmark;
            cost.label = label;
            cost.source = source_of(series);
            cost.has_sizes = sizes;
            cost.message = std::find(messages.begin(), messages.end(), cost.benchmark) != messages.end();
            if (record.quantity == Quantity::bandwidth)
                cost.quantity = "bytes / bandwidth";
            else if (record.quantity == Quantity::rate)
                cost.quantity = "1 / rate";
        }
        all_[place->second].points[ranks].push_back(*point);
    }

    std::span<Series const> series_;
    std::vector<Gathered> all_{};
    std::map<std::tuple<std::string, bool, Quantity, std::string>, std::size_t> places_{};
    std::set<Record const*> seen_{};
};

/// Model of an operation without a size: a constant time.
CostModel constant_model(std::vector<CostPoint> const& points, double confidence) {
    std::vector<double> times;
    double squares = 0;
    for (auto const& p : points) {
        times.push_back(p.seconds);
        squares += p.standard_error * p.standard_error;
    }
    double const value = mean(times);
    auto const n = static_cast<double>(times.size());
    double const error = std::max(std::sqrt(squares) / n, n > 1 ? standard_error(times) : 0);
    constexpr double many = 1000;  // degrees of freedom: the error of one point comes from many repetitions
    double const wide = error * student_quantile(confidence, n > 1 ? n - 1 : many);
    CostPiece const piece{.low = 0,
                          .high = 0,
                          .line = {.alpha = value, .beta = 0, .alpha_error = error},
                          .alpha_interval = {value - wide, value + wide},
                          .beta_interval = {0, 0},
                          .points = 1,
                          .relative_error = error / value,
                          .largest_error = error / value};
    return {.pieces = {piece},
            .confidence = confidence,
            .relative_error = error / value,
            .largest_error = error / value,
            .sizes = 1};
}

constexpr double too_rough = 0.5;  ///< a model with a larger relative error is rejected

/// Why a model is unusable; empty if it is usable.
std::string fault_of(int ranks, std::optional<CostModel> const& model) {
    if (!model)
        return fmt::format("{} ranks: fewer than three sizes, no model", ranks);
    if (!is_of_use(*model))
        return fmt::format("{} ranks: the times scatter too much ({:.0f} %), no model", ranks,
                           model->relative_error * 100);
    return "";
}

void fit(Gathered& gathered, CostRule const& rule) {
    auto& cost = gathered.cost;
    std::vector<RanksRow> rows;
    for (auto& [ranks, points] : gathered.points) {
        std::stable_sort(points.begin(), points.end(), [](auto const& a, auto const& b) { return a.bytes < b.bytes; });
        auto const model =
            cost.has_sizes ? fit_cost(points, rule) : std::optional{constant_model(points, rule.confidence)};
        rows.push_back({ranks, points});
        if (auto fault = fault_of(ranks, model); !fault.empty()) {
            cost.notes.push_back(std::move(fault));
            continue;
        }
        cost.by_ranks.push_back({ranks, points, *model, switch_faults(*model)});
        if (model->sizes < 6 && cost.has_sizes)
            cost.notes.push_back(fmt::format("{} ranks: {} sizes are too few to find breaks", ranks, model->sizes));
    }
    cost.over_ranks = fit_cost_over_ranks(rows, rule);
    if (cost.over_ranks && cost.over_ranks->relative_error > too_rough) {
        cost.notes.push_back(fmt::format("the forms over the ranks deviate by {:.0f} % and are dropped",
                                         cost.over_ranks->relative_error * 100));
        cost.over_ranks.reset();
    }
    if (!cost.over_ranks && gathered.points.size() == 2)
        cost.notes.emplace_back("two numbers of ranks: every form fits both, three are needed");
}

std::string sanitised(std::string_view text) {
    std::string result;
    for (char const c : text)
        if (std::isalnum(static_cast<unsigned char>(c)) != 0 && static_cast<unsigned char>(c) < 128)
            result += c;
        else if (!result.empty() && result.back() != '_')
            result += '_';
    while (!result.empty() && result.back() == '_')
        result.pop_back();
    return result.substr(0, 64);
}

/// Gives the benchmarks distinct names that are valid identifiers in a program.
void set_identifiers(std::vector<BenchmarkCost>& costs) {
    std::map<std::string, int> times;
    for (auto const& cost : costs)
        ++times[cost.benchmark];
    std::set<std::string> used;
    for (auto& cost : costs) {
        auto name = sanitised(cost.benchmark);
        if (times[cost.benchmark] > 1 && !cost.label.empty())
            name = sanitised(fmt::format("{} {}", name, cost.label));
        if (name.empty())
            name = "benchmark";
        auto unique = name;
        for (int i = 2; !used.insert(unique).second; ++i)
            unique = fmt::format("{}_{}", name, i);
        cost.identifier = unique;
    }
}

/// The numbers of a list in `derived`, without its null entries.
std::vector<double> numbers(Record const& record, std::string_view name) {
    std::vector<double> result;
    if (auto const* const array = record.derived.get<Value::Array>(name))
        for (auto const& value : *array)
            if (auto const* const number = std::get_if<double>(&value.data()))
                result.push_back(*number);
    return result;
}

/// Standard error of a record's value. The value of merged launches is their median. The median of their deviations is
/// as robust against a single bad launch as that value; the error of their mean is not.
double error_of(Record const& record) {
    constexpr double of_normal = 1.4826;  // standard deviation over median deviation
    constexpr double of_median = 1.2533;  // error of a median over that of a mean
    constexpr std::size_t fewest = 3;
    if (auto starts = numbers(record, "launch_medians"); starts.size() >= fewest) {
        double const middle = median(starts);
        for (auto& start : starts)
            start = std::abs(start - middle);
        return of_median * of_normal * median(starts) / std::sqrt(static_cast<double>(starts.size()));
    }
    return record.estimate ? record.estimate->standard_error.value_or(0) : 0;
}

}  // namespace

std::optional<CostPoint> cost_point(Record const& record, std::string_view suite) {
    if (!record.value || !std::isfinite(*record.value) || !(*record.value > 0))
        return std::nullopt;
    auto const bytes = number(record, "bytes").value_or(0);
    double const value = *record.value;
    double const error = error_of(record) / value;
    double time = 0;
    if (record.quantity == Quantity::time)
        time = value;
    else if (record.quantity == Quantity::bandwidth && suite == "mpbench" && bytes > 0)
        time = bytes / value;
    else if (record.quantity == Quantity::rate && suite == "mpbench")
        time = 1 / value;
    if (!(time > 0) || !std::isfinite(time) || !(bytes >= 0))
        return std::nullopt;
    return CostPoint{bytes, time, std::isfinite(error) ? error * time : 0};
}

std::vector<BenchmarkCost> model_costs(std::span<Series const> series, CostRule const& rule) {
    Gatherer gatherer{series};
    for (auto const& family : families(series))
        if (family.x == "bytes" || family.x == "ranks")
            gatherer.add(family);
    for (auto const& of : series)
        for (auto const& record : of.points)
            gatherer.add(of, record);
    std::vector<BenchmarkCost> costs;
    for (auto& gathered : gatherer.take()) {
        fit(gathered, rule);
        costs.push_back(std::move(gathered.cost));
    }
    set_identifiers(costs);
    return costs;
}

std::string size_text(double bytes) {
    if (!(std::abs(bytes) < 1e18))
        return fmt::format("{:.3g} B", bytes);
    auto const n = static_cast<Bytes>(std::llround(bytes));
    return n % kibi == 0 ? text_bytes(n) : n < 10000 ? fmt::format("{} B", n) : text_bytes(n);
}

bool is_of_use(CostModel const& model) {
    return model.relative_error <= too_rough &&
           std::all_of(model.pieces.begin(), model.pieces.end(),
                       [](auto const& p) { return p.line.at(p.low) > 0 && p.line.at(p.high) > 0; });
}

bool is_bend(CostModel const& model, std::size_t number) {
    auto const& before = model.pieces[number].line;
    auto const& behind = model.pieces[number + 1].line;
    return !model.breaks[number].jump &&
           std::abs(behind.beta - before.beta) > 2 * std::hypot(before.beta_error, behind.beta_error);
}

std::string reason_of(BenchmarkCost const& cost, RanksCost const& ranks, std::size_t number) {
    auto const& b = ranks.model.breaks[number];
    double const before = ranks.model.pieces[number].line.beta;
    double const behind = ranks.model.pieces[number + 1].line.beta;
    if (b.jump && b.ratio > 1 && cost.message)
        return behind < before ? "probably from the eager to the rendezvous protocol" : "probably another protocol";
    if (b.jump)
        return cost.message ? "probably another protocol" : "probably another algorithm or protocol";
    if (!is_bend(ranks.model, number))
        return "too uncertain to classify";
    if (behind > before)
        return "time per byte grows: probably a cache or a buffer is exceeded";
    return "time per byte falls: probably another protocol, or pieces that overlap";
}

std::string describe(RanksCost const& ranks, SwitchFault const& fault) {
    auto const& b = ranks.model.breaks[fault.at];
    auto const range =
        fmt::format("between {} and {}{}", size_text(fault.low), size_text(fault.high), fault.open ? " at least" : "");
    return fmt::format("the change at {} comes too {}: {} the {} piece, extrapolated, would be faster, by {:.0f} +- "
                       "{:.0f} % at {}",
                       size_text(b.at), fault.too_early ? "early" : "late", range,
                       fault.too_early ? "smaller sizes'" : "larger sizes'", fault.saving * 100,
                       fault.saving_error * 100, size_text(fault.size));
}

}  // namespace measure
