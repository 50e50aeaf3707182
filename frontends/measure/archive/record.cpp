// SPDX-License-Identifier: BSD-3-Clause
#include "archive/record.hpp"

#include "analysis/runs/unknown.hpp"
#include "program/cli/values.hpp"
#include "shared/inputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

namespace measure::tool::archive {

namespace {

std::string without_numbers(std::string const& host) {
    std::string stem;
    for (char const c : host)
        if (std::isdigit(static_cast<unsigned char>(c)) == 0)
            stem += c;
        else if (stem.empty() || stem.back() != '#')
            stem += '#';
    return stem;
}

}  // namespace

std::vector<ArchivedRun> archived_runs(std::string const& text, std::string const& path) {
    auto launches = launches_of(text, path);
    std::vector<ArchivedRun> result;
    for (std::size_t i = 0; i < launches.size(); ++i) {
        auto const begin = i == 0 ? 0 : launches[i].record.begin;
        auto const end = i + 1 < launches.size() ? launches[i + 1].record.begin : text.size();
        result.push_back({std::move(launches[i]), text.substr(begin, end - begin)});
    }
    return result;
}

std::string_view run_line(std::string_view content) noexcept {
    // Skip blanks and output of the launcher before the line.
    while (!content.empty()) {
        auto const end = content.find('\n');
        auto const line = program::trimmed(content.substr(0, end));
        if (line.starts_with('{'))
            return line;
        content.remove_prefix(end == std::string_view::npos ? content.size() : end + 1);
    }
    return content;
}

std::string_view from_run_line(std::string_view content) noexcept {
    auto const line = run_line(content);
    return line.empty() ? content : content.substr(static_cast<std::size_t>(line.data() - content.data()));
}

std::string_view whole_lines(std::string_view content) noexcept {
    auto const last = content.rfind('\n');
    return last == std::string_view::npos ? std::string_view{} : content.substr(0, last + 1);
}

std::string machine_name(measure::Environment const& run) {
    if (auto named = named_machine(run); !named.empty())
        return named;
    std::vector<std::string> hosts;
    std::vector<std::string> cpus;
    for (auto const& host : run.hosts) {
        program::add_once(hosts, without_numbers(host.name));
        program::add_once(cpus, host.cpu.value_or(""));
    }
    std::erase(hosts, "");
    std::erase(cpus, "");
    std::sort(hosts.begin(), hosts.end());
    std::sort(cpus.begin(), cpus.end());
    auto const name = hosts.empty() ? "unknown" : fmt::format("{}", fmt::join(hosts, " + "));
    return cpus.empty() ? name : fmt::format("{} ({})", name, fmt::join(cpus, " + "));
}

std::string status_of(measure::RunRecord const& record) { return record.end ? record.end->status : "cut"; }

}  // namespace measure::tool::archive
