// SPDX-License-Identifier: BSD-3-Clause
#include "doctor/probe.hpp"

#include "doctor/huge_pages.hpp"

#include <measure/clock_sync.hpp>
#include <measure/environment.hpp>
#include <measure/error.hpp>
#include <measure/mpi_error.hpp>
#include <measure/timer.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <mpi.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <map>
#include <optional>
#include <set>

namespace measure::tool::doctor {

namespace {

using measure::seconds;

double clock_seconds(clockid_t clock) {
    timespec t{};
    clock_gettime(clock, &t);
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

/// Time by which the wall clock is ahead of the clock that is never set, in seconds. Both are slewed equally, so it
/// changes only if the wall clock is set. Uses the attempt with the shortest interruption.
double wall_clock_lead() {
    constexpr int tries = 5;
    double lead = 0;
    double least = std::numeric_limits<double>::infinity();
    for (int i = 0; i < tries; ++i) {
        double const before = clock_seconds(CLOCK_MONOTONIC);
        double const wall = clock_seconds(CLOCK_REALTIME);
        double const after = clock_seconds(CLOCK_MONOTONIC);
        if (after - before >= least)
            continue;
        least = after - before;
        lead = wall - before;
    }
    return lead;
}

std::string temporary_folder() {
    char const* const folder = std::getenv("TMPDIR");
    return folder != nullptr && *folder != '\0' ? folder : "/tmp";
}

std::vector<std::string> variables() {
    std::vector<std::string> all;
    for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable)
        all.emplace_back(*variable);
    return all;
}

Facts mpi_facts() {
    Facts facts;
    std::string text(MPI_MAX_LIBRARY_VERSION_STRING, '\0');
    int length = 0;
    measure::check(MPI_Get_library_version(text.data(), &length), "MPI_Get_library_version");
    text.resize(static_cast<std::size_t>(length));
    facts.set("mpi", measure::detail::short_library_name(text));
    facts.set("mpi_build", machine::mpi_build(text));
    int level = MPI_THREAD_SINGLE;
    measure::check(MPI_Query_thread(&level), "MPI_Query_thread");
    facts.set("mpi_threads", std::string{level == MPI_THREAD_MULTIPLE     ? "multiple"
                                         : level == MPI_THREAD_SERIALIZED ? "serialized"
                                         : level == MPI_THREAD_FUNNELED   ? "funneled"
                                                                          : "single"});
    return facts;
}

std::string timer_fact(measure::AnyTimer const& timer) {
    auto const check = measure::check_timer(timer);
    if (!check.failures.empty())
        return fmt::format("failure: {}", fmt::join(check.failures, "; "));
    if (!check.warnings.empty())
        return fmt::format("warning: {}", fmt::join(check.warnings, "; "));
    return "fine";
}

/// The time-stamp counter; nullopt on all ranks if a host has no suitable counter.
std::optional<measure::TscTimer> counter_of(measure::Comm const& world) {
    try {
        return measure::TscTimer{world};
    } catch (measure::UsageError const&) {
        return std::nullopt;
    }
}

/// Checks the timers. Collective.
Facts timer_facts(measure::Comm const& world) {
    Facts facts;
    facts.set("timer:mpi_wtime", timer_fact(measure::WtimeTimer{}));
    auto const counter = counter_of(world);
    if (!counter)
        return facts;
    facts.set("timer:tsc", timer_fact(*counter));
    auto const node = world.node();
    // If ranks share cores, measuring a pair takes seconds and the bounds are meaningless.
    if (node.size() < 2 || world.oversubscribed())
        return facts;
    auto const clock = measure::synchronise(node, *counter);
    if (clock.bound()) {
        facts.set("tsc_offset", clock.offset().count());
        facts.set("tsc_bound", clock.bound()->count());
    }
    return facts;
}

/// Alternates clock readings and fixed work, in short parts so that signals are handled in time. Collective.
void watch(Tree const& tree, seconds duration, program::Session& session, Rank& rank) {
    constexpr seconds part{0.5};
    measure::AnyTimer const timer{measure::MonotonicRawTimer{}};
    std::vector<measure::Detours> noise;
    measure::Fwq work;
    std::set<int> units;
    auto const look_where = [&] {
        if (auto const unit = machine::current_unit(tree))
            units.insert(*unit);
    };
    // Does not look before the first part: the initial placement is meaningless, because the kernel soon moves a rank
    // to a free core.
    for (seconds left = duration; left > seconds{0}; left -= part) {
        static_cast<void>(session.meet());
        seconds const half = std::min(left, part) / 2;
        noise.push_back(measure::observe_detours(timer, {.duration = half}));
        look_where();
        auto const more = measure::observe_fwq(timer, {.duration = half});
        work.quanta.insert(work.quanta.end(), more.quanta.begin(), more.quanta.end());
        look_where();
    }
    if (!units.empty())
        rank.facts.set("units_used", static_cast<double>(units.size()));
    rank.noise = measure::summarise(noise);
    rank.work = measure::summary_of(work);
}

/// Watches, and records how much of a core this process used while watching. Collective.
void observe(Tree const& tree, seconds duration, program::Session& session, Rank& rank) {
    double const raw = clock_seconds(CLOCK_MONOTONIC_RAW);
    double const used = clock_seconds(CLOCK_PROCESS_CPUTIME_ID);
    double const lead = wall_clock_lead();
    watch(tree, duration, session, rank);
    rank.facts.set("wall_clock_step", wall_clock_lead() - lead);
    rank.facts.set("cores_used",
                   (clock_seconds(CLOCK_PROCESS_CPUTIME_ID) - used) / (clock_seconds(CLOCK_MONOTONIC_RAW) - raw));
}

/// Reads the observations from a simulated tree instead of watching.
void make_up(Tree const& tree, seconds duration, Rank& rank) {
    for (char const* timer : {"timer:mpi_wtime", "timer:tsc"})
        rank.facts.set(timer, std::string{"fine"});
    rank.facts.add(Facts::from_lines(tree.text("/measure/rank").value_or("")));
    auto const number = [&](char const* name, double otherwise) { return rank.facts.number(name).value_or(otherwise); };
    rank.noise = {.duration = duration.count(),
                  .threshold = 1e-6,
                  .detours = static_cast<std::int64_t>(number("noise_detours", 0)),
                  .lost = number("noise_lost", 0),
                  .longest = number("noise_longest", 0),
                  .pauses = number("noise_longest", 0) >= 2e-3 ? 1 : 0};
    double const quantum = number("work_fastest", 1e-4);
    rank.work = {
        .duration = quantum, .quanta = 1, .fastest = quantum, .quick = quantum, .median = quantum, .slowest = quantum};
}

std::string host_key(Facts const& facts) {
    return facts.text("host").value_or("localhost") + '\n' + facts.text("boot").value_or("");
}

/// Finds the hosts; the first rank of each host represents it. Collective. \return [hosts] on the root, and whether
/// this rank represents its host
std::pair<std::vector<Host>, bool> find_hosts(measure::Comm const& world, Facts const& mine) {
    auto const keys = world.gather(host_key(mine));
    std::vector<Host> hosts;
    std::vector<double> speaks(keys.size(), 0);
    std::map<std::string, std::size_t> index;
    for (std::size_t rank = 0; rank < keys.size(); ++rank) {
        auto const [found, is_new] = index.try_emplace(keys[rank], hosts.size());
        if (is_new) {
            hosts.push_back({.name = keys[rank].substr(0, keys[rank].find('\n'))});
            speaks[rank] = 1;
        }
        hosts[found->second].ranks.push_back(static_cast<int>(rank));
    }
    bool const is_speaker = world.scatter(speaks) > 0;
    return {std::move(hosts), is_speaker};
}

/// Gathers all data on the root. Collective.
World gathered(measure::Comm const& world, std::vector<Host> hosts, std::optional<measure::Comm> const& speakers,
               Facts const& host, Rank const& rank) {
    World all{.hosts = std::move(hosts)};
    if (speakers) {
        auto const texts = speakers->gather(host.packed());
        for (std::size_t i = 0; i < texts.size(); ++i)
            all.hosts[i].facts = Facts::unpacked(texts[i]);
    }
    auto const facts = world.gather(rank.facts.packed());
    auto const noise = world.gather(rank.noise);
    auto const work = world.gather(rank.work);
    for (std::size_t i = 0; i < facts.size(); ++i)
        all.ranks.push_back({.facts = Facts::unpacked(facts[i]), .noise = noise[i], .work = work[i]});
    return all;
}

}  // namespace

World examine(program::Session& session, ProbeRules const& rules) {
    auto const& world = session.world();
    auto const turn = static_cast<std::size_t>(world.rank());
    Tree const tree{rules.trees.empty() ? "" : rules.trees[turn % rules.trees.size()]};
    Rank rank;
    rank.facts = machine::process_facts(tree);
    rank.facts.add(page_facts(tree));
    rank.facts.add(machine::variable_facts(variables()));
    rank.facts.add(mpi_facts());
    auto [hosts, is_speaker] = find_hosts(world, rank.facts);
    auto const speakers = world.split(is_speaker ? 0 : -1);

    Facts host;
    Activity before;
    if (is_speaker) {
        host = machine::host_facts(tree, temporary_folder());
        before = activity(tree, Moment::begin);
    }
    world.barrier();
    if (tree.is_real())
        observe(tree, rules.duration, session, rank);
    else
        make_up(tree, rules.duration, rank);
    if (is_speaker) {
        host.add(activity_facts(before, activity(tree, Moment::end)));
        if (!tree.is_real())
            host.add(Facts::from_lines(tree.text("/measure/host").value_or("")));
    }
    if (tree.is_real())
        rank.facts.add(timer_facts(world));
    return gathered(world, std::move(hosts), speakers, host, rank);
}

}  // namespace measure::tool::doctor
