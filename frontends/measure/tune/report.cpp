// SPDX-License-Identifier: BSD-3-Clause
#include "tune/report.hpp"

#include "analysis/runs/launch.hpp"
#include "page/columns.hpp"
#include "page/html.hpp"
#include "shared/plain_text.hpp"
#include "tune/library/settings.hpp"

#include <measure/report.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <utility>

namespace measure::tool::tune {

namespace {

std::string sizes_text(Outcome const& outcome, std::string_view collective, Segment const& segment) {
    if (segment.high == 0)
        return "-";
    if (!is_sized(outcome.facts.family, collective))
        return "all";
    auto const low = measure::text_bytes(segment.low);
    auto const high = measure::text_bytes(segment.high);
    return low == high ? low : fmt::format("{} .. {}", low, high);
}

std::string percent(double ratio) { return fmt::format("{:.1f}", (ratio - 1) * 100); }

/// The proof's ratio is tuned over default; a gain is the inverse ratio, minus 1.
std::string gain_text(ComparedPoint const& proof) { return percent(1 / proof.ratio); }

std::string interval_text(ComparedPoint const& proof) {
    if (!proof.interval)
        return "-";
    return fmt::format("{} .. {}", percent(1 / proof.interval->second), percent(1 / proof.interval->first));
}

page::Table table_of(Outcome const& outcome) {
    using One = TunedSegment;
    auto const proved = [](One const& one, std::string (*text)(ComparedPoint const&)) {
        return one.proof ? text(*one.proof) : "-";
    };
    return page::table_of<One>(
        {.caption = "Gain: time with the default over time with the file, minus 1, from the launches of the proof",
         .row_headings = true},
        outcome.segments,
        {{"collective", [](One const& one) { return one.place.collective; }},
         {"ranks", [](One const& one) { return std::to_string(one.place.ranks); }},
         {"bytes", [&](One const& one) { return sizes_text(outcome, one.place.collective, one.segment); }},
         {"default us",
          [](One const& one) { return one.default_time ? fmt::format("{:.3g}", *one.default_time * 1e6) : "-"; }},
         {"algorithm", [](One const& one) { return is_in_file(one) ? one.choice.algorithm : "(default)"; }},
         {"gain %", [&](One const& one) { return proved(one, gain_text); }},
         {"interval", [&](One const& one) { return proved(one, interval_text); }},
         {"verdict", verdict_text}});
}

page::Table excluded_table(Outcome const& outcome) {
    return page::table_of<Excluded>(
        {.row_headings = true}, outcome.excluded,
        {{"collective", [](Excluded const& one) { return one.place.collective; }},
         {"ranks", [](Excluded const& one) { return one.place.ranks == 0 ? "all" : std::to_string(one.place.ranks); }},
         {"algorithm", [](Excluded const& one) { return one.algorithm; }},
         {"bytes", [](Excluded const& one) { return one.bytes ? measure::text_bytes(*one.bytes) : "all"; }},
         {"why", [](Excluded const& one) { return one.reason; }}});
}

/// The table of the numbers that determined the decision for each segment.
page::Table decisions_table(Outcome const& outcome) {
    using One = TunedSegment;
    auto const number = [](std::optional<double> const& x) { return x ? fmt::format("{:.3g}", *x) : "-"; };
    auto const share = [](double x) { return fmt::format("{:.1f}", x * 100); };
    return page::table_of<One>(
        {.row_headings = true}, outcome.segments,
        {{"collective", [](One const& one) { return one.place.collective; }},
         {"ranks", [](One const& one) { return std::to_string(one.place.ranks); }},
         {"bytes", [&](One const& one) { return sizes_text(outcome, one.place.collective, one.segment); }},
         {"best", [](One const& one) { return one.choice.best; }},
         {"gain %", [&](One const& one) { return one.choice.gain ? share(*one.choice.gain) : "-"; }},
         {"threshold %", [&](One const& one) { return share(one.choice.threshold); }},
         {"A/A %", [&](One const& one) { return share(one.choice.noise); }},
         {"p", [&](One const& one) { return number(one.choice.p); }},
         {"q", [&](One const& one) { return number(one.choice.q); }},
         {"launches", [](One const& one) { return std::to_string(one.launches); }},
         {"leader of the screen", [](One const& one) { return one.segment.leader; }}});
}

std::string cost_text(Outcome const& outcome) {
    auto const all = total(outcome.costs);
    std::vector<std::string> parts;
    for (auto const& [phase, cost] : outcome.costs)
        parts.push_back(fmt::format("{} {:.1f} s", name(phase), cost.seconds));
    auto text = fmt::format("{}, {:.1f} s ({})", counted(static_cast<std::size_t>(all.launches), "launch", "launches"),
                            all.seconds, fmt::join(parts, ", "));
    if (outcome.proved.empty() && outcome.via == Via::mpi_t)
        text += fmt::format(
            "; the screen saved {}",
            counted(static_cast<std::size_t>(std::max<std::int64_t>(outcome.spared, 0)), "block", "blocks"));
    if (outcome.expected.launches > 0)
        text += fmt::format("; {:.0f} s were expected after the check", outcome.expected.seconds);
    return text;
}

std::string title_of(Outcome const& outcome) {
    if (outcome.facts.library.empty())
        return "Algorithms of an MPI library";
    auto const hosts = host_names(outcome.facts.run);
    return fmt::format("Algorithms of {}, {} ranks on {}", outcome.facts.library, outcome.facts.run.ranks,
                       hosts.empty() ? "an unknown host" : fmt::format("{}", fmt::join(hosts, ", ")));
}

/// Time over size for each algorithm.
std::vector<page::Figure> figures_of(Outcome const& outcome) {
    std::vector<page::Figure> figures;
    for (auto const& [place, times] : outcome.screened) {
        auto const title = text_of(place);
        page::Plot plot{.stem = fmt::format("screen_{}_{}", place.collective, place.ranks),
                        .title = title,
                        .x = {.label = "message size", .log = true, .unit = page::Unit::bytes},
                        .y = {.label = "time", .log = true, .unit = page::Unit::seconds},
                        .mark = "dropped: clearly slower than another algorithm"};
        page::Table data{.columns = {"algorithm", "bytes", "median us", "blocks", ""}};
        std::vector<std::string> names;
        for (auto const& one : times)
            program::add_once(names, one.algorithm);
        for (auto const& algorithm : names) {
            page::Curve curve{.label = algorithm};
            auto mine = times;
            std::erase_if(mine, [&](auto const& one) { return one.algorithm != algorithm; });
            std::sort(mine.begin(), mine.end(), [](auto const& a, auto const& b) { return a.bytes < b.bytes; });
            for (auto const& one : mine) {
                if (one.bytes > 0)
                    curve.points.push_back(
                        {.x = static_cast<double>(one.bytes), .y = one.time, .marked = one.is_dropped});
                data.rows.push_back({algorithm, fmt::format("{}", one.bytes), fmt::format("{:.4g}", one.time * 1e6),
                                     fmt::format("{}", one.blocks), one.is_dropped ? "dropped" : ""});
            }
            plot.curves.push_back(std::move(curve));
        }
        figures.push_back({.plot = std::move(plot),
                           .caption = fmt::format("{}: median over the blocks of the screen.", title),
                           .notes = {},
                           .data = std::move(data)});
    }
    return figures;
}

/// Text of tuned.about: library, hosts and rules, which the file of choices does not contain.
std::string about_text(Outcome const& outcome) {
    auto const& run = outcome.facts.run;
    std::vector<std::string> hosts;
    for (auto const& host : run.hosts)
        hosts.push_back(fmt::format("{} (ranks {}, {} cores, {})", host.name, host.ranks, host.cores,
                                    host.cpu.value_or("unknown processor")));
    auto text = fmt::format("library  {} ({})\nranks    {}\nhosts    {}\nbegan    {}\nprogram  measure tune {}\n",
                            outcome.facts.library, outcome.facts.file, run.ranks, fmt::join(hosts, "; "), run.started,
                            measure::version());
    text +=
        "\nValid for this library, for communicators with these numbers of ranks, and for the same placement of ranks "
        "on hosts.\nCollective, ranks, and bytes of one process's argument or of one block:\n\n";
    for (auto const& one : rules_of(outcome.segments))
        for (auto const& rule : one.rules)
            text += fmt::format("{:<22}{:<8}{:<24}{}\n", one.place.collective, one.place.ranks,
                                is_sized(outcome.facts.family, one.place.collective)
                                    ? fmt::format("{} .. {}", rule.low, rule.high)
                                    : "all sizes, tuned or not",
                                rule.algorithm);
    return text;
}

std::vector<std::string> outside_texts(Outcome const& outcome) {
    std::vector<std::string> result;
    for (auto const& [place, proof] : outcome.outside)
        result.push_back(fmt::format("{}, sizes that keep the default: {} (gain {} %, {})", text_of(place),
                                     name(proof.verdict), gain_text(proof), interval_text(proof)));
    return result;
}

}  // namespace

std::string verdict_text(TunedSegment const& one) {
    if (!one.returned.empty())
        return "kept the default: " + one.returned;
    if (one.choice.algorithm.empty())
        return one.choice.reason.empty() ? "not decided" : one.choice.reason;
    return one.proof ? std::string{name(one.proof->verdict)} : "not proved";
}

PhaseCost total(std::map<Phase, PhaseCost> const& costs) {
    PhaseCost sum;
    for (auto const& [phase, cost] : costs) {
        sum.launches += cost.launches;
        sum.seconds += cost.seconds;
    }
    return sum;
}

std::vector<std::string> gap_texts(Outcome const& outcome) {
    std::vector<std::string> result;
    for (auto const& [phase, gaps] : outcome.gaps)
        result.push_back(fmt::format("{}: {} without a value, for example {}", name(phase),
                                     counted(static_cast<std::size_t>(gaps.values), "point", "points"), gaps.example));
    return result;
}

std::string listing(LibraryFacts const& facts) {
    page::Table table{.columns = {"collective", "id", "algorithm", "restriction", "in files"}};
    for (auto const& one : facts.collectives) {
        for (auto const& algorithm : one.algorithms) {
            bool const is_default = algorithm.name == default_name;
            auto const leaf = facts.family == LibraryFamily::mpich ? leaf_of(facts.leaves, one.name, algorithm.name)
                                                                   : std::optional{fmt::format("{}", algorithm.value)};
            table.rows.push_back(
                {one.name, fmt::format("{}", algorithm.value), algorithm.name,
                 is_default ? "the library chooses" : std::string{restriction(facts.family, one.name, algorithm.name)},
                 is_default ? "" : leaf.value_or("no")});
        }
    }
    return fmt::format("# {}, {} ranks; set by MPI_T or the environment: {}\n# file: {}\n", facts.library,
                       facts.run.ranks,
                       facts.family == LibraryFamily::mpich
                           ? "MPIR_CVAR_<COLLECTIVE>_INTRA_ALGORITHM=NAME"
                           : "OMPI_MCA_coll_tuned_use_dynamic_rules=1 OMPI_MCA_coll_tuned_<collective>_algorithm=NAME",
                       facts.file.empty() ? "unknown" : facts.file) +
           plain_rows(table);
}

std::string screen_text(Outcome const& outcome, TuneFiles const& files) {
    auto text = fmt::format("# {}\n", title_of(outcome));
    if (!outcome.segments.empty())
        text += plain_rows(table_of(outcome));
    for (auto const& one : outside_texts(outcome))
        text += fmt::format("# {}\n", one);
    if (!outcome.excluded.empty())
        text += "# not used:\n" + plain_rows(excluded_table(outcome), "#   ");
    if (!outcome.canary.empty())
        text += fmt::format("# in force: {}\n", outcome.canary);
    for (auto const& note : outcome.notes)
        text += fmt::format("# note: {}\n", note);
    for (auto const& gap : gap_texts(outcome))
        text += fmt::format("# note: {}\n", gap);
    for (auto const& one : outcome.missing)
        text += fmt::format("# not measured: {}\n", one);
    text += fmt::format("# cost: {}\n", cost_text(outcome));
    if (outcome.has_slower && !outcome.proved.empty())
        text += "# the proof rejects the file\n";
    if (outcome.is_complete && outcome.file.empty() && outcome.proved.empty())
        text += outcome.has_slower ? "# no file is written: the proof rejects it\n"
                                   : "# no file is written: the default is kept everywhere\n";
    if (!files.tuned.empty())
        text += fmt::format("# file: {}\n# use it: {}\n", files.tuned, fmt::join(files.environment, " "));
    text += fmt::format("# page: {}\n", files.page);
    return text;
}

page::Document page_of(Outcome const& outcome) {
    page::Document document{.title = title_of(outcome)};
    document.elements.emplace_back(table_of(outcome));
    page::List notes;
    notes.items = outside_texts(outcome);
    if (!outcome.canary.empty())
        notes.items.push_back("In force: " + outcome.canary);
    notes.items.insert(notes.items.end(), outcome.notes.begin(), outcome.notes.end());
    auto const gaps = gap_texts(outcome);
    notes.items.insert(notes.items.end(), gaps.begin(), gaps.end());
    for (auto const& one : outcome.missing)
        notes.items.push_back("Not measured: " + one);
    notes.items.push_back("Cost: " + cost_text(outcome));
    document.elements.emplace_back(std::move(notes));
    if (!outcome.proved.empty())
        return document;
    page::Section times{.title = "Times of all algorithms"};
    for (auto& figure : figures_of(outcome))
        times.elements.emplace_back(std::move(figure));
    document.add(std::move(times));
    document.add(
        {.title = "Decisions",
         .elements =
             {page::Paragraph{
                  "These gains were used for the selection and are biased upwards; see the proof for unbiased gains."},
              decisions_table(outcome)},
         .fold = page::Fold::closed});
    document.add({.title = "Not used", .elements = {excluded_table(outcome)}, .fold = page::Fold::closed});
    document.add({.title = "About", .elements = {page::Paragraph{about_text(outcome)}}, .fold = page::Fold::closed});
    return document;
}

TuneFiles write_files(Outcome const& outcome, TuneOptions const& options, RunFolder const& folder,
                      program::Session& session) {
    auto const path = [&](std::string_view name) {
        return std::filesystem::absolute(folder.file(std::string{name})).string();
    };
    TuneFiles files{.page = path("report.html"), .document = path("tuning.json")};
    auto const& world = session.world();
    auto const family = outcome.facts.family;
    bool const is_older_wrong = outcome.is_complete && outcome.file.empty() && outcome.proved.empty();
    for (auto const name : {file_name(family), std::string_view{"tuned.env"}, std::string_view{"tuned.about"}})
        if (is_older_wrong)
            std::filesystem::remove(folder.file(std::string{name}));
    files.tuned = !outcome.proved.empty() ? outcome.proved : outcome.file.empty() ? "" : path(file_name(family));
    auto const add = [&](Settings const& settings) {
        for (auto const& [name, value] : settings)
            files.environment.push_back(fmt::format("{}={}", name, value));
    };
    if (!files.tuned.empty()) {
        add(of_file(family, files.tuned));
        if (options.no_han)
            add(without_han());
    }
    if (!outcome.file.empty()) {
        program::write_file(world, path("tuned.about"), about_text(outcome));
        program::write_file(world, path("tuned.env"), fmt::format("{}\n", fmt::join(files.environment, "\n")));
        program::write_file(world, files.tuned, outcome.file);
    }
    program::write_file(world, files.document, measure::json_text(document_of(outcome, options)) + "\n");
    program::write_file(world, files.page, page::html_text(page_of(outcome)));
    return files;
}

}  // namespace measure::tool::tune
