// SPDX-License-Identifier: BSD-3-Clause
/// The synchronisers on simulated networks of 2 to 4096 ranks: error, time, rounds and messages as a table, and as a
/// plot where a name for its files is given. Nothing is asserted; the same seed gives the same numbers.
#include "measure/statistics.hpp"
#include "support/clock_network.hpp"

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

namespace {

using measure::detail::SyncStep;
using test::ClockNetwork;
using test::NetworkOptions;
using test::NetworkOutcome;

constexpr int ranks_per_host = 16;

struct Row {
    int ranks;
    int rounds;
    double duration;
    std::int64_t messages;
    double median, max, later;  // |error| when done, largest ten seconds later; s
};

std::vector<double> sizes(std::vector<double> xs) {
    for (auto& x : xs)
        x = std::abs(x);
    return xs;
}

Row row(int ranks, int rounds, NetworkOutcome const& out) {
    return {ranks,
            rounds,
            out.duration,
            out.messages,
            measure::median(sizes(out.errors)),
            NetworkOutcome::largest(out.errors),
            NetworkOutcome::largest(out.later)};
}

/// Length of the longest chain of meetings that wait for each other.
template <class StepsOf>
int rounds_of(StepsOf steps_of, int n) {
    std::vector<std::vector<SyncStep>> steps;
    for (int i = 0; i < n; ++i)
        steps.push_back(steps_of(i, n));
    std::vector<std::size_t> next(steps.size(), 0);
    std::vector<int> level(steps.size(), 0);
    bool moved = true;
    while (moved) {
        moved = false;
        for (std::size_t i = 0; i < steps.size(); ++i)
            while (next[i] < steps[i].size()) {
                auto const peer = static_cast<std::size_t>(steps[i][next[i]].peer);
                bool const meets =
                    next[peer] < steps[peer].size() && static_cast<std::size_t>(steps[peer][next[peer]].peer) == i;
                if (!meets)
                    break;
                level[i] = level[peer] = std::max(level[i], level[peer]) + 1;
                ++next[i];
                ++next[peer];
                moved = true;
            }
    }
    return *std::max_element(level.begin(), level.end());
}

int host_rounds(int n, int points) {
    int const hosts = (n + ranks_per_host - 1) / ranks_per_host;
    return rounds_of(measure::detail::tree_steps, hosts) * points + std::min(n, ranks_per_host) - 1;
}

/// Clocks of up to a second of skew and 50 ppm of drift, one per host; messages as on a quick network, some late.
NetworkOptions network(int ranks, std::uint64_t seed) {
    return {.ranks = ranks,
            .ranks_per_host = ranks_per_host,
            .overhead = 100e-9,
            .jitter = 100e-9,
            .question = 20e-9,
            .skew = 1,
            .ppm = 50,
            .by_host = true,
            .seed = seed};
}

Row measured(std::string const& algorithm, int n, std::uint64_t seed) {
    measure::FitOptions const fit{.points = 10};
    ClockNetwork simulated(network(n, seed));
    if (algorithm == "linear")
        return row(n, n - 1, simulated.run(measure::LinearSync{}));
    if (algorithm == "ring")
        return row(n, rounds_of(measure::detail::ring_steps, n), simulated.run(measure::RingSync{}));
    int const tree_rounds = rounds_of(measure::detail::tree_steps, n);
    if (algorithm == "tree")
        return row(n, tree_rounds, simulated.run(measure::TreeSync{}));
    if (algorithm == "jk")
        return row(n, (n - 1) * fit.points, simulated.run(measure::JkSync{.fit = fit}));
    if (algorithm == "hca3")
        return row(n, tree_rounds * fit.points, simulated.run(measure::Hca3Sync{.fit = fit}));
    bool const drift = algorithm == "hier+drift";
    return row(n, host_rounds(n, drift ? fit.points : 1),
               simulated.run(measure::HierSync{.drift = drift, .fit = fit}, true));
}

struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Close>;

/// Null without a name.
File open_beside(std::string const& name, char const* ending) {
    return File{name.empty() ? nullptr : std::fopen((name + ending).c_str(), "w")};
}

constexpr char const* plot = R"(set terminal svg size 1000,420
set output NAME.'.svg'
set logscale xy
set format y '%.0s %cs'
set xlabel 'ranks'
set key top left
set multiplot layout 1,2
algorithms = 'linear ring tree jk hca3 hier hier+drift'
set title 'time to synchronise'
plot for [i=1:words(algorithms)] NAME.'.dat' index i-1 using 1:3 with linespoints title word(algorithms, i)
set title 'largest error 10 s later'
plot for [i=1:words(algorithms)] NAME.'.dat' index i-1 using 1:7 with linespoints title word(algorithms, i)
unset multiplot
)";

}  // namespace

/// usage: sync_network_bench [LARGEST [SEED [NAME]]]: ranks up to LARGEST; writes NAME.dat and NAME.gp for gnuplot.
int main(int argc, char** argv) {
    int const largest = argc > 1 ? std::atoi(argv[1]) : 256;
    auto const seed = static_cast<std::uint64_t>(argc > 2 ? std::atoi(argv[2]) : 1);
    std::string const name = argc > 3 ? argv[3] : "";
    auto const script = open_beside(name, ".gp");
    auto const data = open_beside(name, ".dat");
    if (script)
        std::fprintf(script.get(), "NAME = '%s'\n%s", name.c_str(), plot);
    std::printf("%-11s %6s %7s %12s %10s %12s %12s %14s\n", "algorithm", "ranks", "rounds", "time ms", "messages",
                "median ns", "max ns", "10 s later ns");
    for (char const* algorithm : {"linear", "ring", "tree", "jk", "hca3", "hier", "hier+drift"}) {
        for (int n = 2; n <= largest; n *= 2) {
            Row const r = measured(algorithm, n, seed);
            std::printf("%-11s %6d %7d %12.3f %10lld %12.1f %12.1f %14.1f\n", algorithm, r.ranks, r.rounds,
                        r.duration * 1e3, static_cast<long long>(r.messages), r.median * 1e9, r.max * 1e9,
                        r.later * 1e9);
            std::fflush(stdout);
            if (data)
                std::fprintf(data.get(), "%d %d %g %lld %g %g %g\n", r.ranks, r.rounds, r.duration,
                             static_cast<long long>(r.messages), r.median, r.max, r.later);
        }
        if (data)
            std::fprintf(data.get(), "\n\n");
    }
}
