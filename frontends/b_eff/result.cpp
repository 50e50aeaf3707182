// SPDX-License-Identifier: BSD-3-Clause
#include "b_eff/result.hpp"

#include "b_eff/rules.hpp"

#include <measure/statistics.hpp>
#include <measure/units.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <stdexcept>
#include <utility>

namespace b_eff {

using measure::PointStatus;
using measure::Quantity;

double bandwidth(measure::Bytes length, std::int64_t messages, std::int64_t loop, double time) noexcept {
    return static_cast<double>(length) * static_cast<double>(messages) * static_cast<double>(loop) / time;
}

Results::Results(int processes, Lengths const& all_lengths, std::vector<Pattern> all_patterns,
                 std::vector<Method> chosen, std::size_t repetition_count)
    : ranks{processes}, lengths{all_lengths}, patterns{std::move(all_patterns)}, methods{std::move(chosen)},
      repetitions{repetition_count}, cells(repetitions * length_count * patterns.size() * methods.size()) {}

std::optional<double> Results::value(Place p) const {
    Cell const& cell = at(p);
    if (!cell.has_value())
        return std::nullopt;
    return bandwidth(lengths[p.length], patterns[p.pattern].messages, cell.loop, cell.time.max);
}

measure::RankSpread Results::rates(Place p) const {
    Cell const& cell = at(p);
    auto const rate = [&](double time) {
        return bandwidth(lengths[p.length], patterns[p.pattern].messages, cell.loop, time);
    };
    return {rate(cell.time.max), rate(cell.time.mean), rate(cell.time.min)};
}

Number Averages::by_method(std::size_t p, std::size_t l, std::size_t m) const {
    Number most;
    for (std::size_t r = 0; r < r_.repetitions; ++r)
        most = larger(most, r_.value({r, l, p, m}));
    return most;
}

Number Averages::by_repetition(std::size_t p, std::size_t l, std::size_t r) const {
    Number most;
    for (std::size_t m = 0; m < r_.methods.size(); ++m)
        most = larger(most, r_.value({r, l, p, m}));
    return most;
}

Number Averages::best(std::size_t p, std::size_t l) const {
    Number most;
    for (std::size_t m = 0; m < r_.methods.size(); ++m)
        most = larger(most, by_method(p, l, m));
    return most;
}

namespace {

template <class F>
Number mean_over_lengths(F value_of_length) {
    std::array<double, length_count> values{};
    for (std::size_t l = 0; l < length_count; ++l) {
        Number const v = value_of_length(l);
        if (!v)
            return std::nullopt;
        values[l] = *v;
    }
    return measure::mean(values);
}

}  // namespace

Number Averages::mean_by_method(std::size_t p, std::size_t m) const {
    return mean_over_lengths([&](std::size_t l) { return by_method(p, l, m); });
}

Number Averages::mean_by_repetition(std::size_t p, std::size_t r) const {
    return mean_over_lengths([&](std::size_t l) { return by_repetition(p, l, r); });
}

Number Averages::mean(std::size_t p) const {
    return mean_over_lengths([&](std::size_t l) { return best(p, l); });
}

Number Averages::method_last(std::size_t p) const {
    Number most;
    for (std::size_t m = 0; m < r_.methods.size(); ++m)
        most = larger(most, mean_by_method(p, m));
    return most;
}

Number Averages::repetition_last(std::size_t p) const {
    Number most;
    for (std::size_t r = 0; r < r_.repetitions; ++r)
        most = larger(most, mean_by_repetition(p, r));
    return most;
}

Overall Averages::join(std::span<double const> ring, std::span<double const> random) {
    for (auto const values : {ring, random})
        for (double const v : values)
            if (!(v > 0))
                throw std::logic_error(fmt::format("a bandwidth of {} B/s has no logarithm", v));
    std::array const kinds{measure::log_mean(ring), measure::log_mean(random)};
    return {kinds[0], kinds[1], measure::log_mean(kinds)};
}

Number Averages::spread() const {
    std::vector<double> spreads;
    for (std::size_t p = 0; p < r_.patterns.size(); ++p)
        for (std::size_t l = 0; l < length_count; ++l)
            for (std::size_t m = 0; m < r_.methods.size(); ++m) {
                std::vector<double> values;
                for (std::size_t r = 0; r < r_.repetitions; ++r)
                    if (r_.at({r, l, p, m}).state == Cell::State::measured)
                        values.push_back(*r_.value({r, l, p, m}));
                if (values.size() < 2 || !r_.patterns[p].counts())
                    continue;
                auto const [least, most] = std::minmax_element(values.begin(), values.end());
                spreads.push_back((*most - *least) / *most);
            }
    return spreads.empty() ? std::nullopt : Number{measure::median(spreads)};
}

namespace {

/// Half of the round-trip time in seconds, at the length of the given place.
std::optional<Spread> half_round_trips(Results const& r, Place place) {
    std::vector<double> times;
    for (place.method = 0; place.method < r.methods.size(); ++place.method)
        for (place.repetition = 0; place.repetition < r.repetitions; ++place.repetition)
            if (r.at(place).state == Cell::State::measured)
                // A round trip consists of two messages.
                times.push_back(static_cast<double>(r.lengths[place.length]) / *r.value(place));
    if (times.empty())
        return std::nullopt;
    auto const [least, most] = std::minmax_element(times.begin(), times.end());
    return Spread{*least, measure::mean(times), *most};
}

}  // namespace

Figures figures(Averages const& a) {
    auto const& r = a.results();
    Figures f{.b_eff = a.overall([&](std::size_t p) { return a.mean(p); }),
              .at_lmax = a.overall([&](std::size_t p) { return a.best(p, last_length); }),
              .at_one_byte = a.overall([&](std::size_t p) { return a.best(p, 0); }),
              .method_last = a.overall([&](std::size_t p) { return a.method_last(p); }),
              .repetition_last = a.overall([&](std::size_t p) { return a.repetition_last(p); }),
              .spread = a.spread()};
    for (std::size_t m = 0; m < r.methods.size(); ++m)
        f.single_method.push_back(a.overall([&](std::size_t p) { return a.mean_by_method(p, m); }));
    for (std::size_t p = 0; p < r.patterns.size(); ++p)
        if (r.patterns[p].family == Family::ping_pong) {
            f.ping_pong_latency = half_round_trips(r, {.length = 0, .pattern = p});
            if (auto const t = half_round_trips(r, {.length = last_length, .pattern = p})) {
                auto const bytes = static_cast<double>(r.lengths[last_length]);
                f.ping_pong_bandwidth = Spread{bytes / t->max, bytes / t->mean, bytes / t->min};
            }
        }
    return f;
}

namespace {

/// Whether the two best values of a cell over all repetitions differ by at most `most`. Missing with fewer than two
/// values.
std::optional<bool> agrees(Results const& r, Place place, double most) {
    std::vector<double> values;
    for (place.repetition = 0; place.repetition < r.repetitions; ++place.repetition)
        if (r.at(place).state == Cell::State::measured)
            values.push_back(*r.value(place));
    if (values.size() < 2)
        return std::nullopt;
    std::sort(values.begin(), values.end(), std::greater<>{});
    return values[0] - values[1] <= most * values[0];
}

Number agreement(Results const& r) {
    double cells = 0;
    double agreed = 0;
    for (std::size_t p = 0; p < r.patterns.size(); ++p)
        for (std::size_t l = 0; r.patterns[p].counts() && l < length_count; ++l)
            for (std::size_t m = 0; m < r.methods.size(); ++m)
                if (auto const same = agrees(r, {0, l, p, m}, largest_spread)) {
                    ++cells;
                    agreed += *same ? 1 : 0;
                }
    return cells > 0 ? Number{agreed / cells} : Number{};
}

/// b_eff of the loops in which no process was interrupted.
Number undisturbed(Results results) {
    for (Cell& cell : results.cells)
        if (cell.settling.involuntary_switches > 0)
            cell.state = Cell::State::missing;
    Averages const averages{results};
    auto const b_eff = averages.overall([&](std::size_t p) { return averages.mean(p); });
    return b_eff ? Number{b_eff->both} : Number{};
}

std::string reason(Noise const& n, Number value, bool oversubscribed) {
    if (!value)
        return "there is no b_eff";
    if (oversubscribed)
        return "more processes than cores";
    if (!n.agreement)
        return "one repetition cannot show the noise";
    if (*n.agreement < least_agreement)
        return fmt::format("in {:.0f} % of the cells the two best repetitions differ by more than {:.0f} %",
                           100 * (1 - *n.agreement), 100 * largest_spread);
    if (!n.undisturbed)
        return "some cells have only interrupted loops";
    if (*n.undisturbed < (1 - dedicated) * *value)
        return fmt::format("the loops without interruptions give {:.1f} % less", 100 * (1 - *n.undisturbed / *value));
    return {};
}

}  // namespace

Noise noise(Averages const& a, Number value, bool oversubscribed) {
    Noise n{.agreement = agreement(a.results()), .spread = a.spread(), .undisturbed = undisturbed(a.results())};
    n.reason = reason(n, value, oversubscribed);
    return n;
}

std::string text(Noise const& n) {
    auto const percent = [](Number share) { return share ? fmt::format("{:.1f} %", *share * 100) : std::string{"-"}; };
    return fmt::format("agreement {}, spread {}, undisturbed {}: {}", percent(n.agreement), percent(n.spread),
                       n.undisturbed ? fmt::format("{:.3f} MB/s", *n.undisturbed / measure::mega) : "-",
                       n.reason.empty() ? "trust" : "repeat, " + n.reason);
}

namespace {

measure::Value described(Noise const& n) {
    return measure::Value::Object{{"agreement", n.agreement},
                                  {"spread", n.spread},
                                  {"undisturbed", n.undisturbed},
                                  {"verdict", n.reason.empty() ? "trust" : "repeat"},
                                  {"reason", n.reason}};
}

measure::Value both(std::optional<Overall> const& o) { return o ? measure::Value{o->both} : measure::Value{}; }

measure::Summary headline(Averages const& a, Figures const& f, SummaryFacts const& facts) {
    auto const& r = a.results();
    measure::Value::Object patterns;
    for (std::size_t p = 0; p < r.patterns.size(); ++p)
        if (r.patterns[p].counts())
            patterns.emplace_back(r.patterns[p].key, *a.mean(p));
    measure::Value::Object single;
    for (std::size_t m = 0; m < r.methods.size(); ++m)
        single.emplace_back(std::string{name(r.methods[m])}, both(f.single_method[m]));
    return {.name = "b_eff",
            .value = f.b_eff->both,
            .unit = "B/s",
            .derived =
                measure::Value::Object{{"per_process", f.b_eff->both / r.ranks},
                                       {"ring", f.b_eff->ring},
                                       {"random", f.b_eff->random},
                                       {"area_ratio", f.b_eff->both / f.at_lmax->both},
                                       {"patterns", std::move(patterns)},
                                       {"method_last", both(f.method_last)},
                                       {"repetition_last", both(f.repetition_last)},
                                       {"single_method", std::move(single)},
                                       {"noise", described(facts.noise)},
                                       {"marks", measure::Value::Array(facts.marks.begin(), facts.marks.end())}}};
}

}  // namespace

std::vector<measure::Summary> summaries(Averages const& a, Figures const& f, SummaryFacts const& facts) {
    std::vector<measure::Summary> all;
    double const n = a.results().ranks;
    auto const add = [&](char const* name, double value, char const* unit) {
        all.push_back({.name = name, .value = value, .unit = unit});
        return &all.back();
    };
    if (f.b_eff)
        all.push_back(headline(a, f, facts));
    if (f.at_lmax) {
        add("b_eff_at_lmax", f.at_lmax->both, "B/s")->derived["per_process"] = f.at_lmax->both / n;
        add("b_eff_at_lmax_rings", f.at_lmax->ring, "B/s")->derived["per_process"] = f.at_lmax->ring / n;
    }
    auto const add_pair = [&](char const* name, std::optional<Spread> const& s, double Spread::*best,
                              char const* unit) {
        if (s)
            add(name, (*s).*best, unit)->derived =
                measure::Value::Object{{"min", s->min},
                                       {"mean", s->mean},
                                       {"max", s->max},
                                       {"hosts", measure::Value::Array(facts.pair.begin(), facts.pair.end())}};
    };
    add_pair("ping_pong_bandwidth", f.ping_pong_bandwidth, &Spread::max, "B/s");
    if (f.at_one_byte) {
        add("latency", n / f.at_one_byte->both, "s");
        add("latency_rings", n / f.at_one_byte->ring, "s");
    }
    add_pair("latency_ping_pong", f.ping_pong_latency, &Spread::min, "s");
    if (f.b_eff) {
        add("memory_exchange_time", n * static_cast<double>(facts.memory) / f.b_eff->both, "s");
        if (facts.rmax)
            add("balance", f.b_eff->both / *facts.rmax, "B/flop")->derived["rmax"] = *facts.rmax;
    }
    return all;
}

measure::Point coordinates(Results const& r, Place p) {
    return {{"ranks", std::int64_t{r.ranks}},
            {"pattern", r.patterns[p.pattern].key},
            {"bytes", r.lengths[p.length]},
            {"method", std::string{name(r.methods[p.method])}},
            {"repetition", static_cast<std::int64_t>(p.repetition + 1)}};
}

measure::Record record(Results const& r, Place p) {
    Cell const& cell = r.at(p);
    measure::LoopTimes const loop{.iterations = cell.loop,
                                  .time = cell.time.max / static_cast<double>(cell.loop),
                                  .is_backward = cell.is_backward};
    auto record = measure::make_record("b_eff", coordinates(r, p), loop);
    record.quantity = Quantity::bandwidth;
    record.value = r.value(p);
    record.elapsed = measure::seconds{cell.elapsed};
    measure::note_settling(record, cell.settling, cell.runs);
    record.derived["messages"] = r.patterns[p.pattern].messages;
    record.derived["loop_time"] = cell.time.max;
    if (record.value) {
        record.over_ranks = r.rates(p);
    } else if (!cell.is_backward) {
        record.status = PointStatus::no_valid_samples;
        record.message = "too short for the timer";
        record.valid = record.kept = 0;
        record.flag("unresolved");
    }
    if (cell.lengthened)
        record.flag("lengthened");
    if (cell.late_start)
        record.flag("barrier_start");
    return record;
}

namespace {

/// Marks a cell as copied and sets its elapsed time to 0.
Cell copy(Cell cell) {
    cell.state = Cell::State::copied;
    cell.elapsed = 0;
    return cell;
}

}  // namespace

void copy_methods(Results& r, std::size_t repetition, std::size_t length) {
    for (std::size_t p = 0; p < r.patterns.size(); ++p) {
        auto const source = [&]() -> Cell {
            for (std::size_t m = 0; m < r.methods.size(); ++m)
                if (Cell const& cell = r.at({repetition, length, p, m}); cell.state == Cell::State::measured)
                    return cell;
            return {};
        }();
        for (std::size_t m = 0; source.has_value() && m < r.methods.size(); ++m)
            if (Cell& cell = r.at({repetition, length, p, m});
                cell.state == Cell::State::missing && r.patterns[p].allows(r.methods[m]))
                cell = copy(source);
    }
}

void copy_repetition(Results& r, std::size_t repetition, std::size_t length) {
    for (std::size_t p = 0; p < r.patterns.size(); ++p)
        for (std::size_t m = 0; m < r.methods.size(); ++m) {
            Cell const& source = r.at({0, length, p, m});
            if (source.has_value())
                r.at({repetition, length, p, m}) = copy(source);
        }
}

}  // namespace b_eff
