// SPDX-License-Identifier: BSD-3-Clause
#include "doctor/report.hpp"

#include "doctor/culprits.hpp"
#include "page/columns.hpp"
#include "page/document.hpp"
#include "page/markdown.hpp"
#include "shared/plain_text.hpp"

#include <measure/environment_info.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

namespace measure::tool::doctor {

namespace {

using measure::rank_ranges;

constexpr std::size_t most_rows = 32;
constexpr std::size_t most_details = 6;

std::string ranks_in_words(std::vector<int> const& ranks) {
    return fmt::format("rank{} {}", ranks.size() == 1 ? "" : "s", rank_ranges(ranks));
}

/// The ranks and hosts of a finding, as text; empty if it is all ranks.
std::string place(std::vector<int> const& ranks, World const& world) {
    if (ranks.size() == world.ranks.size())
        return {};
    std::vector<std::string> hosts;
    std::size_t covered = 0;
    for (auto const& host : world.hosts)
        if (std::includes(ranks.begin(), ranks.end(), host.ranks.begin(), host.ranks.end())) {
            hosts.push_back(host.name);
            covered += host.ranks.size();
        }
    if (covered < ranks.size() || hosts.empty())
        return ranks_in_words(ranks);
    bool const are_many = hosts.size() > most_details;
    hosts.resize(std::min(hosts.size(), most_details));
    return fmt::format("{}{} ({})", fmt::join(hosts, ", "), are_many ? ", .." : "", ranks_in_words(ranks));
}

std::string with_place(std::string const& text, std::string const& where) {
    return where.empty() ? text : fmt::format("{}: {}", where, text);
}

/// One line for each value. The ranks are named only if not all ranks have the value.
std::vector<std::string> details(Finding const& finding, World const& world) {
    std::vector<std::string> lines;
    for (auto const& detail : finding.details) {
        if (lines.size() == most_details) {
            lines.push_back(fmt::format(".. and {} more (all are in --json)", finding.details.size() - most_details));
            break;
        }
        lines.push_back(printable(with_place(detail.text, detail.ranks == finding.ranks && finding.details.size() == 1
                                                              ? ""
                                                              : place(detail.ranks, world))));
    }
    return lines;
}

std::vector<std::string> host_lines(World const& world) {
    std::vector<std::string> lines;
    for (auto const& host : world.hosts) {
        if (lines.size() == most_details) {
            lines.push_back(fmt::format(".. and {} more hosts", world.hosts.size() - most_details));
            break;
        }
        auto const units = numbers_in(host.facts.text("online").value_or("")).size();
        lines.push_back(printable(
            fmt::format("{} ({}): {}, {} processing units, kernel {}", host.name, ranks_in_words(host.ranks),
                        host.facts.text("cpu").value_or("unknown CPU"), units > 0 ? std::to_string(units) : "unknown",
                        host.facts.text("kernel").value_or("unknown"))));
    }
    return lines;
}

std::size_t count(std::span<Finding const> findings, Level level) {
    return static_cast<std::size_t>(
        std::count_if(findings.begin(), findings.end(), [&](auto const& finding) { return finding.level == level; }));
}

/// The findings that get a line each, and a text that represents the passed checks.
struct Shown {
    std::vector<Finding> findings{};
    std::string fine{};  ///< "21 checks (--all)"; empty if each passed check is shown, or no check passed
};

Shown shown_findings(std::span<Finding const> findings, bool with_fine) {
    Shown shown{.findings = {findings.begin(), findings.end()}};
    auto const fine = count(findings, Level::fine);
    if (with_fine || fine == 0)
        return shown;
    std::erase_if(shown.findings, [](Finding const& finding) { return finding.level == Level::fine; });
    shown.fine = counted(fine, "check", "checks") + " (--all)";
    return shown;
}

std::string sum(std::span<Finding const> findings) {
    auto const level = worst(findings);
    return fmt::format("{}, {}, {} unknown: {}", counted(count(findings, Level::warning), "warning", "warnings"),
                       counted(count(findings, Level::note), "note", "notes"), count(findings, Level::unknown),
                       level == Level::warning   ? "measurements made now will be disturbed"
                       : level == Level::note    ? "measurements made now may be slightly disturbed"
                       : level == Level::unknown ? "no disturbances among the checks that were possible"
                                                 : "no disturbances found");
}

/// The ranks that are shown, ascending: all, or the ranks that lost most.
std::vector<std::size_t> rows(World const& world) {
    std::vector<std::size_t> ranks(world.ranks.size());
    std::iota(ranks.begin(), ranks.end(), std::size_t{0});
    if (ranks.size() > most_rows) {
        std::stable_sort(ranks.begin(), ranks.end(),
                         [&](auto a, auto b) { return world.ranks[a].noise.share() > world.ranks[b].noise.share(); });
        ranks.resize(most_rows);
        std::sort(ranks.begin(), ranks.end());
    }
    return ranks;
}

constexpr char const* noise_meaning =
    "lost: share of time in gaps of more than 1 us between clock readings; work lost: extra time of equal work "
    "relative to its fastest quantum; slower: its median relative to its 5th percentile";

std::string noise_title(World const& world) {
    return fmt::format("Interruptions observed by {}", world.ranks.size() > most_rows
                                                           ? fmt::format("the {} ranks that lost most", most_rows)
                                                           : "each rank, all at the same time");
}

page::Table noise_table(World const& world) {
    auto const of = [&](std::size_t rank) -> Rank const& { return world.ranks[rank]; };
    return page::table_of<std::size_t>(
        {}, rows(world),
        {{"rank", [](std::size_t rank) { return std::to_string(rank); }},
         {"host", [&](std::size_t rank) { return printable(host_of(rank, world)); }},
         {"interruptions/s", [&](std::size_t rank) { return fmt::format("{:.0f}", per_second(of(rank).noise)); }},
         {"lost %", [&](std::size_t rank) { return fmt::format("{:.3f}", of(rank).noise.share() * 100); }},
         {"longest [us]", [&](std::size_t rank) { return fmt::format("{:.1f}", of(rank).noise.longest * 1e6); }},
         {"median [us]", [&](std::size_t rank) { return fmt::format("{:.1f}", of(rank).noise.median * 1e6); }},
         {"work lost %", [&](std::size_t rank) { return fmt::format("{:.3f}", of(rank).work.lost() * 100); }},
         {"slower %", [&](std::size_t rank) { return fmt::format("{:.1f}", of(rank).work.slowdown() * 100); }}});
}

/// The main causes of interruptions, by host if there are several.
std::vector<std::string> culprit_lines(World const& world) {
    std::vector<std::string> lines;
    for (auto const& host : world.hosts)
        if (auto const text = culprits(view_of(host, world)); !text.empty() && lines.size() < most_details)
            lines.push_back(printable(with_place(text, world.hosts.size() > 1 ? host.name : "")));
    return lines;
}

}  // namespace

std::string host_of(std::size_t rank, World const& world) {
    for (auto const& host : world.hosts)
        if (std::binary_search(host.ranks.begin(), host.ranks.end(), static_cast<int>(rank)))
            return host.name;
    return {};
}

double per_second(measure::DetourSummary const& noise) {
    return noise.duration > 0 ? static_cast<double>(noise.detours) / noise.duration : 0;
}

std::string text_of(World const& world, std::span<Finding const> findings, bool with_fine) {
    auto const shown = shown_findings(findings, with_fine);
    std::string text;
    for (auto const& line : host_lines(world))
        text += fmt::format("# {}\n", line);
    text += '\n';
    Level above = Level::warning;
    for (auto const& finding : shown.findings) {
        if (finding.level != above)
            text += '\n';
        above = finding.level;
        auto const lines = details(finding, world);
        bool const is_short = finding.level <= Level::unknown && lines.size() == 1;
        text += fmt::format("{:<9}{}{}\n", name(finding.level),
                            printable(with_place(finding.text, place(finding.ranks, world))),
                            is_short ? fmt::format(" ({})", lines.front()) : "");
        if (finding.level <= Level::unknown)
            continue;
        for (auto const& line : lines)
            text += fmt::format("{:<11}{}\n", "", line);
        if (!finding.remedy.empty())
            text += fmt::format("{:<11}try: {}\n", "", printable(finding.remedy));
    }
    if (!shown.fine.empty())
        text += fmt::format("{}{:<9}{}\n", shown.findings.empty() ? "" : "\n", name(Level::fine), shown.fine);
    text += fmt::format("\n# {}\n# {}\n{}", noise_title(world), noise_meaning, plain_rows(noise_table(world)));
    for (auto const& line : culprit_lines(world))
        text += fmt::format("# {}\n", line);
    return text + fmt::format("\n# {}\n", sum(findings));
}

std::string markdown_of(World const& world, std::span<Finding const> findings, bool with_fine) {
    auto const shown = shown_findings(findings, with_fine);
    page::Table found{.columns = {"level", "finding", "where", "details", "what to do"}};
    for (auto const& finding : shown.findings)
        found.rows.push_back({page::Cell{std::string{name(finding.level)}, finding.level == Level::warning},
                              printable(finding.text), place(finding.ranks, world),
                              fmt::format("{}", fmt::join(details(finding, world), "; ")), printable(finding.remedy)});
    if (!shown.fine.empty())
        found.rows.push_back({std::string{name(Level::fine)}, shown.fine, "", "", ""});
    page::Document document{.title = "Before measuring"};
    document.elements = {page::List{host_lines(world)}, page::Paragraph{sum(findings)}};
    document.add({"Findings", {std::move(found)}});
    document.add({noise_title(world), {page::Paragraph{noise_meaning}, noise_table(world)}});
    if (auto lines = culprit_lines(world); !lines.empty())
        document.elements.emplace_back(page::List{std::move(lines)});
    return page::markdown_text(document);
}

}  // namespace measure::tool::doctor
