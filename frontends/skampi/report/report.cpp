// SPDX-License-Identifier: BSD-3-Clause
#include "skampi/report/report.hpp"

#include "skampi/output/number.hpp"
#include "skampi/report/comparisons.hpp"
#include "skampi/report/findings.hpp"
#include "skampi/report/tables.hpp"
#include "skampi/routines/catalogue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace skampi::report {

namespace {

struct Section {
    std::string prefix;  ///< plot prefix of the measurements in this section
    char const* title;
    char const* text;
};

std::vector<Section> sections() {
    auto const of = [](Pattern pattern) { return std::string{prefix(pattern)}; };
    return {
        {of(Pattern::simple), "Simple operations", "Calls of one process that involve no other process."},
        {of(Pattern::point_to_point), "Point-to-point operations",
         "Rank 0 and its partner exchange messages. The time is that of one exchange: one message in each direction. "
         "MPI_Sendrecv and MPI_Sendrecv_replace transfer both messages at the same time and therefore take about "
         "half of the time. The bandwidth is the sum of both directions: 2 m / t."},
        {of(Pattern::master_worker), "Master-worker operations",
         "Rank 0 hands out pieces of work to the other processes and collects their results. The time is for "
         "all pieces of one sample."},
        {of(Pattern::collective), "Collective operations",
         "All processes take part. The time runs from a common start until the last process has finished. Message "
         "lengths are per process, or per pair of processes if each process sends a message to each other one."},
        {of(Pattern::one_sided), "One-sided operations", "Rank 0 accesses the memory of its partner."},
        {of(Pattern::kernel), "Kernels", "Communication patterns that are common in applications."},
        {"other", "Other operations", "Measurements of a pattern that this program does not know."}};
}

std::string title(std::span<Input const> inputs, ReportParameters const& parameters) {
    if (!parameters.title.empty())
        return parameters.title;
    std::vector<std::string> names = labels(inputs);
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return fmt::format("MPI operations: {}", joined(names, " and "));
}

/// Returns "rank 3 on node2 (latency 41.23 µs)", or the value unchanged if it has another form.
std::string partner_text(std::string const& value) {
    auto const parts = words(value);
    if (parts.size() < 3)
        return value;
    return fmt::format("rank {} on {} (latency {} µs)", parts[0], joined(std::span{parts}.subspan(2), " "), parts[1]);
}

/// States which process rank 0 exchanged messages with.
void add_partners(Document& document, std::span<Input const> inputs) {
    auto const names = labels(inputs);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        auto const* const partner = inputs[i].output.head_key("PARTNER");
        if (partner == nullptr)
            continue;
        auto const* const nearest = inputs[i].output.head_key("NEAREST");
        document.elements.push_back(Paragraph{fmt::format(
            "{}Rank 0 exchanged messages with {}{}.", inputs.size() > 1 ? names[i] + ": " : "", partner_text(*partner),
            nearest != nullptr ? "; its nearest neighbour is " + partner_text(*nearest) : "")});
    }
}

/// Lists the points that a logarithmic axis cannot show, except those that are 0 by definition.
std::string undrawn_text(Plot const& plot) {
    std::vector<std::string> points;
    for (Curve const& curve : plot.curves)
        for (PlotPoint const& p : curve.points)
            if (!can_be_drawn(plot, p) && (p.x != 0 || p.y != 0))
                points.push_back(plot.curves.size() > 1
                                     ? fmt::format("{} at {:.10g}: {}", curve.label, p.x, short_number(p.y))
                                     : fmt::format("{} at {:.10g}", short_number(p.y), p.x));
    if (points.empty())
        return "";
    return fmt::format(" A logarithmic axis cannot show values of 0 or less, so these points are not drawn: {}.",
                       joined(points, "; "));
}

std::string caption(Plot const& plot) {
    return plot.bars ? fmt::format("{}.", plot.title)
                     : fmt::format("{}: {} over {}.", plot.title, plot.y.label, plot.x.label);
}

std::string notes(Plot const& plot) {
    if (plot.bars)
        return "";
    bool const refined = std::any_of(plot.curves.begin(), plot.curves.end(), [](Curve const& curve) {
        return std::any_of(curve.points.begin(), curve.points.end(), [](PlotPoint const& p) { return p.marked; });
    });
    bool const intervals = std::any_of(plot.curves.begin(), plot.curves.end(), [](Curve const& curve) {
        return std::any_of(curve.points.begin(), curve.points.end(), [](PlotPoint const& p) { return p.interval; });
    });
    return fmt::format("{}{}{}",
                       intervals ? "Error bars are standard errors."
                                 : "No error bars: the errors are in the table of each measurement.",
                       refined ? " Circles mark points added by refinement." : "", undrawn_text(plot));
}

Figure figure(Plot plot, Table data) {
    std::string text = caption(plot);
    std::string on_picture = notes(plot);
    return {std::move(plot), std::move(text), std::move(on_picture), std::move(data)};
}

/// Whether at least one curve has enough points for a picture.
bool is_worth_drawing(Plot const& plot, ReportParameters const& parameters) {
    return has_points(plot) && std::any_of(plot.curves.begin(), plot.curves.end(), [&](Curve const& curve) {
               return curve.points.size() >= parameters.minimum_data;
           });
}

void add_comparisons(Report& report, std::vector<Plot> plots, ReportParameters const& parameters) {
    if (plots.empty())
        return;
    auto& elements = report.document.elements;
    elements.push_back(Heading{1, "Comparisons"});
    for (std::size_t i = 0; i < plots.size(); ++i) {
        Plot& plot = plots[i];
        elements.push_back(Heading{2, fmt::format("Comparison {}: {}", i + 1, plot.title)});
        Table data = curves_table(plot);
        if (is_worth_drawing(plot, parameters))
            elements.push_back(figure(std::move(plot), std::move(data)));
        else
            elements.push_back(std::move(data));
    }
}

void add_measurement(Document& document, Measured const& measurement, ReportParameters const& parameters) {
    auto& elements = document.elements;
    elements.push_back(Heading{2, measurement.name});
    Table data = data_table(measurement);
    auto const all = quantities(measurement.first());
    if (is_worth_drawing(plot_of(measurement, Quantity::time), parameters)) {
        for (Quantity const quantity : all) {
            Plot plot = plot_of(measurement, quantity);
            if (has_points(plot))
                elements.push_back(figure(std::move(plot), quantity == all[0] ? data : Table{}));
        }
    } else {
        elements.push_back(std::move(data));
    }
    if (parameters.bar_charts)
        for (Plot& plot : bar_charts(measurement)) {
            Table times = curves_table(plot);
            elements.push_back(figure(std::move(plot), std::move(times)));
        }
    elements.push_back(parameter_box(measurement));
}

void add_section(Document& document, Section const& section, std::span<Measured const> all,
                 ReportParameters const& parameters) {
    std::vector<Measured> own;
    std::copy_if(all.begin(), all.end(), std::back_inserter(own),
                 [&](Measured const& m) { return prefix(m.first()) == section.prefix; });
    if (own.empty())
        return;
    document.elements.push_back(Heading{1, section.title});
    document.elements.push_back(Paragraph{section.text});
    if (section.prefix == prefix(Pattern::simple))
        document.elements.push_back(simple_table(own));
    else
        for (Measured const& measurement : own)
            add_measurement(document, measurement, parameters);
}

}  // namespace

Report make_report(std::span<Input const> inputs, ReportParameters const& parameters, Input const* baseline) {
    Report report;
    auto const all = measured(inputs);
    auto compared = compare(parameters, all, inputs.size() > 1);
    report.warnings = std::move(compared.warnings);
    Document& document = report.document;
    document.title = title(inputs, parameters);
    auto found = findings(inputs, baseline);
    report.findings = found.count;
    document.add(std::move(found.section));
    document.elements.push_back(Heading{1, "Configuration"});
    document.elements.push_back(configuration_table(inputs));
    add_partners(document, inputs);
    if (Table overhead = overhead_table(inputs); !overhead.rows.empty())
        document.elements.push_back(std::move(overhead));
    document.elements.push_back(Heading{1, "Summary"});
    document.elements.push_back(summary_table(inputs));
    add_comparisons(report, std::move(compared.plots), parameters);
    for (Section const& section : sections())
        add_section(document, section, all, parameters);
    return report;
}

}  // namespace skampi::report
