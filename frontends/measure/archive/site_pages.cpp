// SPDX-License-Identifier: BSD-3-Clause
#include "archive/site_pages.hpp"

#include "analysis/runs/unknown.hpp"
#include "archive/html.hpp"
#include "shared/sha256.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace measure::tool::archive {

std::string file_name(std::string_view kind, std::string_view text) {
    constexpr std::size_t longest = 40;
    constexpr std::size_t digits = 8;
    std::string stem;
    for (char const c : text.substr(0, longest)) {
        bool const is_plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (is_plain)
            stem += c;
        else if (!stem.empty() && stem.back() != '-')
            stem += '-';
    }
    return fmt::format("{}-{}{}{}.html", kind, stem, stem.empty() || stem.ends_with('-') ? "" : "-",
                       sha256(text).substr(0, digits));
}

std::string machine_page(std::string const& machine) { return file_name("machine", machine); }
std::string library_page(std::string const& library) { return file_name("library", library); }
std::string benchmark_page(std::string const& suite, std::string const& name) {
    return file_name("benchmark", fmt::format("{} {}", suite, name));
}
std::string run_page(RunEntry const& run) { return fmt::format("run-{}.html", run.hash.substr(0, 16)); }
std::string record_file(RunEntry const& run) { return fmt::format("records/{}.jsonl", run.hash); }

std::string library_of(RunEntry const& run) { return run.mpi.empty() ? "without MPI" : run.mpi; }

std::string runs_table(Runs const& runs) {
    SiteTable table{
        .columns = {"run", "started", "program", "machine", "library", "ranks", "points", "status", "label", "tags"}};
    std::set<std::string> listed;
    for (auto const* const run : runs) {
        auto const& entry = run->entry;
        // A run that measures an operation with several benchmarks occurs several times.
        if (!listed.insert(entry.hash).second)
            continue;
        table.rows.push_back({{entry.id(), run_page(entry)},
                              or_unknown(entry.started),
                              entry.program,
                              {entry.machine, machine_page(entry.machine)},
                              {library_of(entry), library_page(library_of(entry))},
                              counted(static_cast<std::size_t>(std::max<std::int64_t>(entry.ranks, 0))),
                              counted(static_cast<std::size_t>(entry.points)),
                              entry.status,
                              entry.label,
                              fmt::format("{}", fmt::join(entry.tags, ", "))});
    }
    return table_html("", table);
}

}  // namespace measure::tool::archive
