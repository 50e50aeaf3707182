// SPDX-License-Identifier: BSD-3-Clause
#include "skampi/report/comparisons.hpp"

#include "skampi/routines/catalogue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace skampi::report {

namespace {

Measured const* find(std::span<Measured const> measurements, std::string_view name) {
    auto const found =
        std::find_if(measurements.begin(), measurements.end(), [&](Measured const& m) { return m.name == name; });
    return found == measurements.end() ? nullptr : &*found;
}

std::vector<std::string> ping_pongs(std::span<Measured const> measurements) {
    std::vector<std::string> names;
    for (Measured const& m : measurements)
        if (prefix(m.first()) == prefix(Pattern::point_to_point) && m.first().variable == "length")
            names.push_back(m.name);
    return names;
}

std::vector<std::string> with_suffix(std::vector<std::string> names, std::string_view suffix) {
    for (std::string& name : names)
        name += suffix;
    return names;
}

using Comparisons = std::vector<Comparison>;

void add_point_to_point(Comparisons& all, std::span<Measured const> measurements) {
    all.push_back({"All ping-pong variants", ping_pongs(measurements)});
    all.push_back({"All ping-pong variants: bandwidth", ping_pongs(measurements), Quantity::bandwidth});
    all.push_back({"Standard and synchronous sending", {"MPI_Send-MPI_Recv", "MPI_Ssend-MPI_Recv"}});
    all.push_back({"Exchange with two calls or one", {"MPI_Send-MPI_Recv", "MPI_Sendrecv", "MPI_Sendrecv_replace"}});
    all.push_back(
        {"Ways to receive",
         {"MPI_Send-MPI_Recv", "MPI_Send-MPI_Irecv", "MPI_Send-MPI_Iprobe_Recv", "MPI_Send-MPI_Recv_with_Any_Tag"}});
}

void add_master_worker(Comparisons& all) {
    all.push_back({"How the master receives",
                   {"MPI_Waitsome-length", "MPI_Waitany-length", "MPI_Recv_Any_Source-length", "MPI_Send-length"}});
    all.push_back(
        {"How the master sends", {"MPI_Send-length", "MPI_Ssend-length", "MPI_Isend-length", "MPI_Bsend-length"}});
}

struct Suffix {
    char const* suffix;
    char const* text;
};
constexpr Suffix by_length{"-length", ""};
constexpr Suffix by_nodes_short{"-nodes-short", ", short messages over processes"};
constexpr Suffix by_nodes_long{"-nodes-long", ", long messages over processes"};

void add_collectives(Comparisons& all) {
    auto const add = [&](char const* title, Suffix const& by, std::vector<std::string> const& operations) {
        all.push_back({fmt::format("{}{}", title, by.text), with_suffix(operations, by.suffix)});
    };
    for (Suffix const& by : {by_length, by_nodes_short, by_nodes_long})
        add("Ways to gather", by, {"MPI_Gather", "Gather_SR", "Gather_ISWA"});
    for (char const* const name : {"Gather", "Scatter", "Allgather", "Alltoall"})
        for (Suffix const& by : {by_length, by_nodes_short, by_nodes_long})
            all.push_back({fmt::format("Extra cost of {}v{}", name, by.text),
                           {fmt::format("MPI_{}{}", name, by.suffix), fmt::format("MPI_{}v{}", name, by.suffix)}});
    constexpr Suffix by_nodes{"-nodes", ", over processes"};
    for (Suffix const& by : {by_length, by_nodes}) {
        add("Reduction and prefix", by, {"MPI_Reduce", "MPI_Scan"});
        add("Allreduce and its parts", by, {"MPI_Allreduce", "MPI_Reduce_Bcast"});
        add("Reduction with scattering", by, {"MPI_Reduce_scatter", "MPI_Reduce_Scatterv"});
    }
    for (Suffix const& by : {by_nodes_short, by_nodes_long})
        add("Data movement", by, {"MPI_Bcast", "MPI_Scatter", "MPI_Gather", "MPI_Allgather", "MPI_Alltoall"});
}

/// Adds each measurement together with its twin whose processes start by the clock.
void add_synchronised(Comparisons& all, std::span<Measured const> measurements) {
    for (Measured const& m : measurements)
        if (std::string const twin = fmt::format("{}-SM", m.name); find(measurements, twin) != nullptr)
            all.push_back({fmt::format("{}: started by a barrier and by the clock", m.name), {m.name, twin}});
}

bool has_quantity(Block const& block, Quantity quantity) {
    auto const all = quantities(block);
    return std::find(all.begin(), all.end(), quantity) != all.end();
}

/// The label without the unit.
std::string_view name_of(Quantity quantity) {
    auto const text = label(quantity);
    return text.substr(0, text.find(" ["));
}

/// Makes the plot of one comparison and records missing measurements.
class Maker {
public:
    Maker(std::span<Measured const> measurements, bool several) : measurements_{measurements}, several_{several} {}

    Plot operator()(Comparison const& comparison) {
        Plot plot;
        std::string variable;
        for (std::string const& name : comparison.measurements) {
            Measured const* const m = find(measurements_, name);
            if (m == nullptr) {
                lack(comparison, fmt::format("there is no measurement named '{}'", name));
            } else if (!variable.empty() && m->first().variable != variable) {
                lack(comparison, fmt::format("'{}' varies {}, not {}", name, m->first().variable, variable));
            } else if (!has_quantity(m->first(), comparison.y)) {
                lack(comparison, fmt::format("'{}' has no {}", name, name_of(comparison.y)));
            } else {
                if (variable.empty())
                    plot = axes(m->first(), comparison.y);
                variable = m->first().variable;
                drawn_.push_back(name);
                add(plot, *m, comparison.y);
            }
        }
        // The error bars of many curves would cover each other and the marks.
        constexpr std::size_t most_with_intervals = 4;
        if (plot.curves.size() > most_with_intervals)
            for (Curve& own : plot.curves)
                for (PlotPoint& p : own.points)
                    p.interval.reset();
        plot.title = comparison.title;
        plot.x.log = comparison.log_x.value_or(plot.x.log);
        plot.y.log = comparison.log_y.value_or(plot.y.log);
        return plot;
    }

    [[nodiscard]] std::vector<std::string> const& lacks() const noexcept { return lacks_; }
    /// The measurements in the plot.
    [[nodiscard]] std::vector<std::string> const& drawn() const noexcept { return drawn_; }

private:
    /// Adds a measurement without the marks of refined points, which would hide the curves.
    void add(Plot& plot, Measured const& m, Quantity y) const {
        for (auto const& [block, file] : m.parts)
            for (Curve& own : curves(*block, y, several_ ? fmt::format("{}, {}", m.name, file) : m.name)) {
                for (PlotPoint& p : own.points)
                    p.marked = false;
                plot.curves.push_back(std::move(own));
            }
    }
    void lack(Comparison const& comparison, std::string const& what) {
        lacks_.push_back(fmt::format("comparison '{}': {}", comparison.title, what));
    }

    std::span<Measured const> measurements_;
    bool several_;
    std::vector<std::string> lacks_{};
    std::vector<std::string> drawn_{};
};

/// The comparisons of every report. Those without data in the files produce no plot.
std::vector<Comparison> default_comparisons(std::span<Measured const> measurements) {
    Comparisons all;
    add_point_to_point(all, measurements);
    add_master_worker(all);
    add_collectives(all);
    add_synchronised(all, measurements);
    return all;
}

/// The requested comparisons: those in the parameters, the default ones, or both.
std::vector<Comparison> chosen_comparisons(ReportParameters const& parameters, std::span<Measured const> measurements) {
    if (!parameters.comparisons)
        return default_comparisons(measurements);
    Comparisons chosen = *parameters.comparisons;
    if (parameters.default_comparisons)
        for (Comparison& comparison : default_comparisons(measurements))
            chosen.push_back(std::move(comparison));
    return chosen;
}

}  // namespace

Compared compare(ReportParameters const& parameters, std::span<Measured const> measurements, bool several) {
    Compared result;
    auto const chosen = chosen_comparisons(parameters, measurements);
    std::size_t const own = parameters.comparisons ? parameters.comparisons->size() : 0;
    std::set<std::pair<std::vector<std::string>, Quantity>> drawn;
    for (std::size_t i = 0; i < chosen.size(); ++i) {
        Maker maker{measurements, several};
        Plot plot = maker(chosen[i]);
        bool const enough = plot.curves.size() >= 2;
        if (i < own) {
            result.warnings.insert(result.warnings.end(), maker.lacks().begin(), maker.lacks().end());
            if (!enough)
                result.warnings.push_back(
                    fmt::format("comparison '{}' is left out: it has fewer than two curves", chosen[i].title));
        }
        // A default comparison is drawn only if it compares several measurements and repeats no earlier plot.
        bool const is_new = drawn.emplace(maker.drawn(), chosen[i].y).second;
        if (!enough || (i >= own && (maker.drawn().size() < 2 || !is_new)))
            continue;
        plot.stem = fmt::format("cmp_{:02}", result.plots.size() + 1);
        result.plots.push_back(std::move(plot));
    }
    return result;
}

}  // namespace skampi::report
