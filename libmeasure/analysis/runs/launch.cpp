// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/runs/launch.hpp"

#include "analysis/core/printable.hpp"
#include "analysis/runs/control_names.hpp"
#include "analysis/runs/unknown.hpp"

#include <measure/report.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <ctime>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>

namespace measure {

namespace {

/// Options that may differ between launches, because they affect neither what is measured nor how. The last three are
/// not chosen by the user: regions measure two of them, and skampi assigns a name to each run.
constexpr std::array<std::string_view, 9> free_options{"seed",   "time_budget", "watchdog",   "raw",   "strict",
                                                       "output", "empty_scope", "scope_cost", "run_id"};

/// Options that may differ between the launches of a campaign: what remains to be measured, and how often.
constexpr std::array<std::string_view, 5> options_of_launch{"tests", "valid_runs", "min_runs", "max_runs",
                                                            "compute_points"};

bool contains(std::span<std::string_view const> names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

/// Whether the field belongs to an option in `options_of_launch`.
bool is_of_launch(std::string_view field) {
    constexpr std::string_view options = "options.";
    return field.starts_with(options) && contains(options_of_launch, field.substr(options.size()));
}

bool is_of_one_campaign(Environment const& a, Environment const& b) {
    return a.campaign && b.campaign && a.campaign->id == b.campaign->id;
}

/// Whether a command such as `measure run` made this launch, or the launches that it joins.
bool has_campaign(Launch const& launch) {
    auto const* const starts = launch.record.run.options.get<Value::Array>("launches");
    return launch.record.run.campaign ||
           (starts != nullptr && !starts->empty() && !starts->front().text("campaign").empty());
}

/// A fact about a run: its field name in the record and its value as JSON.
struct Fact {
    std::string name;
    std::string text;
    bool serious;
};

std::string json(Value const& value) { return json_text(value); }

constexpr char const* not_said = "nothing";

/// The source of a converted run, otherwise nullptr.
Value const* converted_from(Environment const& run) {
    auto const found = std::find_if(run.more.begin(), run.more.end(),
                                    [](auto const& member) { return member.first == converted_member; });
    return found == run.more.end() ? nullptr : &found->second;
}

bool is_converted(Environment const& run) { return converted_from(run) != nullptr; }

constexpr std::string_view settings_field = "mpi_settings";

/// Adds one fact per setting, and one that states whether settings were recorded.
void add_settings(Environment const& run, std::vector<Fact>& facts) {
    facts.push_back({std::string{settings_field}, run.mpi_settings ? "recorded" : "not recorded", true});
    if (run.mpi_settings)
        for (auto const& [name, value] : *run.mpi_settings)
            facts.push_back({fmt::format("{}.{}", settings_field, name), json(value), true});
}

std::vector<Fact> facts(Environment const& run) {
    auto const hosts = host_names(run);
    std::vector<Fact> result{{"suite", json(run.suite), true},
                             {"program", json(run.program), true},
                             {"ranks", json(run.ranks), true},
                             {"version", json(run.version), false},
                             {"mpi", json(run.mpi_library), false},
                             {"hosts", json(Value::Array(hosts.begin(), hosts.end())), false},
                             {"oversubscribed", json(run.oversubscribed), false},
                             {"kernel", json(run.kernel), false},
                             {"governor", json(run.governor), false},
                             {"timer", json(run.timer.name), true}};
    if (auto const* const options = std::get_if<Value::Object>(&run.options.data()))
        for (auto const& [name, value] : *options)
            if (!contains(free_options, name))
                result.push_back({"options." + name, json(value), true});
    add_settings(run, result);
    if (is_converted(run))
        std::erase_if(result, [&](Fact const& fact) {
            return fact.text == "null" || (fact.name == "timer" && run.timer.name == not_named);
        });
    return result;
}

/// The command without --json and --seed, which differ between launches.
std::vector<std::string> repeated_command(Environment const& run) {
    std::vector<std::string> words;
    for (std::size_t i = 0; i < run.command.size(); ++i) {
        auto const& word = run.command[i];
        bool const is_free = word == "--json" || word == "--seed";
        if (!is_free && !word.starts_with("--json=") && !word.starts_with("--seed="))
            words.push_back(word);
        i += is_free ? 1U : 0U;
    }
    return words;
}

std::string text_of(std::vector<Fact> const& facts, std::string const& name) {
    auto const found = std::find_if(facts.begin(), facts.end(), [&](Fact const& f) { return f.name == name; });
    return found == facts.end() ? not_said : found->text;
}

}  // namespace

std::string program_text(Environment const& run) {
    return run.program + (run.version.empty() ? "" : " " + run.version);
}

std::vector<std::string> host_names(Environment const& run) {
    std::vector<std::string> names;
    for (auto const& host : run.hosts)
        names.push_back(host.name);
    return names;
}

std::optional<std::int64_t> started_at(Environment const& run) {
    // Converted sources may give only the day.
    for (char const* const form : {"%Y-%m-%dT%H:%M:%S", "%Y-%m-%d"}) {
        std::tm parts{};
        if (::strptime(run.started.c_str(), form, &parts) != nullptr)
            return ::timegm(&parts);
    }
    return std::nullopt;
}

std::string named_machine(Environment const& run) {
    auto const* const from = converted_from(run);
    return from == nullptr ? std::string{} : from->text("machine");
}

std::string library_text(Environment const& run) {
    if (run.mpi_library == not_named)
        return fmt::format("MPI library {}", not_named);
    return run.mpi_library.value_or("");
}

bool is_shuffled(Environment const& run) {
    auto const* const shuffled = run.options.get<bool>("shuffle");
    return shuffled != nullptr && *shuffled;
}

std::string campaign_of_side_b(std::string const& run) { return run + "-b"; }

std::optional<std::string> two_sides_text(std::span<Launch const> launches) {
    std::set<std::string> campaigns;
    for (auto const& launch : launches)
        if (auto const& campaign = launch.record.run.campaign)
            campaigns.insert(campaign->id);
    for (auto const& campaign : campaigns)
        if (auto const b = campaign_of_side_b(campaign); campaigns.contains(b))
            return fmt::format("{} and {} are two sides of a run: compare them with measure compare --between campaign",
                               detail::masked(campaign), detail::masked(b));
    return std::nullopt;
}

bool is_joined(Launch const& launch) { return launch.record.run.options.find("launches") != nullptr; }

bool is_control_of(Environment const& run, Record const& point) {
    return run.suite == suite_of_controls && is_control(point.benchmark);
}

std::string program_of(Environment const& run) {
    auto const* const starts = run.options.get<Value::Array>("launches");
    if (starts == nullptr || starts->empty())
        return run.program;
    if (auto program = starts->front().text("program"); !program.empty())
        return program;
    // Records of earlier versions contain only the suite.
    return run.suite == "pmb" ? std::string{"PMB-MPI1"} : run.suite;
}

bool is_crowded(std::span<Launch const> launches) {
    return std::any_of(launches.begin(), launches.end(), [](Launch const& l) { return l.record.run.oversubscribed; });
}

bool is_same_run(Launch const& a, Launch const& b) {
    auto const& run = a.record.run;
    auto const& other = b.record.run;
    auto const& points = a.record.points;
    auto const& others = b.record.points;
    if (run.started != other.started || run.mpi_library != other.mpi_library ||
        named_machine(run) != named_machine(other) || run.command != other.command ||
        run.mpi_settings != other.mpi_settings || run.campaign != other.campaign || points.empty() || others.empty() ||
        json(run.options) != json(other.options))
        return false;
    // Two launches may agree in the time of one point, but never in all times to the last digit.
    auto const common = std::min(points.size(), others.size());
    return std::equal(points.begin(), points.begin() + static_cast<std::ptrdiff_t>(common), others.begin(),
                      [](Record const& x, Record const& y) {
                          return x.benchmark == y.benchmark && x.at == y.at && x.value == y.value &&
                                 x.elapsed == y.elapsed;
                      });
}

std::optional<std::string> why_apart(std::span<Launch const> launches, bool with_command) {
    if (launches.empty())
        return std::nullopt;
    auto const& first = launches.front();
    auto const& campaign = first.record.run.campaign;
    auto const in_words = [](Launch const& launch) {
        auto const& of = launch.record.run.campaign;
        return of ? "campaign " + of->id : std::string{"no campaign"};
    };
    auto const id_of = [](Launch const& launch) {
        auto const& of = launch.record.run.campaign;
        return of ? std::optional{of->id} : std::nullopt;
    };
    Launch const* earliest = &first;
    Launch const* latest = &first;
    for (auto const& launch : launches.subspan(1)) {
        auto const& run = launch.record.run;
        if (id_of(launch) != id_of(first))
            return fmt::format("'{}' belongs to {}, but '{}' to {}", first.name, in_words(first), launch.name,
                               in_words(launch));
        if (campaign)
            continue;
        if (with_command && !is_joined(first) && !is_joined(launch) &&
            repeated_command(run) != repeated_command(first.record.run))
            return fmt::format("'{}' and '{}' have different commands: {} and {}", first.name, launch.name,
                               fmt::join(first.record.run.command, " "), fmt::join(run.command, " "));
        if (run.started < earliest->record.run.started)
            earliest = &launch;
        if (run.started > latest->record.run.started)
            latest = &launch;
    }
    constexpr std::int64_t one_day = 24 * 60 * 60;
    auto const begin = started_at(earliest->record.run);
    auto const end = started_at(latest->record.run);
    if (campaign || earliest == latest || (begin && end && *end - *begin <= one_day))
        return std::nullopt;
    if (!begin || !end)
        return fmt::format("'{}' and '{}' were started {} and {}", earliest->name, latest->name,
                           or_unknown(earliest->record.run.started), or_unknown(latest->record.run.started));
    return fmt::format("'{}' and '{}' were not started within 24 hours: {} and {}", earliest->name, latest->name,
                       earliest->record.run.started, latest->record.run.started);
}

bool are_alike(Launch const& a, Launch const& b, bool join) {
    // Copies only the run lines: points are not needed for the comparison.
    std::array const both{Launch{a.name, {.run = a.record.run}}, Launch{b.name, {.run = b.record.run}}};
    return differences(both).empty() && (join || !why_apart(both));
}

bool is_setting(Difference const& difference) { return difference.field.starts_with(settings_field); }

std::vector<Difference> differences(std::span<Launch const> launches) {
    std::vector<Difference> found;
    std::set<std::string> seen;
    auto const first = facts(launches.front().record.run);
    bool const first_says = launches.front().record.run.mpi_settings.has_value();
    for (auto const& launch : launches.subspan(1)) {
        auto const others = facts(launch.record.run);
        auto all = first;
        std::copy(others.begin(), others.end(), std::back_inserter(all));
        bool const both_say = first_says && launch.record.run.mpi_settings.has_value();
        bool const has_converted = is_converted(launches.front().record.run) || is_converted(launch.record.run);
        bool const is_same_campaign = is_of_one_campaign(launches.front().record.run, launch.record.run);
        for (auto const& fact : all) {
            if (is_same_campaign && is_of_launch(fact.name))
                continue;
            if (!both_say && fact.name.starts_with(fmt::format("{}.", settings_field)))
                continue;
            auto const mine = text_of(first, fact.name);
            auto const other = text_of(others, fact.name);
            // A fact that a converted source does not state is not a difference.
            if (has_converted && (mine == not_said || other == not_said))
                continue;
            if (mine != other && seen.insert(fact.name).second)
                found.push_back({fmt::format("'{}' and '{}' differ in {}: {} and {}", launches.front().name,
                                             launch.name, fact.name, mine, other),
                                 fact.name, fact.serious});
        }
    }
    std::stable_partition(found.begin(), found.end(), is_setting);
    return found;
}

std::vector<Difference> side_differences(std::span<Launch const> a, std::span<Launch const> b) {
    bool const has_joined = is_joined(a.front()) || is_joined(b.front());
    // The names would be file names, which the caller reports anyway.
    std::array const sides{Launch{"A", {.run = a.front().record.run}}, Launch{"B", {.run = b.front().record.run}}};
    auto result = differences(sides);
    std::erase_if(result, [&](Difference const& difference) {
        return difference.field == joined_launches ||
               (has_joined && (difference.field == "program" || difference.field == "version"));
    });
    // Commands that make launches choose the remaining tests for each launch. Points on one side only are reported
    // separately.
    bool const are_started = has_campaign(a.front()) && has_campaign(b.front());
    std::erase_if(result, [&](Difference const& difference) { return are_started && is_of_launch(difference.field); });
    return result;
}

bool may_differ(std::string_view option, Launch const& a, Launch const& b) {
    return contains(free_options, option) ||
           (contains(options_of_launch, option) && has_campaign(a) && has_campaign(b));
}

}  // namespace measure
