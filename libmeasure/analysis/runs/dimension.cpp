// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/runs/dimension.hpp"

#include "analysis/runs/launch.hpp"

#include <measure/report.hpp>

#include <fmt/format.h>

#include <set>
#include <string_view>
#include <vector>

namespace measure {

namespace {

/// Each name once, sorted, so that equal sets have equal texts.
std::string joined_names(std::vector<std::string> const& names) {
    std::set<std::string> const once(names.begin(), names.end());
    return fmt::format("{}", fmt::join(once, ", "));
}

std::optional<std::string> coordinate_of(std::string_view name, Point const& at) {
    auto const* const value = at.find(name);
    return value != nullptr ? std::optional{coordinate_text(*value)} : std::nullopt;
}

std::optional<std::string> run_field(std::string_view name, Environment const& run) {
    std::vector<std::string> cpus;
    for (auto const& host : run.hosts)
        cpus.push_back(host.cpu.value_or("unknown"));
    std::vector<std::pair<std::string_view, std::optional<std::string>>> const fields{
        {"suite", run.suite},
        {"program", run.program},
        {"version", run.version},
        {"mpi", run.mpi_library},
        {"mpi.library", run.mpi_library},
        {"mpi.standard", run.mpi_standard},
        {"ranks", std::to_string(run.ranks)},
        {"campaign", run.campaign ? std::optional{run.campaign->id} : std::nullopt},
        {"hosts", joined_names(host_names(run))},
        {"cpu", joined_names(cpus)},
        {"oversubscribed", run.oversubscribed ? "true" : "false"},
        {"kernel", run.kernel},
        {"clocksource", run.clocksource},
        {"governor", run.governor},
        {"compiler", run.compiler},
        {"timer", run.timer.name},
        {"timer.name", run.timer.name}};
    for (auto const& [key, value] : fields)
        if (key == name)
            return value.value_or("unknown");
    return std::nullopt;
}

/// Value of an MPI setting; "unset" if the run recorded its settings without this one.
std::optional<std::string> setting_of(std::string_view name, Environment const& run) {
    if (!run.mpi_settings)
        return std::nullopt;
    for (auto const& setting : *run.mpi_settings)
        if (setting.name == name)
            return setting.value;
    return "unset";
}

/// A member of an object, given by its path: "topology.kind".
std::optional<std::string> option_at(std::string_view path, Value const& options) {
    if (auto const* const whole = options.find(path)) {
        auto const* const text = std::get_if<std::string>(&whole->data());
        return text != nullptr ? *text : json_text(*whole);
    }
    auto const dot = path.find('.');
    auto const* const part = dot == std::string_view::npos ? nullptr : options.find(path.substr(0, dot));
    return part == nullptr ? std::nullopt : option_at(path.substr(dot + 1), *part);
}

std::optional<std::string_view> without_prefix(std::string_view name, std::string_view prefix) {
    return name.starts_with(prefix) ? std::optional{name.substr(prefix.size())} : std::nullopt;
}

}  // namespace

std::optional<std::string> dimension_value(std::string const& name, Environment const& run, Record const& point) {
    if (name == "benchmark")
        return point.benchmark;
    if (name == "quantity")
        return std::string{measure::name(point.quantity)};
    if (auto const of_point = without_prefix(name, "at."))
        return coordinate_of(*of_point, point.at);
    if (auto const of_options = without_prefix(name, "options."))
        return option_at(*of_options, run.options);
    if (auto const setting = without_prefix(name, "mpi_settings."))
        return setting_of(*setting, run);
    if (auto value = coordinate_of(name, point.at))
        return value;
    if (auto value = run_field(name, run))
        return value;
    return option_at(name, run.options);
}

}  // namespace measure
