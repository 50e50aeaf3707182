// SPDX-License-Identifier: BSD-3-Clause
#include "archive/site.hpp"

#include "analysis/runs/unknown.hpp"
#include "archive/benchmark_page.hpp"
#include "archive/html.hpp"
#include "archive/operations.hpp"
#include "archive/run_page.hpp"
#include "archive/site_pages.hpp"

#include <fmt/format.h>

#include <array>
#include <map>
#include <set>
#include <utility>

namespace measure::tool::archive {

namespace {

/// Groups runs by a key: machine, library or benchmark.
template <class Key, class KeysOf>
std::map<Key, Runs> grouped(Runs const& runs, KeysOf keys_of) {
    std::map<Key, Runs> groups;
    for (auto const* const run : runs)
        for (auto const& key : keys_of(*run))
            groups[key].push_back(run);
    return groups;
}

using Benchmark = std::pair<std::string, std::string>;  ///< suite and name

std::set<Benchmark> benchmarks_of(SiteRun const& run) {
    std::set<Benchmark> names;
    bool const has_controls = run.entry.suite == several_programs;
    for (auto const& point : run.launch.record.points)
        if (!has_controls || !is_control_of(run.launch.record.run, point))
            names.emplace(run.entry.suite, point.benchmark);
    return names;
}

std::map<std::string, Runs> by_machine(Runs const& runs) {
    return grouped<std::string>(runs, [](SiteRun const& run) { return std::array{run.entry.machine}; });
}
std::map<std::string, Runs> by_library(Runs const& runs) {
    return grouped<std::string>(runs, [](SiteRun const& run) { return std::array{library_of(run.entry)}; });
}
std::map<Benchmark, Runs> by_benchmark(Runs const& runs) { return grouped<Benchmark>(runs, benchmarks_of); }

std::string date_of(std::string const& started) { return or_unknown(started.substr(0, 10)); }

/// Distinct texts, sorted and joined by commas.
template <class Text>
std::string distinct(Runs const& runs, Text text) {
    std::set<std::string> all;
    for (auto const* const run : runs)
        text(*run, all);
    all.erase("");
    return fmt::format("{}", fmt::join(all, ", "));
}

std::string processors(Runs const& runs) {
    return distinct(runs, [](SiteRun const& run, auto& all) {
        for (auto const& host : run.launch.record.run.hosts)
            all.insert(host.cpu.value_or(""));
    });
}

std::string benchmarks_table(Runs const& runs) {
    SiteTable table{.columns = {"suite", "benchmark", "runs", "machines", "libraries", "latest"}};
    for (auto const& [benchmark, having] : by_benchmark(runs))
        table.rows.push_back({benchmark.first,
                              {benchmark.second, benchmark_page(benchmark.first, benchmark.second)},
                              counted(having.size()),
                              counted(by_machine(having).size()),
                              counted(by_library(having).size()),
                              date_of(having.back()->entry.started)});
    return table_html("", table);
}

std::string machines_table(Runs const& runs) {
    SiteTable table{.columns = {"machine", "processors", "runs", "libraries", "latest"}};
    for (auto const& [name, having] : by_machine(runs))
        table.rows.push_back({{name, machine_page(name)},
                              processors(having),
                              counted(having.size()),
                              distinct(having, [](auto const& run, auto& all) { all.insert(library_of(run.entry)); }),
                              date_of(having.back()->entry.started)});
    return table_html("", table);
}

std::string libraries_table(Runs const& runs) {
    SiteTable table{.columns = {"library", "runs", "machines", "latest"}};
    for (auto const& [name, having] : by_library(runs))
        table.rows.push_back({{name, library_page(name)},
                              counted(having.size()),
                              distinct(having, [](auto const& run, auto& all) { all.insert(run.entry.machine); }),
                              date_of(having.back()->entry.started)});
    return table_html("", table);
}

Runs pointers_to(std::span<SiteRun const> runs) {
    Runs all;
    for (auto const& run : runs)
        all.push_back(&run);
    return all;
}

SiteFile index_page(Runs const& runs, Runs const& of_operations, std::string const& title) {
    auto const dates = std::pair{date_of(runs.front()->entry.started), date_of(runs.back()->entry.started)};
    auto const body =
        paragraph_html(fmt::format("{} runs from {} to {}. Each benchmark has a page that compares machines and "
                                   "libraries; each run has a page with the contents of its record.",
                                   runs.size(), dates.first, dates.second)) +
        heading_html("Machines") + machines_table(runs) + heading_html("MPI libraries") + libraries_table(runs) +
        (of_operations.empty() ? std::string{}
                               : heading_html("Operations of several programs") + benchmarks_table(of_operations)) +
        heading_html("Suites and benchmarks") + benchmarks_table(runs) + heading_html("Runs") + runs_table(runs);
    return {"index.html", page_html(title, "", body)};
}

SiteFile machine_page_of(std::string const& name, Runs const& runs, std::string const& site) {
    auto const facts =
        facts_html({{"processors", processors(runs)},
                    {"hosts", distinct(runs,
                                       [](SiteRun const& run, auto& all) {
                                           for (auto const& host : run.launch.record.run.hosts)
                                               all.insert(host.name);
                                       })},
                    {"kernels", distinct(runs, [](SiteRun const& run, auto& all) { all.insert(run.entry.kernel); })}});
    return {machine_page(name),
            page_html(name, site,
                      facts + heading_html("MPI libraries") + libraries_table(runs) + heading_html("Benchmarks") +
                          benchmarks_table(runs) + heading_html("Runs") + runs_table(runs))};
}

SiteFile library_page_of(std::string const& name, Runs const& runs, std::string const& site) {
    return {library_page(name), page_html(name, site,
                                          heading_html("Machines") + machines_table(runs) + heading_html("Benchmarks") +
                                              benchmarks_table(runs) + heading_html("Runs") + runs_table(runs))};
}

}  // namespace

std::vector<SiteFile> site_files(std::span<SiteRun const> runs, SiteOptions const& options) {
    auto const all = pointers_to(runs);
    auto const common = runs_of_operations(runs);
    auto const of_operations = pointers_to(common);
    std::vector<SiteFile> files{index_page(all, of_operations, options.title)};
    for (auto const& [name, having] : by_machine(all))
        files.push_back(machine_page_of(name, having, options.title));
    for (auto const& [name, having] : by_library(all))
        files.push_back(library_page_of(name, having, options.title));
    for (auto const& [benchmark, having] : by_benchmark(all))
        files.push_back(benchmark_page_of(benchmark.first, benchmark.second, having, runs, options));
    for (auto const& [operation, having] : by_benchmark(of_operations))
        files.push_back(benchmark_page_of(operation.first, operation.second, having, common, options));
    for (auto const& run : runs) {
        files.push_back({run_page(run.entry), run_page_text(run, options.title)});
        files.push_back({record_file(run.entry), run.content});
    }
    return files;
}

}  // namespace measure::tool::archive
