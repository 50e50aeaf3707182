// SPDX-License-Identifier: BSD-3-Clause
#include "b_eff/report.hpp"

#include "b_eff/hpcc.hpp"
#include "b_eff/rules.hpp"
#include "b_eff/text.hpp"
#include "program/engine/unsettled.hpp"
#include "program/runtime/stderr_line.hpp"

#include <measure/units.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace b_eff {

namespace {

long long mebibytes(measure::Bytes bytes) { return bytes / measure::mebi; }

std::string loop_text(Setup const& s) {
    return s.loop == LoopRule::classic
               ? "classic, 2.5 to 5 ms; first loop 300 executions, if oversubscribed from a calibration"
               : fmt::format("timed, {:g} s for all patterns together", s.row_budget);
}

}  // namespace

std::string section(std::string_view name, std::string_view text) {
    return fmt::format("SECTION-{0}-BEGIN\n{1}SECTION-{0}-END\n\n", name, text);
}

std::string cell(Number value) {
    return value ? fmt::format(" {:9.3f}", *value / megabyte) : fmt::format(" {:>9}", "-");
}

namespace {

std::string plan_without_patterns(Setup const& s) {
    std::string text;
    put(text, "memory per process: {} bytes = {} MB, {}\n", s.memory, mebibytes(s.memory), s.memory_source);
    put(text, "Lmax              : {} bytes\n", s.largest());
    put(text, "lengths [bytes]   : {}\n", fmt::join(s.lengths, " "));
    for (int const dimensions : {2, 3}) {
        auto const g = grid(dimensions, s.ranks);
        put(text, "grid {}-D          : {}, {} unused\n", dimensions, g.text(), s.ranks - g.size());
    }
    text += "methods           :";
    for (Method const m : s.methods)
        put(text, " {}", name(m));
    put(text, "\nrepetitions       : {}\nloop lengths      : {}\n", s.repetitions, loop_text(s));
    put(text, "start             : {}\ndata check        : {}\n", s.slots ? "slot" : "barrier", s.check ? "yes" : "no");
    put(text, "random patterns   : {}, seed {}\n", s.random, s.seed);
    return text;
}

}  // namespace

std::string plan(Setup const& s) {
    auto text = plan_without_patterns(s);
    put(text, "patterns          : M messages in one execution\n{}", list(s.patterns));
    for (Pattern const& p : s.patterns)
        if (auto const who = partners(p); !who.empty())
            put(text, "members {}: {}\n", p.key, who);
    return text;
}

std::string polygons(std::vector<std::vector<int>> const& orders, std::uint64_t seed) {
    std::string text;
    for (std::size_t r = 0; r < orders.size(); ++r)
        put(text, "permutation random-{} (seed {}): {}\n", r + 1, seed, fmt::join(orders[r], " "));
    return text;
}

std::string rings_text(Setup const& s) {
    std::string text;
    for (Pattern const& p : s.patterns)
        if (p.family == Family::ring)
            put(text, "members {}: {}\n", p.key, members(p.rings));
    return text;
}

namespace {

std::string machine(Setup const& s, RunFacts const& f) {
    auto const& e = f.environment;
    std::string text;
    put(text, "program           : {} {}\n", e.program, e.version);
    put(text, "command           : {}\n", program::printable(fmt::format("{}", fmt::join(e.command, " "))));
    put(text, "started           : {}\n", e.started);
    put(text, "system            : {}\n", f.system);
    put(text, "MPI               : {}\n", e.mpi_library.value_or("none"));
    put(text, "timer             : {}, resolution {}\n", e.timer.name, measure::text(e.timer.resolution));
    put(text, "processes         : {}{}\n", s.ranks, e.oversubscribed ? " OVERSUBSCRIBED: more than cores" : "");
    for (auto const& host : e.hosts)
        put(text, "host              : {}: ranks {} on {} cores\n", host.name, host.ranks, host.cores);
    return text;
}

}  // namespace

std::string page_head(Setup const& s, RunFacts const& f) {
    return section("HEAD", machine(s, f) + plan_without_patterns(s));
}

std::string head(Setup const& s, RunFacts const& f, std::vector<std::vector<int>> const& orders) {
    auto text = machine(s, f) + plan(s);
    if (!orders.empty())
        text += rings_text(s) + polygons(orders, s.seed);
    return section("HEAD", text);
}

std::string loop(RunFacts const& f) {
    return section("LOOP", fmt::format("elapsed time of the measurement: {:.3f} s\n", f.loop_elapsed));
}

namespace {

/// Total, shortest and longest loop over the patterns at one length.
struct RowTimes {
    std::int64_t loop = 0;  ///< smallest number of executions
    double total = 0;
    double least = 0;
    double most = 0;
    bool any = false;
};

RowTimes row_times(Results const& r, std::size_t repetition, std::size_t length, std::size_t method) {
    RowTimes row;
    for (std::size_t p = 0; p < r.patterns.size(); ++p) {
        Cell const& c = r.at({repetition, length, p, method});
        if (c.state != Cell::State::measured && c.state != Cell::State::unresolved)
            continue;
        double const t = c.time.max;
        row.total += t;
        row.loop = row.any ? std::min(row.loop, c.loop) : c.loop;
        row.least = row.any ? std::min(row.least, t) : t;
        row.most = std::max(row.most, t);
        row.any = true;
    }
    return row;
}

/// R: the values come from another repetition. M: each pattern was measured with only one method.
char row_flag(Results const& r, std::size_t repetition, std::size_t length) {
    bool is_copied = false;
    bool is_measured = false;
    for (std::size_t p = 0; p < r.patterns.size(); ++p)
        for (std::size_t m = 0; m < r.methods.size(); ++m) {
            auto const state = r.at({repetition, length, p, m}).state;
            is_copied = is_copied || state == Cell::State::copied;
            is_measured = is_measured || state == Cell::State::measured;
        }
    return !is_copied ? ' ' : is_measured ? 'M' : 'R';
}

}  // namespace

std::string loop_lengths(Results const& r, RunFacts const& f) {
    std::string text;
    if (f.last_two)
        text +=
            "CAUTION: at the two longest lengths each pattern was measured once, with its best method (M), and at the\n"
            "longest in only two repetitions (R). Methods cannot be compared there.\n";
    for (std::size_t m = 0; m < r.methods.size(); ++m) {
        put(text,
            "method {}: for each repetition: loop length, then total, shortest and longest loop [s] of the patterns\n",
            name(r.methods[m]));
        for (std::size_t l = 0; l < length_count; ++l) {
            put(text, "{:>10}", r.lengths[l]);
            for (std::size_t i = 0; i < r.repetitions; ++i) {
                auto const row = row_times(r, i, l, m);
                put(text, " |{}{:>6} {:10.6f} {:10.6f} {:10.6f}", row_flag(r, i, l), row.loop, row.total, row.least,
                    row.most);
            }
            text += '\n';
        }
    }
    return section("LOOPLNGS", text);
}

namespace {

void put_values(std::string& text, Results const& r, Place place) {
    auto const n = static_cast<double>(r.patterns[place.pattern].processes);
    double elapsed = 0;
    struct Line {
        char const* name;
        double measure::RankSpread::*which;
    };
    for (auto const& [title, which] :
         {Line{"min=", &measure::RankSpread::min}, Line{"avg=", &measure::RankSpread::mean},
          Line{"max=", &measure::RankSpread::max}}) {
        put(text, "{:>10} {:<11} {:<16} {}", r.lengths[place.length], name(r.methods[place.method]),
            r.patterns[place.pattern].key, title);
        Number best;
        elapsed = 0;
        for (place.repetition = 0; place.repetition < r.repetitions; ++place.repetition) {
            elapsed += r.at(place).elapsed;
            auto const v = r.value(place) ? Number{r.rates(place).*which / n} : Number{};
            text += cell(v);
            best = larger(best, v);
        }
        put(text, " best={}\n", cell(best));
    }
    put(text, "{:>10} {:<11} {:<16} elapsed= {:.6f} s\n", r.lengths[place.length], name(r.methods[place.method]),
        r.patterns[place.pattern].key, elapsed);
}

}  // namespace

namespace {

/// Whether the cell is unsettled in some repetition.
bool is_unsettled(Results const& r, Place place) {
    for (place.repetition = 0; place.repetition < r.repetitions; ++place.repetition)
        if (r.at(place).unsettled())
            return true;
    return false;
}

}  // namespace

std::string values(Results const& r) {
    std::string text = "MB/s per process from the longest (min=), mean (avg=) and shortest (max=) process time, for "
                       "each repetition\n";
    std::vector<std::string> unsettled;
    for (std::size_t l = 0; l < length_count; ++l)
        for (std::size_t m = 0; m < r.methods.size(); ++m)
            for (std::size_t p = 0; p < r.patterns.size(); ++p)
                if (r.patterns[p].allows(r.methods[m])) {
                    put_values(text, r, {0, l, p, m});
                    if (is_unsettled(r, {0, l, p, m}))
                        unsettled.push_back(
                            fmt::format("{} {} {}", r.lengths[l], name(r.methods[m]), r.patterns[p].key));
                }
    if (auto const line = program::unsettled_text(std::move(unsettled)); !line.empty())
        text += line + '\n';
    return section("VALUES", text);
}

std::string final_line(Setup const& s, double value, RunFacts const& f) {
    return fmt::format("{} = {:10.3f} MB/s = {:7.3f} * {:3} PEs with {:3} MB/PE on {}", label(s, f.marks),
                       value / megabyte, value / megabyte / s.ranks, s.ranks, mebibytes(s.memory), f.system);
}

namespace {

std::string number(std::optional<Overall> const& o, double Overall::*which, double divisor, int decimals) {
    return o ? fmt::format("{:.{}f}", (*o).*which / divisor, decimals) : "-";
}

/// Microseconds of one send and receive in the average.
std::string latency(std::optional<Overall> const& o, double Overall::*which, int ranks) {
    return o ? fmt::format("{:.3f}", ranks / ((*o).*which) * 1e6) : "-";
}

std::string table(Setup const& s, Figures const& f) {
    std::string text =
        "            | number  |   b_eff   |  Lmax  |   b_eff   |   b_eff   | Latency | Latency | Latency | ping-pong\n"
        "            | of pro- |           |        |  at Lmax  |  at Lmax  | rings & |  rings  |  ping-  | bandwidth\n"
        "            | cessors |           |        |  rings &  |   rings   | random  |  only   |  pong   |\n"
        "            |         |           |        |  random   |   only    |         |         |         |\n"
        "            |         |  MByte/s  |        |  MByte/s  |  MByte/s  |  usec   |  usec   |  usec   |  MByte/s\n";
    auto const lmax = s.largest() % measure::mebi == 0 ? fmt::format("{} MB", s.largest() / measure::mebi)
                                                       : fmt::format("{} kB", s.largest() / measure::kibi);
    auto const ping_pong = f.ping_pong_latency ? fmt::format("{:.3f}", f.ping_pong_latency->min * 1e6) : "-";
    auto const rate = f.ping_pong_bandwidth ? fmt::format("{:.0f}", f.ping_pong_bandwidth->max / megabyte) : "-";
    put(text, "accumulated |{:>7}  |{:>10} |{:>7} |{:>10} |{:>10} |{:>8} |{:>8} |{:>8} |{:>10}\n", s.ranks,
        number(f.b_eff, &Overall::both, megabyte, 0), lmax, number(f.at_lmax, &Overall::both, megabyte, 0),
        number(f.at_lmax, &Overall::ring, megabyte, 0), latency(f.at_one_byte, &Overall::both, s.ranks),
        latency(f.at_one_byte, &Overall::ring, s.ranks), ping_pong, rate);
    double const each = megabyte * s.ranks;
    put(text, "per process |{:>7}  |{:>10} |{:>7} |{:>10} |{:>10} |\n", "", number(f.b_eff, &Overall::both, each, 0),
        "", number(f.at_lmax, &Overall::both, each, 0), number(f.at_lmax, &Overall::ring, each, 0));
    return text;
}

/// Appends averages that are computed in other ways, for comparison.
void put_alternatives(std::string& text, Averages const& a, Figures const& f) {
    put(text, "not b_eff: best method after the mean over lengths   : {} MB/s\n",
        number(f.method_last, &Overall::both, megabyte, 3));
    put(text, "not b_eff: best repetition after the mean over lengths: {} MB/s\n",
        number(f.repetition_last, &Overall::both, megabyte, 3));
    for (std::size_t m = 0; m < f.single_method.size(); ++m)
        put(text, "not b_eff: method {} alone: {} MB/s\n", name(a.results().methods[m]),
            number(f.single_method[m], &Overall::both, megabyte, 3));
}

/// Appends the hosts of the ping-pong and its results over repetitions.
void put_ping_pong(std::string& text, Results const& r, Figures const& f, RunFacts const& facts) {
    if (!f.ping_pong_latency || !f.ping_pong_bandwidth)
        return;
    auto const hosts = ping_pong_hosts(facts.environment);
    put(text, "ping-pong             : rank 0 on {} with rank 1 on {}; of {} repetitions min, mean, max: ", hosts[0],
        hosts[1], r.repetitions);
    auto const& [least, mean, most] = *f.ping_pong_latency;
    put(text, "{:.3f} {:.3f} {:.3f} us at 1 byte, ", least * 1e6, mean * 1e6, most * 1e6);
    auto const& [low, middle, high] = *f.ping_pong_bandwidth;
    put(text, "{:.0f} {:.0f} {:.0f} MB/s at {} bytes\n", low / megabyte, middle / megabyte, high / megabyte,
        r.lengths[last_length]);
}

}  // namespace

std::vector<std::string> ping_pong_hosts(measure::Environment const& e) {
    // Hosts are in the order of their first ranks.
    bool const on_two = e.hosts.size() > 1 && std::stoi(e.hosts[1].ranks) == 1;
    return {e.hosts[0].name, e.hosts[on_two ? 1 : 0].name};
}

std::string beff(Setup const& s, Averages const& a, Figures const& f, RunFacts const& facts) {
    std::string text;
    put(text, "system                : {}\n", facts.system);
    put(text, "date                  : {}\n", facts.environment.started);
    put(text, "system parameters     : {} processes, {} MB per process\n", s.ranks, mebibytes(s.memory));
    if (!facts.marks.empty())
        put(text, "marks                 : {}\n", fmt::join(facts.marks, " "));
    for (auto const& note : facts.notes)
        put(text, "note                  : {}\n", note);
    if (f.b_eff) {
        put(text, "rings, accumulated    : {:.3f} MB/s\nrandom, accumulated   : {:.3f} MB/s\n",
            f.b_eff->ring / megabyte, f.b_eff->random / megabyte);
        put(text, "area ratio            : {:.3f}\n", f.b_eff->both / f.at_lmax->both);
        put(text, "memory exchange time  : {:.3f} s\n", static_cast<double>(s.memory) * s.ranks / f.b_eff->both);
        if (s.rmax)
            put(text, "balance factor        : {:.6g} bytes/flop (Rmax {:g} Gflop/s)\n", f.b_eff->both / *s.rmax,
                *s.rmax / 1e9);
        put_alternatives(text, a, f);
    } else {
        text += "no b_eff: a pattern or length has no value\n";
    }
    if (f.spread)
        put(text, "spread of repetitions : {:.1f} % (median over patterns, lengths and methods)\n", *f.spread * 100);
    put(text, "noise                 : {}\n", b_eff::text(facts.noise));
    put_ping_pong(text, a.results(), f, facts);
    text += b_eff::text(hpcc(a.results()));
    put(text, "Total execution wall clock time = {:5.0f} seconds\n\n{}\n", facts.wall_clock, table(s, f));
    if (f.b_eff)
        text += final_line(s, f.b_eff->both, facts) + "\n";
    return section("BEFF", text);
}

}  // namespace b_eff
