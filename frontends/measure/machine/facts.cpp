// SPDX-License-Identifier: BSD-3-Clause
#include "machine/facts.hpp"

#include "program/cli/values.hpp"

#include <measure/environment_info.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>

namespace measure::tool::machine {

namespace {

constexpr std::array sizes{"PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "MPI_LOCALNRANKS", "SLURM_STEP_NUM_TASKS", "PALS_SIZE"};

}  // namespace

void Facts::set(std::string name, std::optional<std::string> value) {
    if (value)
        set(std::move(name), std::move(*value));
}

void Facts::set(std::string name, double value) { set(std::move(name), fmt::format("{}", value)); }

void Facts::add(Facts const& others) {
    for (auto const& [name, value] : others.values_)
        set(name, value);
}

std::optional<std::string> Facts::text(std::string_view name) const {
    auto const found = values_.find(name);
    return found == values_.end() ? std::nullopt : std::optional{found->second};
}

std::optional<double> Facts::number(std::string_view name) const {
    auto const found = values_.find(name);
    if (found == values_.end())
        return std::nullopt;
    char* end = nullptr;
    double const value = std::strtod(found->second.c_str(), &end);
    return end == found->second.c_str() ? std::nullopt : std::optional{value};
}

std::vector<std::string> Facts::list(std::string_view name) const {
    auto const found = values_.find(name);
    if (found == values_.end() || found->second.empty())
        return {};
    return program::split(found->second, ';');
}

std::string Facts::packed() const {
    std::string text;
    for (auto const& [name, value] : values_) {
        text.append(name).push_back('\0');
        text.append(value).push_back('\0');
    }
    return text;
}

Facts Facts::unpacked(std::string_view text) {
    auto const parts = program::split(text, '\0');
    Facts facts;
    for (std::size_t i = 0; i + 1 < parts.size(); i += 2)
        facts.set(parts[i], parts[i + 1]);
    return facts;
}

Facts Facts::from_lines(std::string_view text) {
    Facts facts;
    for (std::string const& line : program::split(text, '\n'))
        if (auto const blank = line.find(' '); blank != std::string::npos && blank > 0)
            facts.set(line.substr(0, blank), line.substr(blank + 1));
    return facts;
}

Facts variable_facts(std::vector<std::string> const& variables) {
    Facts facts;
    double launched = 0;
    for (auto const& [name, value] : measure::settings_among(variables))
        facts.set("env:" + name, value);
    for (std::string const& variable : variables) {
        auto const equals = variable.find('=');
        if (equals == std::string::npos)
            continue;
        auto const name = variable.substr(0, equals);
        if (std::find(sizes.begin(), sizes.end(), name) != sizes.end())
            launched = std::max(launched, std::atof(variable.c_str() + equals + 1));
    }
    if (launched > 0)
        facts.set("launched", launched);
    return facts;
}

std::optional<std::string> mpi_build(std::string_view library) {
    // MPICH and its derivatives report their configuration; Open MPI does not.
    auto const configured = field(library, "MPICH configure");
    auto const flags = field(library, "MPICH CC");
    if (!configured && !flags)
        return std::nullopt;
    for (std::string_view const sign : {"--enable-g=all", "--enable-g=dbg", "--enable-g=most", "--enable-g=mem"})
        if (configured && configured->find(sign) != std::string::npos)
            return fmt::format("debug ({})", sign);
    // The compiler uses the last optimisation level.
    auto const level = flags ? flags->rfind("-O") : std::string::npos;
    if (level == std::string::npos)
        return std::nullopt;
    auto const option = flags->substr(level, flags->find(' ', level) - level);
    return option == "-O0" ? "debug (-O0)" : "optimised";
}

std::vector<int> units_of(Facts const& process) { return numbers_in(process.text("cpus").value_or("")); }

std::vector<int> cores_of(std::vector<int> const& units, Facts const& host) {
    std::map<int, int> core;
    for (std::string const& list : host.list("siblings")) {
        auto const siblings = numbers_in(list);
        for (int const unit : siblings)
            core[unit] = siblings.front();
    }
    std::vector<int> cores;
    for (int const unit : units)
        cores.push_back(core.contains(unit) ? core[unit] : unit);
    return cores;
}

}  // namespace measure::tool::machine
