// SPDX-License-Identifier: BSD-3-Clause
#include "tune/library/settings.hpp"

#include "tune/library/rule_file.hpp"

#include <measure/error.hpp>

#include <fmt/format.h>
#include <unistd.h>

namespace measure::tool::tune {

namespace {

/// Prefix of environment variables that set parameters of Open MPI.
constexpr std::string_view parameter = "OMPI_MCA_";
constexpr std::string_view component = "OMPI_MCA_coll_tuned_";

std::string of_component(std::string_view name) { return std::string{component} + std::string{name}; }

}  // namespace

Settings of_writing(LibraryFamily family) {
    if (family == LibraryFamily::mpich)
        return {};
    return {{of_component("use_dynamic_rules"), "1"}};
}

Settings forcing(LibraryFamily family, std::string_view collective, std::string_view algorithm) {
    auto const variable = variable_of(family, collective);
    auto settings = of_writing(family);
    settings.emplace_back(family == LibraryFamily::mpich ? variable : std::string{parameter} + variable, algorithm);
    return settings;
}

Settings of_file(LibraryFamily family, std::string const& path) {
    if (family == LibraryFamily::mpich)
        return {{file_variable, path}};
    auto settings = of_writing(family);
    settings.emplace_back(of_component("dynamic_rules_filename"), path);
    return settings;
}

Settings without_han() { return {{std::string{parameter} + "coll_han_priority", "0"}}; }

std::string_view file_name(LibraryFamily family) noexcept {
    return family == LibraryFamily::mpich ? "tuned.json" : "tuned.conf";
}

bool chooses(std::string_view name) noexcept {
    if (name.starts_with(component))
        return name.ends_with("_algorithm") || name.ends_with("dynamic_rules") || name.ends_with("rules_filename");
    return name.starts_with("MPIR_CVAR_") &&
           (name.ends_with("_INTRA_ALGORITHM") || name.ends_with("COLL_SELECTION_TUNING_JSON_FILE"));
}

void refuse_chosen() {
    for (char** variable = environ; *variable != nullptr; ++variable) {
        std::string_view const text{*variable};
        auto const setting = text.substr(0, text.find('='));
        if (chooses(setting))
            throw measure::UsageError(
                fmt::format("{} is set in the environment and already chooses algorithms; unset it", setting));
    }
}

bool is_sized(LibraryFamily family, std::string_view collective) noexcept {
    if (family == LibraryFamily::mpich)
        return size_key(collective) != SizeKey::none;
    auto const known = rule_collective(collective);
    return known && known->size != RuleSize::none;
}

}  // namespace measure::tool::tune
