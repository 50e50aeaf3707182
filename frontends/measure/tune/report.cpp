// SPDX-License-Identifier: BSD-3-Clause
#include "tune/report.hpp"

#include "analysis/runs/launch.hpp"
#include "page/html.hpp"
#include "shared/plain_text.hpp"
#include "shared/sha256.hpp"
#include "tune/library/settings.hpp"
#include "tune/phases/screen.hpp"

#include <measure/environment_info.hpp>
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

using measure::Value;

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

/// The proof's ratio is tuned over default; a gain is the other way round.
std::string gain_text(ComparedPoint const& proof) { return percent(1 / proof.ratio); }

std::string interval_text(ComparedPoint const& proof) {
    if (!proof.interval)
        return "-";
    return fmt::format("{} .. {}", percent(1 / proof.interval->second), percent(1 / proof.interval->first));
}

std::string verdict_text(TunedSegment const& one) {
    if (!one.returned.empty())
        return "kept the default: " + one.returned;
    if (one.choice.algorithm.empty())
        return one.choice.reason.empty() ? "not decided" : one.choice.reason;
    return one.proof ? std::string{name(one.proof->verdict)} : "not proved";
}

page::Table table_of(Outcome const& outcome) {
    page::Table table{
        .caption = "Gain: of the default's time over the tuned one's, less 1, in launches of the proof",
        .columns = {"collective", "ranks", "bytes", "default us", "algorithm", "gain %", "interval", "verdict"},
        .row_headings = true};
    for (auto const& one : outcome.segments) {
        bool const is_changed = !one.choice.algorithm.empty() && one.returned.empty();
        table.rows.push_back({one.place.collective, fmt::format("{}", one.place.ranks),
                              sizes_text(outcome, one.place.collective, one.segment),
                              one.default_time ? fmt::format("{:.3g}", *one.default_time * 1e6) : "-",
                              is_changed ? one.choice.algorithm : "(default)", one.proof ? gain_text(*one.proof) : "-",
                              one.proof ? interval_text(*one.proof) : "-", verdict_text(one)});
    }
    return table;
}

page::Table excluded_table(Outcome const& outcome) {
    page::Table table{.columns = {"collective", "ranks", "algorithm", "bytes", "why"}, .row_headings = true};
    for (auto const& one : outcome.excluded)
        table.rows.push_back({one.place.collective, one.place.ranks == 0 ? "all" : fmt::format("{}", one.place.ranks),
                              one.algorithm, one.bytes ? measure::text_bytes(*one.bytes) : "all", one.reason});
    return table;
}

PhaseCost total(std::map<Phase, PhaseCost> const& costs) {
    PhaseCost sum;
    for (auto const& [phase, cost] : costs) {
        sum.launches += cost.launches;
        sum.seconds += cost.seconds;
    }
    return sum;
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
            "; the screen spared {}",
            counted(static_cast<std::size_t>(std::max<std::int64_t>(outcome.spared, 0)), "block", "blocks"));
    if (outcome.expected.launches > 0)
        text += fmt::format("; {:.0f} s were expected behind the check", outcome.expected.seconds);
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
                        .mark = "dropped: clearly slower than another one"};
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

/// What the file cannot say of itself.
std::string about_text(Outcome const& outcome) {
    auto const& run = outcome.facts.run;
    std::vector<std::string> hosts;
    for (auto const& host : run.hosts)
        hosts.push_back(fmt::format("{} (ranks {}, {} cores, {})", host.name, host.ranks, host.cores,
                                    host.cpu.value_or("unknown processor")));
    auto text = fmt::format("library  {} ({})\nranks    {}\nhosts    {}\nbegan    {}\nprogram  measure tune {}\n",
                            outcome.facts.library, outcome.facts.file, run.ranks, fmt::join(hosts, "; "), run.started,
                            measure::version());
    text += "\nHolds for this library, for communicators of these numbers of ranks, and for ranks that lie on hosts as "
            "these "
            "did.\nCollective, ranks, and bytes of one process's argument or of one block:\n\n";
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

std::vector<std::string> gap_texts(Outcome const& outcome) {
    std::vector<std::string> result;
    for (auto const& [phase, gaps] : outcome.gaps)
        result.push_back(fmt::format("{} has {} without a value, so {}", name(phase),
                                     counted(static_cast<std::size_t>(gaps.values), "point", "points"), gaps.example));
    return result;
}

Value interval_value(std::optional<measure::Interval> const& interval) {
    if (!interval)
        return {};
    return Value::Array{interval->first, interval->second};
}

Value proof_value(Place const& place, ComparedPoint const& proof) {
    return Value::Object{{"collective", place.collective},
                         {"ranks", place.ranks},
                         {"ratio", proof.ratio},
                         {"interval", interval_value(proof.interval)},
                         {"p", proof.adjusted_p ? Value{*proof.adjusted_p} : Value{}},
                         {"launches", static_cast<std::int64_t>(proof.n_a + proof.n_b)},
                         {"verdict", name(proof.verdict)}};
}

/// The file of the library's choices that holds, or was proved.
Value files_value(Outcome const& outcome) {
    Value::Array files;
    auto const& text = outcome.proved.empty() ? outcome.file : outcome.proved_text;
    if (!text.empty())
        files.emplace_back(Value::Object{{"name", file_name(outcome.facts.family)}, {"sha256", sha256_if_built(text)}});
    return files;
}

Value switches_value(std::vector<TunedSegment> const& segments) {
    Value::Array switches;
    for (auto const& one : switches_of(segments))
        switches.emplace_back(Value::Object{{"collective", one.place.collective},
                                            {"ranks", one.place.ranks},
                                            {"at", one.at},
                                            {"low", one.low},
                                            {"high", one.high},
                                            {"from", one.from},
                                            {"to", one.to}});
    return switches;
}

Value texts(std::vector<std::string> const& list) { return Value::Array(list.begin(), list.end()); }

}  // namespace

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
        text += "# the proof speaks against the file\n";
    if (outcome.is_complete && outcome.file.empty() && outcome.proved.empty())
        text += outcome.has_slower ? "# no file is written: the proof speaks against it\n"
                                   : "# no file is written: the default stays everywhere\n";
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
    page::Table decisions{.columns = {"collective", "ranks", "bytes", "best", "gain %", "threshold %", "A/A %", "p",
                                      "q", "launches", "leader of the screen"},
                          .row_headings = true};
    for (auto const& one : outcome.segments) {
        auto const& c = one.choice;
        auto const number = [](std::optional<double> const& x) { return x ? fmt::format("{:.3g}", *x) : "-"; };
        decisions.rows.push_back({one.place.collective, fmt::format("{}", one.place.ranks),
                                  sizes_text(outcome, one.place.collective, one.segment), c.best,
                                  c.gain ? fmt::format("{:.1f}", *c.gain * 100) : "-",
                                  fmt::format("{:.1f}", c.threshold * 100), fmt::format("{:.1f}", c.noise * 100),
                                  number(c.p), number(c.q), fmt::format("{}", one.launches), one.segment.leader});
    }
    document.add(
        {.title = "Decisions",
         .elements = {page::Paragraph{"These gains made the choice, and flatter it: those of the proof count."},
                      std::move(decisions)},
         .fold = page::Fold::closed});
    document.add({.title = "Not used", .elements = {excluded_table(outcome)}, .fold = page::Fold::closed});
    document.add({.title = "About", .elements = {page::Paragraph{about_text(outcome)}}, .fold = page::Fold::closed});
    return document;
}

Value document_of(Outcome const& outcome, TuneOptions const& options) {
    Value::Array algorithms;
    for (auto const& one : outcome.facts.collectives)
        for (auto const& algorithm : one.algorithms) {
            std::vector<std::string> reasons;
            for (auto const& e : outcome.excluded)
                if (!e.bytes && e.place.collective == one.name && e.algorithm == algorithm.name)
                    reasons.push_back(options.ranks.empty() || e.place.ranks == 0
                                          ? e.reason
                                          : fmt::format("{} ranks: {}", e.place.ranks, e.reason));
            Value excluded;
            if (!reasons.empty())
                excluded = Value{fmt::format("{}", fmt::join(reasons, "; "))};
            algorithms.emplace_back(
                Value::Object{{"collective", one.name},
                              {"name", algorithm.name},
                              {"id", algorithm.value},
                              {"restrictions", restriction(outcome.facts.family, one.name, algorithm.name)},
                              {"excluded", std::move(excluded)}});
        }
    Value::Array segments;
    Value::Array proof;
    for (auto const& one : outcome.segments) {
        auto const& c = one.choice;
        bool const is_kept = c.algorithm.empty() || !one.returned.empty();
        segments.emplace_back(Value::Object{{"collective", one.place.collective},
                                            {"ranks", one.place.ranks},
                                            {"low", one.segment.low},
                                            {"high", one.segment.high},
                                            {"sizes", Value::Array(one.segment.sizes.begin(), one.segment.sizes.end())},
                                            {"default_time", one.default_time},
                                            {"chosen", is_kept ? Value{} : Value{c.algorithm}},
                                            {"best", c.best.empty() ? Value{} : Value{c.best}},
                                            {"gain", c.gain},
                                            {"p", c.p},
                                            {"q", c.q},
                                            {"threshold", c.threshold},
                                            {"noise", c.noise},
                                            {"launches", static_cast<std::int64_t>(one.launches)},
                                            {"kept_default_because", is_kept ? Value{verdict_text(one)} : Value{}}});
        if (one.proof) {
            auto value = proof_value(one.place, *one.proof);
            value["low"] = one.segment.low;
            value["high"] = one.segment.high;
            proof.push_back(std::move(value));
        }
    }
    for (auto const& [place, one] : outcome.outside) {
        auto value = proof_value(place, one);
        value["low"] = Value{};
        value["high"] = Value{};
        proof.push_back(std::move(value));
    }
    Value phases = Value::Object{};
    for (auto const& [phase, cost] : outcome.costs)
        phases[name(phase)] = Value::Object{{"launches", cost.launches}, {"seconds", cost.seconds}};
    auto const all = total(outcome.costs);
    return Value::Object{
        {"document", "tuning"},
        {"schema", 1},
        {"library", outcome.facts.library},
        {"via", name(outcome.via)},
        {"no_han", options.no_han},
        {"ranks", outcome.facts.run.ranks},
        {"complete", outcome.is_complete},
        {"rules", Value::Object{{"gain", options.gain},
                                {"fdr", options.fdr},
                                {"alpha", options.alpha},
                                {"drop_margin", ScreenRules{}.margin}}},
        {"algorithms", std::move(algorithms)},
        {"segments", std::move(segments)},
        {"switches", switches_value(outcome.segments)},
        {"proof", std::move(proof)},
        {"files", files_value(outcome)},
        {"canary", outcome.canary.empty() ? Value{} : Value{outcome.canary}},
        {"missing", texts(outcome.missing)},
        {"notes", texts(outcome.notes)},
        {"gaps", texts(gap_texts(outcome))},
        {"cost",
         Value::Object{{"launches", all.launches},
                       {"seconds", all.seconds},
                       {"spared_blocks", outcome.spared},
                       {"expected_seconds", outcome.expected.launches > 0 ? Value{outcome.expected.seconds} : Value{}},
                       {"by_phase", std::move(phases)}}}};
}

TuneFiles write_files(Outcome const& outcome, TuneOptions const& options, runs::RunFolder const& folder,
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
