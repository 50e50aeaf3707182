// SPDX-License-Identifier: BSD-3-Clause
#include "doctor/checks.hpp"

#include <measure/units.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>

namespace measure::tool::doctor {

namespace {

std::size_t number_of_nodes(std::vector<int> const& units, Host const& host) {
    std::size_t nodes = 0;
    for (std::string const& list : host.facts.list("nodes")) {
        auto const members = numbers_in(list);
        nodes += std::any_of(units.begin(), units.end(),
                             [&](int unit) { return std::binary_search(members.begin(), members.end(), unit); })
                     ? 1U
                     : 0U;
    }
    return nodes;
}

Judgement binding(RankView const& view) {
    auto const units = units_of(view.rank.facts);
    if (units.empty())
        return {Level::unknown, "whether ranks are bound cannot be read", "", ""};
    auto const cores = cores_of(units, view.host.facts);
    if (std::set<int>(cores.begin(), cores.end()).size() == 1)
        return {Level::fine, "bound to a core", fmt::format("processing units {}", some_of(units)), ""};
    auto const nodes = number_of_nodes(units, view.host);
    auto const detail =
        fmt::format("{} processing units{}", units.size(), nodes > 1 ? fmt::format(" on {} memory nodes", nodes) : "");
    char const* const remedy =
        view.world == 1 ? "taskset -c 0 PROGRAM .."
                        : "mpiexec -bind-to core (MPICH, Intel MPI), --bind-to core (Open MPI), srun --cpu-bind=cores";
    // Many launchers bind ranks only on request. On an idle host such ranks then mostly stay in place.
    if (auto const used = view.rank.facts.number("units_used"); used && *used > 1)
        return {Level::warning, "not bound to a core; moved between processing units during the observation",
                fmt::format("{}, {:.0f} of them used", detail, *used), remedy};
    return {Level::note, "not bound to a core: the kernel may move ranks, or put two on one core", detail, remedy};
}

Judgement huge_pages_given(RankView const& view) {
    auto const given = view.rank.facts.text("huge_given");
    if (!given)
        return {};
    auto const detail = view.rank.facts.text("huge_explicit") == "yes" ? "explicit huge pages too: MAP_HUGETLB works"
                                                                       : "no explicit huge pages: MAP_HUGETLB fails";
    if (*given == "always")
        return {Level::fine, "new memory gets transparent huge pages", detail, ""};
    if (*given == "advised")
        return {Level::fine, "memory gets transparent huge pages after madvise", detail, ""};
    if (view.host.facts.text("huge_pages") == "never")
        return {Level::fine, "memory gets no transparent huge pages", detail, ""};
    return {Level::note, "the kernel offers transparent huge pages, but processes do not get them", detail,
            "echo 1 | sudo tee /proc/sys/vm/compact_memory (if free memory is fragmented); grep THP_enabled "
            "/proc/self/status (0: disabled for the process)"};
}

Judgement launcher(RankView const& view) {
    auto const launched = view.rank.facts.number("launched");
    if (!launched || *launched <= 1 || view.world > 1)
        return {};
    return {Level::warning, "the launcher belongs to another MPI library: every process has its own MPI_COMM_WORLD",
            fmt::format("{:.0f} processes were started", *launched),
            "use the mpiexec of the MPI library that this program was built with"};
}

Judgement library(RankView const& view) {
    auto const& facts = view.rank.facts;
    auto const name = facts.text("mpi");
    if (!name)
        return {};
    auto const build = facts.text("mpi_build");
    if (!build)
        return {Level::unknown, fmt::format("whether {} is a debug build cannot be determined", *name), "", ""};
    if (*build == "optimised")
        return {Level::fine, fmt::format("{}, optimised", *name), "", ""};
    return {Level::warning,
            fmt::format("{} is a {} build, which is slower than the build that users have", *name, *build), "",
            "use a library built without debugging"};
}

Judgement threads(RankView const& view) {
    auto const level = view.rank.facts.text("mpi_threads");
    if (!level)
        return {};
    if (*level != "multiple")
        return {Level::fine, fmt::format("MPI threads: {}", *level), "", ""};
    return {Level::note, "MPI provides MPI_THREAD_MULTIPLE although it was not requested: calls take locks", "",
            "check for a variable that sets it (MPICH: MPIR_CVAR_DEFAULT_THREAD_LEVEL)"};
}

/// \param fact  "fine", "warning: TEXT" or "failure: TEXT"
Judgement timer(std::optional<std::string> const& fact, char const* name) {
    if (!fact)
        return {Level::unknown, fmt::format("timer {} is not available", name), "", ""};
    if (fact->starts_with("failure: "))
        return {Level::warning, fmt::format("timer {} fails its check", name), fact->substr(9),
                "mpiperf -T lists other timers for --timer"};
    if (fact->starts_with("warning: "))
        return {Level::note, fmt::format("timer {} passes its check with warnings", name), fact->substr(9),
                "mpiperf -j checks a single timer, mpiperf -T lists other timers"};
    return {Level::fine, fmt::format("timer {}", name), "", ""};
}

Judgement wtime(RankView const& view) { return timer(view.rank.facts.text("timer:mpi_wtime"), "mpi_wtime"); }
Judgement tsc_timer(RankView const& view) { return timer(view.rank.facts.text("timer:tsc"), "tsc"); }

Judgement tsc_offset(RankView const& view) {
    auto const offset = view.rank.facts.number("tsc_offset");
    auto const bound = view.rank.facts.number("tsc_bound");
    if (view.host.ranks.size() < 2 || view.rank.facts.text("timer:tsc") == std::nullopt)
        return {};
    if (!offset || !bound)
        return {Level::unknown, "whether the host's counters (TSC) are synchronised was not measured", "", ""};
    if (std::abs(*offset) <= *bound)
        return {Level::fine, "the host's counters (TSC) agree", "", ""};
    return {Level::warning, "the host's counters (TSC) differ from core to core",
            fmt::format("{} +- {}", measure::text(measure::seconds{*offset}), measure::text(measure::seconds{*bound})),
            "use --timer monotonic_raw, and bind ranks to cores"};
}

Judgement wall_clock(RankView const& view) {
    auto const step = view.rank.facts.number("wall_clock_step");
    if (!step)
        return {};
    if (std::abs(*step) <= 5e-3)
        return {Level::fine, "the wall clock was not set", "", ""};
    return {Level::warning, "the wall clock was set during the checks: MPI_Wtime may read it",
            measure::text(measure::seconds{*step}),
            "wait until NTP has settled (chronyc tracking), or use --timer tsc"};
}

Judgement interruptions(RankView const& view) {
    auto const& noise = view.rank.noise;
    if (noise.duration <= 0)
        return {Level::unknown, "interruptions were not examined", "", ""};
    auto const detail =
        fmt::format("{:.2g} % lost, longest {}", noise.share() * 100, measure::text(measure::seconds{noise.longest}));
    if (noise.pauses > 0 || noise.share() > 0.01)
        return {Level::warning, "ranks are interrupted for long times or often", detail,
                "end other programs and start no more ranks than cores; if that is impossible, take more samples and "
                "use the median (mpiperf --median-interval)"};
    if (noise.share() > 0.001)
        return {Level::note, "ranks are interrupted occasionally", detail, "mpiperf --noise 10s shows the pattern"};
    return {Level::fine, "ranks are hardly interrupted", detail, ""};
}

Judgement speed(RankView const& view) {
    auto const& work = view.rank.work;
    if (work.quanta == 0)
        return {Level::unknown, "the speed of cores was not examined", "", ""};
    constexpr double visible = 0.03;
    constexpr double large = 0.1;
    if (work.slowdown() <= visible)
        return {Level::fine, "cores run at constant speed", "", ""};
    // A difference of one or two steps of the clock rate may come from turbo, for which there is also only a note.
    return {work.slowdown() <= large ? Level::note : Level::warning,
            "equal work does not take equal time: the clock rate changes, or another thread shares the core",
            fmt::format("median {:.0f} % slower than the fastest 5 %", work.slowdown() * 100),
            "use a fixed frequency (governor, turbo) and leave SMT siblings idle; warm up before measuring"};
}

}  // namespace

std::span<Check<RankView> const> rank_checks() noexcept {
    static constexpr std::array table{
        Check<RankView>{"binding", binding},
        Check<RankView>{"huge_pages_given", huge_pages_given},
        // MPI and its clocks.
        Check<RankView>{"launcher", launcher},
        Check<RankView>{"mpi_library", library},
        Check<RankView>{"mpi_threads", threads},
        Check<RankView>{"timer", wtime},
        Check<RankView>{"timer", tsc_timer},
        Check<RankView>{"tsc_offset", tsc_offset},
        Check<RankView>{"wall_clock", wall_clock},
        // From the observation.
        Check<RankView>{"interruptions", interruptions},
        Check<RankView>{"speed", speed},
    };
    return table;
}

}  // namespace measure::tool::doctor
