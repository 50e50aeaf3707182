// SPDX-License-Identifier: BSD-3-Clause
#include "doctor/checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>

namespace measure::tool::doctor {

namespace {

/// A fact that should be equal on all hosts.
struct Common {
    char const* fact;
    char const* words;
};

constexpr std::array of_hosts{
    Common{"cpu", "CPU model"},         Common{"online", "processing units"},
    Common{"kernel", "kernel"},         Common{"governors", "frequency governor"},
    Common{"turbo", "turbo"},           Common{"smt", "threads per core (SMT)"},
    Common{"nodes", "memory nodes"},    Common{"clocksource", "clock source"},
    Common{"huge_pages", "huge pages"}, Common{"numa_balancing", "NUMA balancing"},
};

using Ranks = std::vector<int>;
using ByValue = std::map<std::string, Ranks>;

Finding finding_of(Level level, std::string text, std::string remedy, ByValue const& values) {
    Finding finding{.topic = "difference", .level = level, .text = std::move(text), .remedy = std::move(remedy)};
    for (auto const& [value, ranks] : values) {
        finding.details.push_back({value, ranks});
        finding.ranks.insert(finding.ranks.end(), ranks.begin(), ranks.end());
    }
    std::sort(finding.ranks.begin(), finding.ranks.end());
    return finding;
}

void compare_hosts(World const& world, std::vector<Finding>& found) {
    for (auto const& [fact, words] : of_hosts) {
        ByValue values;
        for (auto const& host : world.hosts) {
            auto& ranks = values[host.facts.text(fact).value_or("unknown")];
            ranks.insert(ranks.end(), host.ranks.begin(), host.ranks.end());
        }
        if (values.size() > 1)
            found.push_back(finding_of(Level::warning, fmt::format("hosts differ in {}", words),
                                       "use hosts of one kind: the slowest determines every result", values));
    }
}

/// Whether all ranks of each host have the same value. Differences within a host may be intended, for example a network
/// device for each rank.
bool is_alike_on_each_host(World const& world, std::string const& fact) {
    return std::all_of(world.hosts.begin(), world.hosts.end(), [&](Host const& host) {
        std::set<std::optional<std::string>> values;
        for (int const rank : host.ranks)
            values.insert(world.ranks[static_cast<std::size_t>(rank)].facts.text(fact));
        return values.size() == 1;
    });
}

void compare_ranks(World const& world, std::string const& fact, std::string const& words, std::vector<Finding>& found) {
    ByValue values;
    for (std::size_t rank = 0; rank < world.ranks.size(); ++rank) {
        auto const value = world.ranks[rank].facts.text(fact);
        values[value ? *value : "(not set)"].push_back(static_cast<int>(rank));
    }
    if (values.size() < 2)
        return;
    bool const is_of_hosts = is_alike_on_each_host(world, fact);
    found.push_back(finding_of(
        is_of_hosts ? Level::warning : Level::note,
        fmt::format("{} differ in {}", is_of_hosts ? "hosts" : "ranks", words),
        "give all ranks the same value: mpiexec -genv NAME VALUE (MPICH), -x NAME=VALUE (Open MPI)", values));
}

/// Finds cores, on one or several hosts, that differ in speed. It compares the fastest quantum of the same work.
void compare_speeds(World const& world, std::vector<Finding>& found) {
    double fastest = 0;
    double slowest = 0;
    ByValue values;
    for (std::size_t rank = 0; rank < world.ranks.size(); ++rank) {
        auto const& work = world.ranks[rank].work;
        if (work.quanta == 0)
            return;
        fastest = rank == 0 ? work.fastest : std::min(fastest, work.fastest);
        slowest = std::max(slowest, work.fastest);
    }
    // Turbo may cause smaller differences, which change from moment to moment.
    constexpr double tolerated = 1.1;
    if (slowest <= tolerated * fastest)
        return;
    for (std::size_t rank = 0; rank < world.ranks.size(); ++rank) {
        double const more = (world.ranks[rank].work.fastest / fastest - 1) * 100;
        values[fmt::format("{:.0f} % slower", more)].push_back(static_cast<int>(rank));
    }
    found.push_back(finding_of(Level::warning, "the cores of the ranks are not equally fast",
                               "use cores of one kind at one frequency: the slowest determines every result", values));
}

void find_shared_machines(World const& world, std::vector<Finding>& found) {
    std::map<std::string, std::vector<Host const*>> machines;
    for (auto const& host : world.hosts)
        if (auto const boot = host.facts.text("boot"))
            machines[*boot].push_back(&host);
    for (auto const& [boot, hosts] : machines) {
        if (hosts.size() < 2)
            continue;
        Finding finding{.topic = "one_machine", .level = Level::note};
        std::string names;
        for (auto const* const host : hosts) {
            names += (names.empty() ? "" : ", ") + host->name;
            finding.ranks.insert(finding.ranks.end(), host->ranks.begin(), host->ranks.end());
        }
        std::sort(finding.ranks.begin(), finding.ranks.end());
        finding.text = fmt::format("{} are containers on one machine: they share its processing units", names);
        found.push_back(std::move(finding));
    }
}

}  // namespace

bool are_of_one_machine(Host const& a, Host const& b) {
    auto const boot = a.facts.text("boot");
    return boot && boot == b.facts.text("boot");
}

std::vector<Finding> differences(World const& world) {
    std::vector<Finding> found;
    compare_hosts(world, found);
    compare_ranks(world, "mpi", "the MPI library", found);
    std::set<std::string> variables;
    for (auto const& rank : world.ranks)
        for (auto const& [name, value] : rank.facts.all())
            if (name.starts_with("env:"))
                variables.insert(name);
    for (auto const& name : variables)
        compare_ranks(world, name, fmt::format("the environment variable {}", name.substr(4)), found);
    compare_speeds(world, found);
    find_shared_machines(world, found);
    return found;
}

}  // namespace measure::tool::doctor
