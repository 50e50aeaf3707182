// SPDX-License-Identifier: BSD-3-Clause
#include "skampi/parameters/vocabulary.hpp"

#include "skampi/parameters/keys.hpp"

#include <fmt/format.h>

#include <array>
#include <span>

namespace skampi::keys {
namespace {

using program::Argument;
namespace as = program::as;

/// A suffix of a measurement's name and the variation that it selects.
struct Suffix {
    std::string_view text;
    Variation variation;
};
constexpr std::array suffixes{
    Suffix{"-length", Variation::length},    Suffix{"-nodes-short", Variation::nodes},
    Suffix{"-nodes-long", Variation::nodes}, Suffix{"-nodes", Variation::nodes},
    Suffix{"-chunks", Variation::chunks},
};
constexpr std::string_view synchronous = "-SM";

bool has_suffix(std::string_view name, std::string_view suffix) {
    return name.size() > suffix.size() && is_word(name.substr(name.size() - suffix.size()), suffix);
}

std::vector<std::string> routine_ids() {
    std::vector<std::string> ids;
    for (Routine const& routine : routines())
        ids.emplace_back(routine.id);
    return ids;
}

template <class T>
T const* element(Argument const& argument, T const* found, std::span<T const> all) {
    if (found != nullptr)
        return found;
    std::vector<std::string> names;
    for (T const& entry : all)
        names.emplace_back(entry.name);
    throw measure::UsageError(
        fmt::format("{}: '{}' is unknown ({})", argument.option, argument.value, program::alternatives(names)));
}

}  // namespace

std::vector<std::string> const& block_keys() {
    static std::vector<std::string> const names{"Type",
                                                "Variation",
                                                "Scale",
                                                "Start_Argument",
                                                "End_Argument",
                                                "Stepwidth",
                                                "Multiple_of",
                                                "Max_Steps",
                                                "Min_Distance",
                                                "Max_Distance",
                                                "Standard_Error",
                                                "Refine_Error",
                                                "Noise_Guard",
                                                "Min_Repetition",
                                                "Max_Repetition",
                                                "Cut_Quantile",
                                                "Time_Measurement",
                                                "Time_Suite",
                                                "Node_Times",
                                                "Default_Message_Length",
                                                "Default_Nodes",
                                                "Default_Chunks",
                                                "Datatype",
                                                "Op",
                                                "Root",
                                                "Sync",
                                                "Partner"};
    return names;
}

NameParts parts_of(std::string_view name) {
    NameParts parts{name};
    if (has_suffix(parts.routine, synchronous)) {
        parts.is_synchronous = true;
        parts.routine.remove_suffix(synchronous.size());
    }
    for (Suffix const& suffix : suffixes)
        if (has_suffix(parts.routine, suffix.text)) {
            parts.variation = suffix.variation;
            parts.routine.remove_suffix(suffix.text.size());
            break;
        }
    return parts;
}

Routine const* routine_of(NameParts const& name, grammar::Value const* type) {
    std::string const id = type != nullptr ? type->spelled() : std::string{name.routine};
    // Old files used numbers for routines, and each release numbered them differently.
    if (type != nullptr && type->kind == grammar::Value::Kind::number)
        throw measure::UsageError(fmt::format("Type: '{}' is a number; use the name of a routine: {}",
                                              grammar::shown(id), program::alternatives(routine_ids())));
    Routine const* const found = find_routine(id);
    if (found != nullptr)
        return found;
    std::string const near = hint(id, routine_ids());
    throw measure::UsageError(
        fmt::format("{} is not a routine{}", grammar::quoted(id), near.empty() ? " (--list shows all)" : near));
}

Variation variation(Argument const& argument) {
    return as::Choice<Variation>{{{"Length", Variation::length},
                                  {"Nodes", Variation::nodes},
                                  {"Chunks", Variation::chunks},
                                  {"None", Variation::none},
                                  {"No", Variation::none},
                                  {"Number_of_nodes", Variation::nodes}}}(argument);
}

Scale scale(Argument const& argument) {
    return as::Choice<Scale>{{{"Fixed_linear", Scale::fixed_linear},
                              {"Fixed_lin", Scale::fixed_linear},
                              {"Fixed_log", Scale::fixed_log},
                              {"Dynamic_linear", Scale::dynamic_linear},
                              {"Dynamic_lin", Scale::dynamic_linear},
                              {"Dynamic_log", Scale::dynamic_log}}}(argument);
}

Datatype const* datatype(Argument const& argument) {
    return element(argument, find_datatype(argument.value), datatypes());
}

Reduction const* reduction(Argument const& argument) {
    return element(argument, find_reduction(argument.value), reductions());
}

}  // namespace skampi::keys
