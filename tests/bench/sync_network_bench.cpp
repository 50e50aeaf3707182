// SPDX-License-Identifier: BSD-3-Clause
/// The library's own traffic on simulated networks of 2 to 100000 ranks: synchronisers, and the cost of a stage. Prints
/// a table of error, time, rounds, messages and memory, and writes a plot if a file name is given. Nothing is asserted.
/// The same seed gives the same numbers.
#include "measure/environment.hpp"
#include "measure/statistics.hpp"
#include "run/stage_wire.hpp"
#include "support/clock_network.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <malloc.h>
#include <memory>
#include <new>
#include <string>
#include <vector>

namespace {

/// Memory allocated by a rank while counting is on, in bytes.
struct Memory {
    bool counts = false;
    std::int64_t now = 0;
    std::int64_t most = 0;
};
Memory memory;

/// Suspends counting while the simulated network allocates.
class Uncounted {
public:
    Uncounted() : before_{memory.counts} { memory.counts = false; }
    ~Uncounted() { memory.counts = before_; }
    Uncounted(Uncounted const&) = delete;
    Uncounted& operator=(Uncounted const&) = delete;

private:
    bool before_;
};

}  // namespace

// Not inlined, because GCC would report malloc and free as a mismatched pair.
[[gnu::noinline]] void* operator new(std::size_t size) {
    void* const p = std::malloc(size);
    if (p == nullptr)
        throw std::bad_alloc{};
    if (memory.counts) {
        memory.now += static_cast<std::int64_t>(malloc_usable_size(p));
        memory.most = std::max(memory.most, memory.now);
    }
    return p;
}

[[gnu::noinline]] void operator delete(void* p) noexcept {
    if (memory.counts)
        memory.now -= static_cast<std::int64_t>(malloc_usable_size(p));
    std::free(p);
}

[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { operator delete(p); }

namespace {

using measure::detail::SyncStep;
using test::ClockNetwork;
using test::NetworkOptions;
using test::NetworkOutcome;
using test::SimulatedNet;

constexpr int ranks_per_host = 64;
constexpr int sizes_of_networks[] = {2, 16, 256, 4096, 65536, 100000};
constexpr int samples_of_stage = 8;
// The patience that fits use. With 100, the patience of a single offset, a pair exchanges four times as many messages.
constexpr measure::PairOptions pair_options{.patience = 20};

struct Row {
    int ranks;
    int rounds;
    double duration;
    std::int64_t messages;
    std::int64_t busiest;       // messages sent and received by the busiest rank
    std::int64_t memory;        // peak memory of rank 0, bytes
    double median, max, later;  // |error| at the end, and largest |error| 10 s later; s
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
            out.busiest,
            memory.most,
            measure::median(sizes(out.errors)),
            NetworkOutcome::largest(out.errors),
            NetworkOutcome::largest(out.later)};
}

/// Length of the longest chain of exchanges that wait for each other.
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

/// A network whose own allocations are not counted.
class CountedNet {
public:
    explicit CountedNet(SimulatedNet& net) : net_{net} {}
    [[nodiscard]] int rank() const { return net_.rank(); }
    [[nodiscard]] int size() const { return net_.size(); }
    [[nodiscard]] std::uint64_t host() const { return net_.host(); }
    [[nodiscard]] double step() const { return net_.step(); }
    [[nodiscard]] double now() const { return net_.now(); }
    [[nodiscard]] double local(double stamp) const { return net_.local(stamp); }
    void wait_until(double local) { net_.wait_until(local); }
    template <class V>
    void send(V const& value, int to, int tag) {
        Uncounted const network;
        net_.send(value, to, tag);
    }
    template <class V>
    int receive(V& value, int from) {
        Uncounted const network;
        return net_.receive(value, from);
    }
    [[nodiscard]] std::vector<double> gather(double value) {
        std::vector<double> all(rank() == 0 ? static_cast<std::size_t>(size()) : 0);
        Uncounted const network;
        auto const gathered = net_.gather(value);
        std::copy(gathered.begin(), gathered.end(), all.begin());
        return all;
    }
    [[nodiscard]] double scatter(std::span<double const> values) {
        Uncounted const network;
        return net_.scatter(values);
    }

private:
    SimulatedNet& net_;
};

/// One clock per host, with a skew of up to 1 s and a drift of up to 50 ppm. Messages have the delays of a fast
/// network, and some are late.
NetworkOptions network(int ranks, std::uint64_t seed) {
    return {.ranks = ranks,
            .ranks_per_host = ranks_per_host,
            .overhead = 100e-9,
            .jitter = 100e-9,
            .question = 20e-9,
            .skew = 1,
            .ppm = 50,
            .by_host = true,
            .seed = seed,
            .stack = std::size_t{1} << 15};
}

/// Runs a synchroniser, and counts the allocations of rank 0.
template <class Run>
NetworkOutcome counted(int ranks, std::uint64_t seed, Run run) {
    memory = {};
    ClockNetwork simulated(network(ranks, seed));
    return simulated.run([&](SimulatedNet& net) {
        memory.counts = net.rank() == 0;
        auto const found = run(simulated, net);
        memory.counts = false;
        return found;
    });
}

template <class Sync>
NetworkOutcome outcome_of(Sync const& sync, int ranks, std::uint64_t seed) {
    return counted(ranks, seed, [&](ClockNetwork&, SimulatedNet& net) {
        CountedNet mine{net};
        return measure::detail::synchronise_on(mine, sync);
    });
}

NetworkOutcome outcome_of(measure::HierSync const& sync, int ranks, std::uint64_t seed) {
    return counted(ranks, seed, [&, ranks](ClockNetwork& simulated, SimulatedNet& all) {
        int const first = all.rank() / ranks_per_host * ranks_per_host;
        SimulatedNet host(simulated, all.rank(), first, 1, std::min(ranks_per_host, ranks - first));
        SimulatedNet leaders(simulated, all.rank(), 0, ranks_per_host, (ranks + ranks_per_host - 1) / ranks_per_host);
        CountedNet inside{host};
        CountedNet outside{leaders};
        return measure::detail::synchronise_hosts(all.rank() == first ? &outside : nullptr, inside, sync, true);
    });
}

/// The messages that a stage adds to its samples if the broadcast and the reduction of MPI use binomial trees: the
/// order goes down the tree, the values go up the same tree. In the simulation, message times do not depend on the
/// length.
NetworkOutcome stage(int ranks, std::uint64_t seed) {
    return counted(ranks, seed, [](ClockNetwork&, SimulatedNet& net) {
        double value = 0;
        // From the root to the leaves in the order of the steps of the tree, then back in reverse order.
        auto const steps = measure::detail::tree_steps(net.rank(), net.size());
        CountedNet mine{net};
        for (auto const& step : steps)
            if (step.asks)
                mine.receive(value, step.peer);
            else
                mine.send(value, step.peer, 0);
        measure::detail::StageWire const wire(samples_of_stage, 0, false);
        for (auto step = steps.rbegin(); step != steps.rend(); ++step)
            if (step->asks)
                mine.send(value, step->peer, 0);
            else
                mine.receive(value, step->peer);
        return measure::detail::Found{};
    });
}

/// Largest number of ranks for the synchronisers that fit lines of ten points. More would take hours to simulate.
constexpr int largest_of_lines = 4096;

Row measured(std::string const& algorithm, int n, std::uint64_t seed) {
    measure::FitOptions const fit{.points = 10};
    if (algorithm == "linear")
        return row(n, n - 1, outcome_of(measure::LinearSync{pair_options}, n, seed));
    if (algorithm == "ring")
        return row(n, rounds_of(measure::detail::ring_steps, n), outcome_of(measure::RingSync{pair_options}, n, seed));
    int const tree_rounds = rounds_of(measure::detail::tree_steps, n);
    if (algorithm == "stage")
        return row(n, 2 * tree_rounds, stage(n, seed));
    if (algorithm == "tree")
        return row(n, tree_rounds, outcome_of(measure::TreeSync{pair_options}, n, seed));
    if (algorithm == "jk")
        return row(n, (n - 1) * fit.points, outcome_of(measure::JkSync{.fit = fit}, n, seed));
    if (algorithm == "hca3")
        return row(n, tree_rounds * fit.points, outcome_of(measure::Hca3Sync{.fit = fit}, n, seed));
    bool const drift = algorithm == "hier+drift";
    return row(n, host_rounds(n, drift ? fit.points : 1),
               outcome_of(measure::HierSync{.pair = pair_options, .drift = drift, .fit = fit}, n, seed));
}

/// Time and memory of rank 0 for the run line of a record, from the places of all ranks.
void collect_hosts(int ranks) {
    memory = {.counts = true};
    auto const begin = std::chrono::steady_clock::now();
    std::vector<measure::detail::RankPlace> places;
    for (int i = 0; i < ranks; ++i) {
        std::string mask(128, '\0');
        mask[static_cast<std::size_t>(i % ranks_per_host / 8)] = static_cast<char>(1 << i % 8);
        auto const host = std::to_string(i / ranks_per_host);
        places.push_back({.host = "node" + host + ".cluster",
                          .mask = std::move(mask),
                          .cpu = "AMD EPYC 7763 64-Core Processor",
                          .boot = "3d1f2c9e-6c6b-4f0a-8a53-" + host});
    }
    auto const hosts = measure::detail::group_by_host(places);
    auto const binding = measure::detail::binding_of(places);
    auto const shared = measure::detail::shared_machines(places);
    memory.counts = false;
    std::chrono::duration<double> const taken = std::chrono::steady_clock::now() - begin;
    std::printf("| %d | %zu | %.3f | %lld |\n", ranks, hosts.size(), taken.count() * 1e3,
                static_cast<long long>(memory.most));
}

struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Close>;

/// \return null if there is no name
File open_beside(std::string const& name, char const* ending) {
    return File{name.empty() ? nullptr : std::fopen((name + ending).c_str(), "w")};
}

constexpr char const* plot = R"(set terminal svg size 900,480 background '#ffffff'
set output NAME.'.svg'
set logscale xy
set format '10^{%T}'
set xlabel 'ranks'
set grid
set key outside below samplen 2
set multiplot layout 1,2
algorithms = 'linear ring tree jk hca3 hier hier+drift stage'
set ylabel 'time to synchronise [s]'
plot for [i=1:words(algorithms)] NAME.'.dat' index i-1 using 1:3 with linespoints title word(algorithms, i)
set ylabel 'messages of the busiest rank'
plot for [i=1:words(algorithms)] NAME.'.dat' index i-1 using 1:5 with linespoints title word(algorithms, i)
unset multiplot
)";

}  // namespace

/// usage: sync_network_bench [LARGEST [SEED [NAME]]]: up to LARGEST ranks; writes NAME.dat and NAME.gp for gnuplot.
int main(int argc, char** argv) {
    int const largest = argc > 1 ? std::atoi(argv[1]) : 256;
    auto const seed = static_cast<std::uint64_t>(argc > 2 ? std::atoi(argv[2]) : 1);
    std::string const name = argc > 3 ? argv[3] : "";
    auto const script = open_beside(name, ".gp");
    auto const data = open_beside(name, ".dat");
    if (script)
        std::fprintf(script.get(), "NAME = '%s'\n%s", name.c_str(), plot);
    std::printf("%d ranks per host; patience %d; a stage of %d samples: %zu B down, %zu B up\n\n", ranks_per_host,
                pair_options.patience, samples_of_stage, sizeof(measure::detail::StageOrder),
                sizeof(double) * (measure::detail::StageWire::scalars +
                                  std::size_t{2} * measure::detail::StageWire::rows * samples_of_stage));
    std::puts("| | ranks | rounds | time [ms] | messages | busiest rank | memory of rank 0 [B] | error, median [ns] | "
              "largest | 10 s later |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    for (std::string const algorithm : {"linear", "ring", "tree", "jk", "hca3", "hier", "hier+drift", "stage"}) {
        for (int const n : sizes_of_networks) {
            if (n > largest || (n > largest_of_lines && (algorithm == "jk" || algorithm == "hca3")))
                continue;
            Row const r = measured(algorithm, n, seed);
            std::printf("| %s | %d | %d | %.3f | %lld | %lld | %lld |", algorithm.c_str(), r.ranks, r.rounds,
                        r.duration * 1e3, static_cast<long long>(r.messages), static_cast<long long>(r.busiest),
                        static_cast<long long>(r.memory));
            if (algorithm == "stage")
                std::printf(" | | |\n");
            else
                std::printf(" %.1f | %.1f | %.1f |\n", r.median * 1e9, r.max * 1e9, r.later * 1e9);
            std::fflush(stdout);
            if (data)
                std::fprintf(data.get(), "%d %d %g %lld %lld %lld %g %g %g\n", r.ranks, r.rounds, r.duration,
                             static_cast<long long>(r.messages), static_cast<long long>(r.busiest),
                             static_cast<long long>(r.memory), r.median, r.max, r.later);
        }
        if (data)
            std::fprintf(data.get(), "\n\n");
    }
    std::puts("\n| ranks | hosts | time to collect [ms] | memory of rank 0 [B] |\n| --- | --- | --- | --- |");
    for (int const n : sizes_of_networks)
        if (n <= largest)
            collect_hosts(n);
}
