// SPDX-License-Identifier: BSD-3-Clause
#include "doctor/checks.hpp"
#include "program/cli/values.hpp"
#include "program/runtime/control_groups.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>

namespace measure::tool::doctor {

namespace {

std::size_t count_cores(std::vector<int> const& units, Host const& host) {
    auto const cores = cores_of(units, host.facts);
    return std::set<int>(cores.begin(), cores.end()).size();
}

std::string units_in_words(std::vector<int> const& units, Host const& host) {
    auto const online = numbers_in(host.facts.text("online").value_or("")).size();
    if (online <= units.size())
        return fmt::format("{} processing units", units.size());
    return fmt::format("{} of {} processing units (affinity or cpuset)", units.size(), online);
}

Judgement oversubscription(HostView const& view) {
    auto const units = united_units(view);
    if (!units)
        return {Level::unknown, "the processing units that ranks may use cannot be read", "", ""};
    auto const detail = fmt::format("{} rank{} on {}", view.ranks.size(), view.ranks.size() == 1 ? "" : "s",
                                    units_in_words(*units, view.host));
    if (view.ranks.size() <= units->size())
        return {Level::fine, "a processing unit for each rank", detail, ""};
    return {Level::warning, "more ranks than processing units: ranks wait for each other's time slices", detail,
            "use fewer ranks or give them more processing units (taskset, cpuset, batch system); the yield helper "
            "shortens the waiting (docs/oversubscription.md)"};
}

Judgement quota(HostView const& view) {
    std::optional<double> least;
    for (Rank const* rank : view.ranks) {
        if (!rank->facts.text("quota"))
            return {Level::unknown, "whether a quota limits the processor time (cgroup) cannot be read", "", ""};
        if (auto const cores = rank->facts.number("quota"))
            least = std::min(least.value_or(*cores), *cores);
    }
    if (!least)
        return {Level::fine, "no quota on processor time", "", ""};
    auto const detail =
        fmt::format("{:.3g} cores for {} rank{}", *least, view.ranks.size(), view.ranks.size() == 1 ? "" : "s");
    if (*least < static_cast<double>(view.ranks.size()))
        return {Level::warning, program::short_quota, detail,
                "remove the limit: docker run without --cpus, systemctl set-property UNIT CPUQuota=, or fewer ranks"};
    return {Level::note, "a quota on processor time (cgroup): threads of the MPI library count too", detail,
            "docker run without --cpus, or with --cpuset-cpus instead"};
}

/// The ranks that are bound to a single core, grouped by core.
std::map<int, std::vector<std::size_t>> bound_ranks(HostView const& view) {
    std::map<int, std::vector<std::size_t>> by_core;
    for (std::size_t i = 0; i < view.ranks.size(); ++i) {
        auto const cores = cores_of(units_of(view.ranks[i]->facts), view.host.facts);
        if (!cores.empty() && std::set<int>(cores.begin(), cores.end()).size() == 1)
            by_core[cores.front()].push_back(i);
    }
    return by_core;
}

Judgement shared_cores(HostView const& view) {
    auto const units = united_units(view);
    if (!units || view.ranks.size() < 2 || view.ranks.size() > units->size())
        return {};  // covered by other checks
    constexpr char const* remedy = "mpiexec -bind-to core (MPICH), --bind-to core --map-by core (Open MPI)";
    std::vector<std::string> texts;
    bool is_one_unit = false;
    for (auto const& [core, places] : bound_ranks(view)) {
        if (places.size() < 2)
            continue;
        std::vector<int> ranks;
        std::set<int> together;
        for (std::size_t const place : places) {
            ranks.push_back(view.host.ranks[place]);
            auto const own = units_of(view.ranks[place]->facts);
            together.insert(own.begin(), own.end());
        }
        is_one_unit = is_one_unit || together.size() < places.size();
        texts.push_back(fmt::format("ranks {} on processing unit{} {}", some_of(ranks), together.size() > 1 ? "s" : "",
                                    some_of({together.begin(), together.end()})));
    }
    if (!texts.empty())
        return {Level::warning,
                is_one_unit ? "ranks are bound to the same core: they take turns"
                            : "ranks are bound to threads of the same core (SMT): they share its execution units",
                fmt::format("{}", fmt::join(texts, "; ")), remedy};
    if (view.ranks.size() > count_cores(*units, view.host))
        return {Level::warning, "fewer cores than ranks: ranks share cores as SMT threads",
                fmt::format("{} cores for {} ranks", count_cores(*units, view.host), view.ranks.size()),
                "use fewer ranks"};
    return {Level::fine, "a core for each rank", "", ""};
}

Judgement smt(HostView const& view) {
    auto const active = view.host.facts.text("smt");
    if (!active)
        return {Level::unknown, "whether cores have several threads (SMT) cannot be read", "", ""};
    if (*active == "0")
        return {Level::fine, "one thread per core", "", ""};
    return {Level::note, "cores have several threads (SMT): work on the other thread slows a rank down", "",
            "echo off | sudo tee /sys/devices/system/cpu/smt/control, or leave the siblings idle"};
}

std::vector<std::string> texts_of(std::vector<OtherProcess> const& processes) {
    std::vector<std::string> texts;
    for (auto const& [pid, name, share] : processes)
        texts.push_back(fmt::format("{} ({}) {:.2f}", name, pid, share));
    return texts;
}

Judgement other_programs(HostView const& view) {
    auto const busy = view.host.facts.number("busy_cores");
    if (!busy)
        return {Level::unknown, "other programs cannot be detected (/proc/stat)", "", ""};
    double const foreign = std::max(*busy - view.own_cores, 0.0);
    auto const units = std::max<std::size_t>(numbers_in(view.host.facts.text("online").value_or("")).size(), 1);
    double const allowed =
        std::max(0.1, 0.02 * static_cast<double>(units)) + view.host.facts.number("busy_error").value_or(0);
    if (foreign <= allowed)
        return {Level::fine, "no other programs are running", "", ""};
    auto names = texts_of(others_of(view));
    bool const are_more = names.size() > 5;
    names.resize(std::min<std::size_t>(names.size(), 5));
    return {Level::warning, "other programs use processing units",
            fmt::format("{:.1f} of {} cores: {}{}", foreign, units,
                        names.empty() ? "processes that are hidden or short-lived"
                                      : fmt::format("{}", fmt::join(names, ", ")),
                        are_more ? " .." : ""),
            "run top and end unneeded programs; or ask the batch system for whole nodes"};
}

Judgement load(HostView const& view) {
    auto const load = view.host.facts.number("load");
    if (!load)
        return {Level::unknown, "the load cannot be read", "", ""};
    auto const units = std::max<std::size_t>(numbers_in(view.host.facts.text("online").value_or("")).size(), 1);
    auto const detail = fmt::format("load {:.2f} on {} processing units", *load, units);
    if (*load <= std::max(1.0, 0.1 * static_cast<double>(units)))
        return {Level::fine, "the last minute was quiet", detail, ""};
    return {Level::note, "programs ran in the last minute", detail, "check uptime, and wait until the load is low"};
}

Judgement steal(HostView const& view) {
    auto const share = view.host.facts.number("steal");
    if (!share)
        return {Level::unknown, "time taken by the hypervisor (steal) cannot be read", "", ""};
    if (*share <= 0.0005)
        return {Level::fine, "no steal", "", ""};
    auto const detail = fmt::format("{:.2f} % of all time", *share * 100);
    if (*share <= 0.005)
        return {Level::note, "the hypervisor has taken some processor time (steal)", detail,
                "use another machine, or measure at another time"};
    return {Level::warning, "the hypervisor takes processor time (steal)", detail,
            "use another machine, or measure at another time"};
}

}  // namespace

std::optional<std::vector<int>> united_units(HostView const& view) {
    std::set<int> all;
    for (Rank const* const rank : view.ranks) {
        auto const units = units_of(rank->facts);
        if (units.empty())
            return std::nullopt;
        all.insert(units.begin(), units.end());
    }
    return std::vector<int>(all.begin(), all.end());
}

std::vector<OtherProcess> others_of(HostView const& view) {
    std::vector<OtherProcess> others;
    // Each has the form "PID SHARE NAME".
    for (std::string const& process : view.host.facts.list("processes")) {
        auto const blank = process.find(' ');
        auto const name = process.find(' ', blank + 1);
        auto const pid = process.substr(0, blank);
        bool const is_rank = std::any_of(view.ranks.begin(), view.ranks.end(),
                                         [&](Rank const* rank) { return rank->facts.text("pid") == pid; });
        if (is_rank || blank == std::string::npos || name == std::string::npos)
            continue;
        auto const share = program::number_from<double>(std::string_view{process}.substr(blank + 1, name - blank - 1));
        others.push_back({pid, process.substr(name + 1), share.value_or(0)});
    }
    return others;
}

std::string some_of(std::vector<int> const& numbers) {
    constexpr std::size_t most = 8;
    std::vector<int> const some(numbers.begin(), numbers.begin() + std::min<std::ptrdiff_t>(std::ssize(numbers), most));
    return fmt::format("{}{}", fmt::join(some, ", "), numbers.size() > most ? ", .." : "");
}

std::span<Check<HostView> const> room_checks() noexcept {
    static constexpr std::array table{
        Check<HostView>{"oversubscription", oversubscription},
        Check<HostView>{"quota", quota},
        Check<HostView>{"shared_cores", shared_cores},
        Check<HostView>{"smt", smt},
        Check<HostView>{"other_programs", other_programs},
        Check<HostView>{"load", load},
        Check<HostView>{"steal", steal},
    };
    return table;
}

}  // namespace measure::tool::doctor
