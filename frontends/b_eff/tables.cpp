// SPDX-License-Identifier: BSD-3-Clause
#include "b_eff/tables.hpp"

#include "b_eff/rules.hpp"
#include "b_eff/text.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numeric>
#include <utility>

namespace b_eff {

namespace {

/// Tables show every fourth length, including the first and the last.
constexpr std::size_t length_step = 4;

double processes(Results const& r, std::size_t p) { return r.patterns[p].processes; }

std::string title(Results const& r, std::size_t p) {
    return fmt::format("p{:02} {:<16} {:<20}", p, r.patterns[p].key, r.patterns[p].label);
}

std::string length_heads(Results const& r) {
    std::string text;
    for (std::size_t l = 0; l < length_count; l += length_step)
        put(text, " {:>9}", r.lengths[l]);
    return text;
}

/// Microseconds of one exchange at one byte: the time of an execution divided by its number of exchanges.
std::string latency(Pattern const& p, Number rate) {
    if (!rate)
        return fmt::format(" {:>9}", "-");
    return fmt::format(" {:9.3f}", static_cast<double>(p.messages) / *rate / p.exchanges * 1e6);
}

}  // namespace

std::string elapsed(Results const& r, RunFacts const& f) {
    double const sum =
        std::accumulate(r.cells.begin(), r.cells.end(), 0.0, [](double s, Cell const& c) { return s + c.elapsed; });
    std::string text = fmt::format(
        "elapsed time of the measurement: {:.3f} s\nsum of single measurements     : {:.3f} s\n", f.loop_elapsed, sum);
    if (std::abs(f.loop_elapsed - sum) > dedicated * f.loop_elapsed)
        text += "WARNING: these times differ by more than 5 %: the system is not dedicated\n";
    return section("ELAPSED", text);
}

namespace {

/// The method with the best mean over lengths in a repetition.
std::string best_method(Averages const& a, std::size_t p, std::size_t repetition) {
    auto const& r = a.results();
    Number most;
    std::string found = "-";
    for (std::size_t m = 0; m < r.methods.size(); ++m) {
        Number sum = 0.0;
        for (std::size_t l = 0; sum && l < length_count; ++l) {
            auto const v = r.value({repetition, l, p, m});
            sum = v ? Number{*sum + *v} : Number{};
        }
        if (sum && (!most || *sum > *most)) {
            most = sum;
            found = name(r.methods[m]);
        }
    }
    return found;
}

}  // namespace

std::string patterns(Averages const& a) {
    auto const& r = a.results();
    std::string text = "pattern: exchanges per execution, total messages, messages per used process, per process and "
                       "call, unused processes, best method per repetition\n";
    for (std::size_t p = 0; p < r.patterns.size(); ++p) {
        Pattern const& q = r.patterns[p];
        double const each = static_cast<double>(q.messages) / q.processes;
        put(text, "{} {:>2} {:>7} {:7.3f} {:7.3f} {:>5}", title(r, p), q.exchanges, q.messages, each,
            each / q.exchanges, r.ranks - q.processes);
        for (std::size_t i = 0; i < r.repetitions; ++i)
            put(text, " {:<11}", best_method(a, p, i));
        text += '\n';
    }
    return section("PATTERN", text);
}

std::string by_methods(Averages const& a) {
    auto const& r = a.results();
    std::string text = "mean over lengths of the best repetition, per process; best method; accumulated\n";
    put(text, "{:<42}", "pattern");
    for (Method const m : r.methods)
        put(text, " {:>11}", name(m));
    text += "      best  accumulated\n";
    for (std::size_t p = 0; p < r.patterns.size(); ++p) {
        text += title(r, p);
        Number best;
        for (std::size_t m = 0; m < r.methods.size(); ++m) {
            auto const v = a.mean_by_method(p, m);
            best = larger(best, v);
            text += "  " + cell(divided(v, processes(r, p)));
        }
        text += cell(divided(best, processes(r, p))) + "   " + cell(best) + '\n';
    }
    return section("BY-METHODS", text);
}

std::string by_repetitions(Averages const& a) {
    auto const& r = a.results();
    std::string text = "mean over lengths of the best method, per process, for each repetition\n";
    for (std::size_t p = 0; p < r.patterns.size(); ++p) {
        text += title(r, p);
        for (std::size_t i = 0; i < r.repetitions; ++i)
            text += cell(divided(a.mean_by_repetition(p, i), processes(r, p)));
        text += '\n';
    }
    return section("BY-REPETITIONS", text);
}

std::string by_methods_and_lengths(Averages const& a) {
    auto const& r = a.results();
    std::string text = "best repetition per process; first column: latency of one exchange in us\n";
    put(text, "{:<42} {:<11}   latency{}\n", "pattern", "method", length_heads(r));
    for (std::size_t p = 0; p < r.patterns.size(); ++p)
        for (std::size_t m = 0; m < r.methods.size(); ++m) {
            if (!r.patterns[p].allows(r.methods[m]))
                continue;
            put(text, "{} {:<11}{}", title(r, p), name(r.methods[m]), latency(r.patterns[p], a.by_method(p, 0, m)));
            for (std::size_t l = 0; l < length_count; l += length_step)
                text += cell(divided(a.by_method(p, l, m), processes(r, p)));
            text += '\n';
        }
    return section("BY-MTHD-MSGLNG", text);
}

std::string by_lengths(Averages const& a) {
    auto const& r = a.results();
    std::string text = "MB/s: accumulated; per process: average, rings, random, then the average by each method\n";
    put(text, "{:>10} {:>9} {:>9} {:>9} {:>9}", "bytes", "accum.", "average", "rings", "random");
    for (Method const m : r.methods)
        put(text, " {:>9}", name(m));
    text += '\n';
    for (std::size_t l = 0; l < length_count; ++l) {
        auto const all = a.overall([&](std::size_t p) { return a.best(p, l); });
        auto const part = [&](std::optional<Overall> const& o, double Overall::*which) {
            return o ? Number{(*o).*which / r.ranks} : Number{};
        };
        put(text, "{:>10}", r.lengths[l]);
        text += cell(all ? Number{all->both} : Number{}) + cell(part(all, &Overall::both)) +
                cell(part(all, &Overall::ring)) + cell(part(all, &Overall::random));
        for (std::size_t m = 0; m < r.methods.size(); ++m)
            text += cell(part(a.overall([&](std::size_t p) { return a.by_method(p, l, m); }), &Overall::both));
        text += '\n';
    }
    return section("BY-MSGLNG", text);
}

std::string by_patterns_and_lengths(Averages const& a, Figures const& f) {
    auto const& r = a.results();
    std::string text = "best method and repetition per process; mean over lengths; accumulated\n";
    put(text, "{:<42}{}      mean accumulated\n", "pattern", length_heads(r));
    for (std::size_t p = 0; p < r.patterns.size(); ++p) {
        text += title(r, p);
        for (std::size_t l = 0; l < length_count; l += length_step)
            text += cell(divided(a.best(p, l), processes(r, p)));
        text += cell(divided(a.mean(p), processes(r, p))) + "  " + cell(a.mean(p)) + '\n';
    }
    for (auto const& [title, which] : {std::pair{"logarithmic average of rings", &Overall::ring},
                                       std::pair{"logarithmic average of random patterns", &Overall::random},
                                       std::pair{"logarithmic average of both", &Overall::both}}) {
        auto const v = f.b_eff ? Number{(*f.b_eff).*which} : Number{};
        put(text, "{:<42}{} * {} = {}\n", title, cell(divided(v, r.ranks)), r.ranks, cell(v));
    }
    return section("BY-PATTERN-MSGLNG", text);
}

}  // namespace b_eff
