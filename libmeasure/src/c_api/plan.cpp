// SPDX-License-Identifier: BSD-3-Clause
/// Plans of the C interface. Settings are stored by name until they are used, so that their order does not matter.
#include "c_api/c_api.hpp"
#include "core/names.hpp"
#include "measure/pattern.hpp"

#include <array>
#include <cmath>
#include <span>

namespace measure::c_api {

/// The goal of a measurement.
struct Aim {
    std::string_view name;
    double value;
};

}  // namespace measure::c_api

struct measure_plan {
    measure::Plan plan{};
    measure::c_api::Aim aim{"interval", measure::stop::Default{}.width};
    std::optional<std::int64_t> at_least{};
    std::optional<std::int64_t> at_most{};
    std::optional<double> time_budget{};
    std::optional<measure::Sync> sync{};
    std::optional<measure::GlobalClock> clock{};
    std::optional<measure::SlotRule> slot_rule{};
    std::optional<double> slot_growth{};
    std::optional<double> invalid_share{};
    std::optional<double> broadcast_factor{};
    std::optional<measure::seconds> resync_after{};
    std::optional<bool> check_clocks{};
    std::string fault{};  ///< error of the first setting that failed
};

namespace measure::c_api {

namespace {

using Settings = measure_plan;

constexpr std::array<std::string_view, 5> pattern_names{"default", "slotted", "collective", "ping_pong", "simple"};
constexpr std::array<std::string_view, 5> combine_names{"root", "max", "min", "mean", "span"};
constexpr std::array<std::string_view, 3> correction_names{"none", "empty_loop", "barrier"};
constexpr std::array<std::string_view, 3> keep_names{"summary", "ranks", "samples"};

/// The enumerator of that name; names are in the order of the enumerators.
template <class E>
E enumerator(std::string_view kind, std::string_view name, std::span<std::string_view const> names) {
    return static_cast<E>(detail::index_of(kind, name, names));
}

struct TextSetting {
    std::string_view name;
    void (*set)(Settings&, std::string_view);
};

constexpr TextSetting text_settings[] = {
    {"start", [](Settings& s, std::string_view v) { s.plan.start = start_from(v); }},
    {"sync", [](Settings& s, std::string_view v) { s.sync = sync_from(v); }},
    {"combine",
     [](Settings& s, std::string_view v) { s.plan.combine = enumerator<Combine>("combine", v, combine_names); }},
    {"correction",
     [](Settings& s, std::string_view v) {
         s.plan.correction = enumerator<Correction>("correction", v, correction_names);
     }},
    {"keep", [](Settings& s, std::string_view v) { s.plan.keep = enumerator<Keep>("keep", v, keep_names); }},
    {"slot_rule", [](Settings& s, std::string_view v) { s.slot_rule = slot_rule_from(v); }},
    {"error", [](Settings& s, std::string_view v) { s.plan.estimate.error = error_kind_from(v); }},
};

constexpr double above_zero = std::numeric_limits<double>::denorm_min();
constexpr double below_one = 1 - std::numeric_limits<double>::epsilon() / 2;
constexpr double large = std::numeric_limits<double>::max();
/// Integers are exact up to this value.
constexpr double large_count = 9007199254740992.0;
constexpr double large_int = std::numeric_limits<int>::max();

struct NumberSetting {
    std::string_view name;
    double low;
    double high;
    bool whole;
    std::string_view allowed;
    void (*set)(Settings&, double);  ///< nullptr: the number is an aim
};

constexpr NumberSetting number_settings[] = {
    {"interval", above_zero, large, false, "> 0", nullptr},
    {"relative_error", above_zero, large, false, "> 0", nullptr},
    {"skampi", above_zero, large, false, "> 0", nullptr},
    {"count", 1, large_count, true, "1 or more", nullptr},
    {"duration", above_zero, large, false, "> 0 s", nullptr},
    {"at_least", 0, large_count, true, "0 or more",
     [](Settings& s, double v) { s.at_least = static_cast<std::int64_t>(v); }},
    {"at_most", 1, large_count, true, "1 or more",
     [](Settings& s, double v) { s.at_most = static_cast<std::int64_t>(v); }},
    {"time_budget", above_zero, large, false, "> 0 s", [](Settings& s, double v) { s.time_budget = v; }},
    {"warm_up", 0, large_int, true, "0 or more", [](Settings& s, double v) { s.plan.warm_up = static_cast<int>(v); }},
    {"settle", 0, 1, true, "0 or 1",
     [](Settings& s, double v) { s.plan.settling = v > 0 ? std::optional{Settling{}} : std::nullopt; }},
    {"limit", above_zero, large, false, "> 0 s", [](Settings& s, double v) { s.plan.limit = seconds{v}; }},
    {"stage", 1, large_int, true, "1 or more", [](Settings& s, double v) { s.plan.stage = static_cast<int>(v); }},
    {"epochs", 1, large_int, true, "1 or more", [](Settings& s, double v) { s.plan.epochs = static_cast<int>(v); }},
    {"iterations", 1, large_count, true, "1 or more",
     [](Settings& s, double v) { s.plan.batch = FixedCount{static_cast<std::int64_t>(v)}; }},
    {"window", above_zero, large, false, "> 0 s",
     [](Settings& s, double v) {
         s.plan.batch = TargetDuration{.low = seconds{v * 2 / 3}, .high = seconds{v * 4 / 3}};
     }},
    {"trim", 0, 0.5, false, "0 .. 0.5", [](Settings& s, double v) { s.plan.estimate.trim = v; }},
    {"confidence", above_zero, below_one, false, "> 0 and < 1",
     [](Settings& s, double v) { s.plan.estimate.confidence = v; }},
    {"slot_growth", 1.1, 2, false, "1.1 .. 2", [](Settings& s, double v) { s.slot_growth = v; }},
    {"invalid_share", 0, 1, false, "0 .. 1", [](Settings& s, double v) { s.invalid_share = v; }},
    {"broadcast_factor", above_zero, large, false, "> 0", [](Settings& s, double v) { s.broadcast_factor = v; }},
    {"resync_after", above_zero, large, false, "> 0 s", [](Settings& s, double v) { s.resync_after = seconds{v}; }},
    {"start_falls_back", 0, 1, true, "0 or 1", [](Settings& s, double v) { s.plan.start_falls_back = v > 0; }},
    {"check_clocks", 0, 1, true, "0 or 1", [](Settings& s, double v) { s.check_clocks = v > 0; }},
};

/// The row of a table with that name. \throws UsageError that lists all names
template <class Row, std::size_t n>
Row const& row_of(Row const (&table)[n], std::string_view kind, std::string_view name) {
    std::array<std::string_view, n> names;
    std::transform(std::begin(table), std::end(table), names.begin(), [](auto const& row) { return row.name; });
    return table[detail::index_of(kind, name, names)];
}

void set_number(Settings& settings, std::string_view name, double value) {
    auto const& row = row_of(number_settings, "number of a plan", name);
    bool const fits = value >= row.low && value <= row.high && (!row.whole || value == std::floor(value));
    if (!fits)
        throw UsageError(fmt::format("'{}' is {}, but must be {}{}", row.name, value,
                                     row.whole ? "a whole number, " : "", row.allowed));
    if (row.set == nullptr)
        settings.aim = {row.name, value};
    else
        row.set(settings, value);
}

/// Applies a setting if the start supports it.
template <class Start, class T, class Place>
void put(Start& start, std::string_view name, std::optional<T> const& value, Place place) {
    if (!value)
        return;
    if constexpr (std::is_invocable_v<Place, Start&>)
        place(start) = *value;
    else
        throw UsageError(
            fmt::format("'{}' does not apply to the start '{}'", name, measure::name(measure::Start{start})));
}

template <class Start>
void complete(Start& start, Settings const& s) {
    put(start, "sync", s.sync, [](auto& x) -> decltype((x.sync)) { return x.sync; });
    put(start, "clock", s.clock, [](auto& x) -> decltype((x.clock)) { return x.clock; });
    put(start, "slot_rule", s.slot_rule, [](auto& x) -> decltype((x.rule)) { return x.rule; });
    put(start, "slot_growth", s.slot_growth, [](auto& x) -> decltype((x.growth)) { return x.growth; });
    put(start, "invalid_share", s.invalid_share,
        [](auto& x) -> decltype((x.invalid_share)) { return x.invalid_share; });
    put(start, "broadcast_factor", s.broadcast_factor,
        [](auto& x) -> decltype((x.broadcast_factor)) { return x.broadcast_factor; });
    put(start, "resync_after", s.resync_after, [](auto& x) -> decltype((x.resync_after)) { return x.resync_after; });
    put(start, "check_clocks", s.check_clocks, [](auto& x) -> decltype((x.check)) { return x.check; });
}

/// Settings for slots also apply to AutoStart, which usually selects slots.
void complete(AutoStart& start, Settings const& s) { complete(start.slot, s); }

/// A rule with the bounds on the number of samples that were set.
template <class Rule>
Rule bounded(Rule rule, Settings const& s) {
    rule.at_least = s.at_least.value_or(rule.at_least);
    rule.at_most = s.at_most.value_or(rule.at_most);
    return rule;
}

StoppingRule aim_of(Settings const& s) {
    auto const& [name, value] = s.aim;
    if (name == "relative_error")
        return bounded(stop::RelativeError{.epsilon = value}, s);
    if (name == "skampi")
        return bounded(stop::Skampi{.epsilon = value}, s);
    if (name == "count") {
        // The limit also ends an operation that always fails.
        auto const valid = static_cast<std::int64_t>(value);
        constexpr std::int64_t tries = 10;
        constexpr std::int64_t least = 100;
        return bounded(stop::Count{.valid = valid, .at_most = std::max(least, tries * valid)}, s);
    }
    if (name == "duration") {
        if (s.at_least || s.at_most || s.time_budget)
            throw UsageError("'at_least', 'at_most' and 'time_budget' cannot be combined with 'duration'");
        return stop::TimeLimit{seconds{value}};
    }
    return bounded(stop::Default{.width = value, .confidence = s.plan.estimate.confidence}, s);
}

StoppingRule rule_of(Settings const& s) {
    auto aim = aim_of(s);
    if (!s.time_budget)
        return aim;
    return stop::AnyOf{std::move(aim), stop::TimeLimit{seconds{*s.time_budget}}};
}

Settings pattern_of(std::string_view name) {
    constexpr stop::Skampi skampi;
    switch (detail::index_of("pattern", name, pattern_names)) {
    case 0:
        return {};
    case 1:
        return {.plan = pattern::slotted()};
    case 2:
        return {.plan = pattern::collective(), .aim = {"skampi", skampi.epsilon}};
    case 3:
        return {.plan = pattern::ping_pong(), .aim = {"skampi", skampi.epsilon}};
    default:
        return {.plan = pattern::simple(), .aim = {"skampi", skampi.epsilon}};
    }
}

Sync const* sync_of(Start const& start) {
    if (auto const* const s = std::get_if<SlotStart>(&start))
        return &s->sync;
    if (auto const* const s = std::get_if<RoundTimeStart>(&start))
        return &s->sync;
    if (auto const* const s = std::get_if<AutoStart>(&start))
        return &s->slot.sync;
    return nullptr;
}

}  // namespace

Plan resolve(measure_plan const& settings) {
    if (!settings.fault.empty())
        throw UsageError(settings.fault);
    Plan plan = settings.plan;
    if (settings.clock && settings.clock->timer().name() != plan.timer.name())
        throw UsageError(fmt::format("the clock uses the timer '{}', but the plan uses '{}'",
                                     settings.clock->timer().name(), plan.timer.name()));
    std::visit([&](auto& start) { complete(start, settings); }, plan.start);
    plan.stop = rule_of(settings);
    return plan;
}

Value describe(measure_plan const& settings, Plan const& plan, Comm const& comm) {
    bool const is_auto = std::holds_alternative<AutoStart>(plan.start);
    bool const is_alone = is_auto && comm.is_solo();
    std::string_view const chosen = is_alone ? "free" : comm.oversubscribed() ? "roundtime" : "slot";
    Value options;
    options["start"] = is_auto ? chosen : name(plan.start);
    if (auto const* const sync = sync_of(plan.start); sync != nullptr && !is_alone)
        options["sync_alg"] = name(*sync);
    options["combine"] = name(plan.combine);
    options["correction"] = correction_names[static_cast<std::size_t>(plan.correction)];
    options["keep"] = keep_names[static_cast<std::size_t>(plan.keep)];
    options["aim"] = settings.aim.name;
    options[settings.aim.name] = settings.aim.value;
    options["at_least"] = Value{settings.at_least};
    options["at_most"] = Value{settings.at_most};
    options["time_budget"] = Value{settings.time_budget};
    options["warm_up"] = plan.warm_up;
    options["settle"] = plan.settling.has_value();
    options["limit"] = plan.limit;
    options["stage"] = plan.stage;
    options["epochs"] = plan.epochs;
    options["iterations"] = first_iterations(plan.batch);
    options["trim"] = plan.estimate.trim;
    options["confidence"] = plan.estimate.confidence;
    options["error"] = name(plan.estimate.error);
    return options;
}

GlobalClock const* clock_of(measure_plan const& settings) noexcept {
    return settings.clock ? &*settings.clock : nullptr;
}

}  // namespace measure::c_api

namespace c_api = measure::c_api;
using measure::c_api::guarded;
using measure::c_api::need;

int measure_plan_create(char const* pattern, measure_plan** plan, measure_error* error) {
    int const code = guarded(error, [&] {
        need(plan, "the place for the plan") = nullptr;
        *plan = new measure_plan{};
    });
    if (code != MEASURE_OK)
        return code;
    // Also stores the error in the plan, for callers that check only the error of the run.
    return c_api::remembered(*plan, "the plan", error, [&](measure_plan& settings) {
        settings = c_api::pattern_of(c_api::text_of(pattern, "the name of the pattern"));
    });
}

void measure_plan_free(measure_plan* plan) { delete plan; }

int measure_plan_set_text(measure_plan* plan, char const* name, char const* value, measure_error* error) {
    return c_api::remembered(plan, "the plan", error, [&](measure_plan& settings) {
        auto const wanted = c_api::text_of(name, "the name of the choice");
        auto const& row = c_api::row_of(c_api::text_settings, "choice of a plan", wanted);
        row.set(settings, c_api::text_of(value, "the value of the choice"));
    });
}

int measure_plan_set_number(measure_plan* plan, char const* name, double value, measure_error* error) {
    return c_api::remembered(plan, "the plan", error, [&](measure_plan& settings) {
        c_api::set_number(settings, c_api::text_of(name, "the name of the number"), value);
    });
}

int measure_plan_set_timer(measure_plan* plan, measure_timer const* timer, measure_error* error) {
    return c_api::remembered(plan, "the plan", error,
                             [&](measure_plan& settings) { settings.plan.timer = need(timer, "the timer").timer; });
}

int measure_plan_set_clock(measure_plan* plan, measure_clock const* clock, measure_error* error) {
    return c_api::remembered(plan, "the plan", error,
                             [&](measure_plan& settings) { settings.clock = need(clock, "the clock").clock; });
}
