// SPDX-License-Identifier: BSD-3-Clause
/// The header lines of a parameter file.
#include "skampi/parameters/keys.hpp"

#include <measure/timer.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

namespace skampi::keys {
namespace {

using program::Argument;
namespace as = program::as;

std::string timer(Argument const& argument) {
    std::string const name = program::lower(argument.value);
    if (name.starts_with("synthetic:"))
        return argument.value;
    std::vector<std::string> const names{measure::timer_names().begin(), measure::timer_names().end()};
    return name == "wtime" ? "mpi_wtime" : as::Name{names}(argument);
}

std::optional<measure::seconds> limit(Argument const& argument, measure::seconds (*convert)(Argument const&)) {
    return is_word(argument.value, invalid_value) ? std::nullopt : std::optional{convert(argument)};
}

/// Checks a key for a feature that does not exist yet: only Invalid_Value is accepted.
void only_invalid(Argument const& argument) {
    if (!is_word(argument.value, invalid_value))
        throw measure::UsageError(
            fmt::format("{}: '{}' is not supported yet (only {})", argument.option, argument.value, invalid_value));
}

struct Key {
    enum class Kind { required, free_text, setting };
    std::string_view name;
    Kind kind;
    void (*store)(Sheet& sheet, Argument const& argument);
};

constexpr auto required = Key::Kind::required;
constexpr auto free_text = Key::Kind::free_text;
constexpr auto setting = Key::Kind::setting;

constexpr std::array table{
    Key{"NODE", required, [](Sheet& s, Argument const& a) { s.globals.node = a.value; }},
    Key{"NETWORK", required, [](Sheet& s, Argument const& a) { s.globals.network = a.value; }},
    Key{"USER", required, [](Sheet& s, Argument const& a) { s.globals.user = a.value; }},
    Key{"MACHINE", free_text, [](Sheet& s, Argument const& a) { s.globals.machine = a.value; }},
    Key{"MPILIBNAME", free_text, [](Sheet& s, Argument const& a) { s.globals.mpi_library = a.value; }},
    Key{"MPILIBVERS", free_text, [](Sheet& s, Argument const& a) { s.globals.mpi_version = a.value; }},
    Key{"OSNAME", free_text, [](Sheet& s, Argument const& a) { s.globals.os_name = a.value; }},
    Key{"OSVERS", free_text, [](Sheet& s, Argument const& a) { s.globals.os_version = a.value; }},
    Key{"COMMENT", free_text, [](Sheet& s, Argument const& a) { s.globals.comments.push_back(a.value); }},
    Key{"OUTFILE", free_text, [](Sheet& s, Argument const& a) { s.globals.output = as::Text{}(a); }},
    Key{"LOGFILE", free_text, [](Sheet& s, Argument const& a) { s.globals.log = as::Text{}(a); }},
    Key{"MEMORY", setting, [](Sheet& s, Argument const& a) { s.globals.memory = Size{.low = measure::kibi}(a); }},
    Key{"STANDARDERRORDEFAULT", setting,
        [](Sheet& s, Argument const& a) { s.globals.standard_error = standard_error(a); }},
    Key{"MINREPDEFAULT", setting, [](Sheet& s, Argument const& a) { s.globals.min_repetition = repetitions(a); }},
    Key{"MAXREPDEFAULT", setting, [](Sheet& s, Argument const& a) { s.globals.max_repetition = repetitions(a); }},
    Key{"CUTQUANTILEDEFAULT", setting, [](Sheet& s, Argument const& a) { s.globals.cut = cut(a); }},
    Key{"MULTIPLEOFDEFAULT", setting, [](Sheet& s, Argument const& a) { s.multiple_of = Size{.low = 1}(a); }},
    Key{"STEPWIDTHDEFAULT", setting, [](Sheet& s, Argument const& a) { s.step = factor(a); }},
    Key{"MAXSTEPSDEFAULT", setting,
        [](Sheet& s, Argument const& a) {
            s.max_steps = static_cast<std::size_t>(as::Integer{.low = 2, .high = 1'000'000'000}(a));
        }},
    Key{"MINDISTDEFAULT", setting, [](Sheet& s, Argument const& a) { s.min_distance = Size{.low = 1}(a); }},
    Key{"MAXDISTDEFAULT", setting, [](Sheet&, Argument const& a) { only_invalid(a); }},
    Key{"TIMEMEASUREMENTDEFAULT", setting, [](Sheet& s, Argument const& a) { s.time_measurement = limit(a, seconds); }},
    Key{"TIMESUITEDEFAULT", setting, [](Sheet& s, Argument const& a) { s.time_suite = limit(a, minutes); }},
    Key{"NODETIMESDEFAULT", setting, [](Sheet& s, Argument const& a) { s.node_times = yes_or_no(a); }},
    Key{"MAXNODETIMES", setting,
        [](Sheet& s, Argument const& a) {
            s.globals.max_node_times = static_cast<std::size_t>(as::Integer{.low = 0, .high = 1'000'000'000}(a));
        }},
    Key{"DEFAULTLENGTH", setting, [](Sheet& s, Argument const& a) { s.length = Size{}(a); }},
    Key{"DEFAULTCHUNKS", setting,
        [](Sheet& s, Argument const& a) { s.chunks = as::Integer{.low = 1, .high = 1'000'000'000}(a); }},
    Key{"SYNC", setting, [](Sheet& s, Argument const& a) { s.globals.sync = sync(a); }},
    Key{"TIMER", setting, [](Sheet& s, Argument const& a) { s.globals.timer = timer(a); }},
    Key{"PARTNER", setting, [](Sheet& s, Argument const& a) { s.globals.partner = partner(a); }},
};

Key const* find(std::string_view name) {
    auto const* const found =
        std::find_if(table.begin(), table.end(), [&](Key const& key) { return is_word(name, key.name); });
    return found == table.end() ? nullptr : found;
}

std::string unknown_text(std::string_view name) {
    std::vector<std::string> names;
    for (Key const& key : table)
        names.push_back(fmt::format("@{}", key.name));
    std::string const spelled = fmt::format("@{}", name);
    return fmt::format("unknown key {}{}", grammar::quoted(spelled), hint(spelled, names));
}

void store(Key const& key, grammar::Header const& header, Sheet& sheet, Faults& faults) {
    bool const is_text = key.kind != setting;
    if (key.kind == required && (header.text.empty() || is_word(header.text, "FILL_IN")))
        faults.add(header.text_place, fmt::format("@{} is not filled in", key.name));
    else if (is_text || !is_word(header.text, default_value))
        static_cast<void>(faults.converted(
            [&](Argument const& argument) {
                key.store(sheet, argument);
                return true;
            },
            {fmt::format("@{}", key.name), is_text ? header.text : grammar::shown(header.text)}, header.text_place));
}

}  // namespace

Sheet read_globals(std::vector<grammar::Header> const& headers, Faults& faults) {
    Sheet sheet;
    std::map<std::string_view, grammar::Place> given;
    for (grammar::Header const& header : headers) {
        Key const* const key = find(header.key);
        if (key == nullptr) {
            faults.add(header.place, unknown_text(header.key));
            continue;
        }
        auto const [first, is_new] = given.emplace(key->name, header.place);
        if (is_new || key->name == "COMMENT")
            store(*key, header, sheet, faults);
        else
            faults.add(header.place,
                       fmt::format("@{} is given twice (first in line {})", key->name, first->second.line));
    }
    for (Key const& key : table)
        if (key.kind == required && !given.contains(key.name))
            faults.add({}, fmt::format("@{} is missing (a line '@{} TEXT' is required)", key.name, key.name));
    Globals& g = sheet.globals;
    if (g.min_repetition > g.max_repetition) {
        faults.add(
            given.contains("MINREPDEFAULT") ? given["MINREPDEFAULT"] : given["MAXREPDEFAULT"],
            fmt::format("@MINREPDEFAULT {} is greater than @MAXREPDEFAULT {}", g.min_repetition, g.max_repetition));
        g.min_repetition = Globals{}.min_repetition;  // so that measurements do not report this error again
        g.max_repetition = Globals{}.max_repetition;
    }
    return sheet;
}

}  // namespace skampi::keys
