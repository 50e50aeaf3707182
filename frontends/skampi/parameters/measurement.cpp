// SPDX-License-Identifier: BSD-3-Clause
/// Converts a block of a parameter file to a task: first reads the keys, then derives the rest.
#include "skampi/parameters/keys.hpp"
#include "skampi/parameters/range.hpp"
#include "skampi/parameters/vocabulary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

namespace skampi::keys {
namespace {

using grammar::Place;
using grammar::Value;
using program::Argument;
namespace as = program::as;

constexpr std::int64_t many = 1'000'000'000;

/// Whether a number has a unit.
bool is_size(std::string_view text) { return text.find_first_not_of("0123456789.+-eE") != std::string_view::npos; }

class SettingReader {
public:
    SettingReader(grammar::Block const& block, Sheet const& sheet, int processes, Faults& faults)
        : block_{block}, sheet_{sheet}, processes_{processes}, faults_{faults}, name_{parts_of(block.name)} {}

    std::optional<Task> read() {
        refuse_unknown_keys();
        read_accuracy();
        read_limits();
        read_what();
        read_with_what();
        if (!is_decided_)
            return std::nullopt;
        decide_variation();
        decide_elements();
        decide_processes();
        decide_steps();
        refuse_switched_off();
        if (!is_decided_)
            return std::nullopt;
        resolve_range(task_,
                      {.start = start_,
                       .end = end_,
                       .root_place = place("Root"),
                       .step_place = place("Stepwidth"),
                       .max_steps_place = place("Max_Steps"),
                       .processes = processes_,
                       .memory = sheet_.globals.memory},
                      faults_);
        return std::move(task_);
    }

private:
    void refuse_unknown_keys();
    void read_accuracy();
    void read_limits();
    void read_what();
    void read_with_what();
    void decide_variation();
    void decide_elements();
    void decide_processes();
    void decide_steps();
    void refuse_switched_off();
    [[nodiscard]] bool applies(std::string_view key) const;
    [[nodiscard]] Bound bound(std::string_view key);

    [[nodiscard]] Value const* find(std::string_view key) const {
        auto const found = std::find_if(block_.entries.begin(), block_.entries.end(),
                                        [&](grammar::Assignment const& entry) { return is_word(entry.key, key); });
        return found == block_.entries.end() ? nullptr : &found->values.front();
    }
    /// The place of the key's value, or of the block if the key has none.
    [[nodiscard]] Place place(std::string_view key) const {
        Value const* const value = find(key);
        return value != nullptr ? value->place : block_.place;
    }
    /// The key's value, unless it is missing, Default_Value or Invalid_Value.
    [[nodiscard]] Value const* given(std::string_view key) const {
        Value const* const value = find(key);
        bool const is_special =
            value != nullptr && (is_word(value->text, default_value) || is_word(value->text, invalid_value));
        return is_special ? nullptr : value;
    }
    [[nodiscard]] bool is_off(std::string_view key) const {
        Value const* const value = find(key);
        return value != nullptr && is_word(value->text, invalid_value);
    }

    /// The converted value of the key, or `fallback` if it has none. Records an error if it cannot be converted.
    template <class Convert, class T>
    T read(std::string_view key, Convert const& convert, T fallback) {
        Value const* const value = given(key);
        if (value == nullptr)
            return fallback;
        auto result = faults_.converted(convert, {std::string{key}, grammar::shown(value->spelled())}, value->place);
        return result ? T(*std::move(result)) : fallback;
    }
    /// Like `read`, for keys on which later keys depend. After an error, nothing more is reported about the
    /// measurement.
    template <class Convert, class T>
    T read_first(std::string_view key, Convert const& convert, T fallback) {
        bool is_faulty = false;
        T result = read(
            key,
            [&](Argument const& argument) {
                is_faulty = true;
                auto converted = convert(argument);
                is_faulty = false;
                return converted;
            },
            std::move(fallback));
        is_decided_ = is_decided_ && !is_faulty;
        return result;
    }
    void refuse(std::string_view key, std::string text) { faults_.add(place(key), std::move(text)); }

    grammar::Block const& block_;
    Sheet const& sheet_;
    int processes_;
    Faults& faults_;
    NameParts name_;
    Task task_{};
    bool is_decided_ = true;  ///< no error in a key on which later keys depend
    Bound start_{};
    Bound end_{};
    std::optional<Variation> variation_{};
    std::optional<Scale> scale_{};
    std::optional<int> nodes_{};
};

void SettingReader::refuse_unknown_keys() {
    for (grammar::Assignment const& entry : block_.entries) {
        auto const& names = block_keys();
        if (std::none_of(names.begin(), names.end(), [&](auto const& name) { return is_word(entry.key, name); }))
            faults_.add(entry.place,
                        fmt::format("unknown key {}{}", grammar::quoted(entry.key), hint(entry.key, names)));
    }
}

void SettingReader::read_accuracy() {
    Globals const& g = sheet_.globals;
    task_.name = block_.name;
    task_.standard_error = read("Standard_Error", standard_error, g.standard_error);
    task_.min_repetition = read("Min_Repetition", repetitions, g.min_repetition);
    task_.max_repetition = read("Max_Repetition", repetitions, g.max_repetition);
    if (task_.min_repetition > task_.max_repetition)
        refuse(given("Min_Repetition") != nullptr ? "Min_Repetition" : "Max_Repetition",
               fmt::format("Min_Repetition {} is greater than Max_Repetition {}", task_.min_repetition,
                           task_.max_repetition));
    task_.cut = read("Cut_Quantile", cut, g.cut);
    task_.noise_guard = read("Noise_Guard", yes_or_no, true);
    task_.node_times = read("Node_Times", yes_or_no, sheet_.node_times);
}

void SettingReader::read_limits() {
    using Limit = std::optional<measure::seconds>;
    task_.time_measurement =
        is_off("Time_Measurement") ? Limit{} : read("Time_Measurement", seconds, sheet_.time_measurement);
    task_.time_suite = is_off("Time_Suite") ? Limit{} : read("Time_Suite", minutes, sheet_.time_suite);
    task_.max_steps = read(
        "Max_Steps", [](Argument const& a) { return static_cast<std::size_t>(as::Integer{.low = 1, .high = many}(a)); },
        sheet_.max_steps);
    // These two keys are reserved for future use.
    for (auto const* const key : {"Max_Distance", "Refine_Error"})
        if (given(key) != nullptr)
            refuse(key, fmt::format("{}: {} is not supported yet (only {} and {})", key,
                                    grammar::quoted(given(key)->spelled()), default_value, invalid_value));
}

/// Reads the routine, the variation and the scale.
void SettingReader::read_what() {
    Value const* const type = given("Type");
    auto const found = faults_.converted([&](Argument const&) { return routine_of(name_, type); }, {},
                                         type != nullptr ? type->place : block_.place);
    task_.routine = found.value_or(nullptr);
    is_decided_ = found.has_value();
    variation_ = read_first("Variation", variation, name_.variation);
    scale_ = read_first("Scale", scale, std::optional<Scale>{});
}

void SettingReader::read_with_what() {
    task_.datatype = read_first("Datatype", datatype, static_cast<Datatype const*>(nullptr));
    task_.op = read("Op", reduction, static_cast<Reduction const*>(nullptr));
    task_.length = read("Default_Message_Length", Size{}, sheet_.length);
    task_.chunks = read("Default_Chunks", as::Integer{.low = 1, .high = many}, sheet_.chunks);
    nodes_ = read("Default_Nodes", as::Int{.low = 1}, std::optional<int>{});
    task_.root = read("Root", as::Int{.low = 0}, 0);
    task_.sync = read("Sync", sync, sheet_.globals.sync);
    task_.partner = read("Partner", partner, sheet_.globals.partner);
}

void SettingReader::decide_variation() {
    Routine const& r = *task_.routine;
    auto const by_default = r.pattern == Pattern::simple ? Variation::none
                            : r.varies('L')              ? Variation::length
                                                         : Variation::nodes;
    task_.variation = variation_.value_or(by_default);
    bool const is_possible = task_.variation == Variation::none     ? true
                             : task_.variation == Variation::length ? r.varies('L')
                             : task_.variation == Variation::nodes  ? r.varies('N')
                                                                    : r.varies('C');
    if (!is_possible) {
        is_decided_ = false;
        std::vector<std::string> possible;
        for (auto const& [letter, text] : {std::pair{'L', "Length"}, {'N', "Nodes"}, {'C', "Chunks"}})
            if (r.varies(letter))
                possible.emplace_back(text);
        possible.emplace_back("None");
        refuse("Variation", fmt::format("the variation '{}' is not possible for {} ({})", name(task_.variation), r.id,
                                        program::alternatives(possible)));
    }
    task_.scale = scale_.value_or(task_.variation == Variation::length ? Scale::dynamic_log : Scale::fixed_linear);
}

void SettingReader::decide_elements() {
    Routine const& r = *task_.routine;
    if (task_.datatype == nullptr || !r.has_length())
        task_.datatype = find_datatype(r.element);
    if (!r.reduces)
        task_.op = nullptr;
    else if (task_.op == nullptr)
        task_.op = find_reduction("MPI_SUM");
    if (r.reduces && !is_defined(*task_.op, *task_.datatype))
        refuse(given("Op") != nullptr ? "Op" : "Datatype",
               fmt::format("{} is not defined for elements of {}", task_.op->name, task_.datatype->name));
    bool const is_used = task_.variation != Variation::length || given("Default_Message_Length") != nullptr;
    if (!r.has_length())
        task_.length = 0;
    else if (is_used && task_.length % task_.datatype->size != 0)
        refuse("Default_Message_Length",
               fmt::format("Default_Message_Length: {} is not a multiple of the {} bytes of {}", task_.length,
                           task_.datatype->size, task_.datatype->name));
}

void SettingReader::decide_processes() {
    Routine const& r = *task_.routine;
    if (!is_group(r))
        task_.sync = Sync::barrier;
    else if (name_.is_synchronous)
        task_.sync = Sync::window;
    if (!r.rooted)
        task_.root = 0;
    if (r.pattern != Pattern::master_worker)
        task_.chunks = 1;
    if (r.pattern == Pattern::simple || is_pair(r))
        task_.nodes = r.least_nodes;
    else
        task_.nodes = std::max(nodes_.value_or(processes_), r.least_nodes);
    if (nodes_ && applies("Default_Nodes") && *nodes_ < r.least_nodes)
        refuse("Default_Nodes", fmt::format("Default_Nodes: {} is fewer than the {} processes that {} needs", *nodes_,
                                            r.least_nodes, r.id));
}

/// Reads the steps: sizes if the length is varied, otherwise numbers.
void SettingReader::decide_steps() {
    bool const in_bytes = task_.variation == Variation::length;
    auto const count = [&](Argument const& argument) {
        return in_bytes ? Size{.low = 1}(argument) : as::Integer{.low = 1, .high = many}(argument);
    };
    Datatype const& type = *task_.datatype;
    task_.multiple_of = read("Multiple_of", count, in_bytes ? std::lcm(sheet_.multiple_of, type.size) : 1);
    if (in_bytes && task_.multiple_of % type.size != 0)
        refuse("Multiple_of", fmt::format("Multiple_of: {} is not a multiple of the {} bytes of {}", task_.multiple_of,
                                          type.size, type.name));
    task_.min_distance = read("Min_Distance", count, sheet_.min_distance.value_or(task_.multiple_of));
    if (is_off("Min_Distance"))
        task_.min_distance = 1;
    auto const step = [&](Argument const& argument) {
        if (is_log(task_.scale))
            return factor(argument);
        return in_bytes && is_size(argument.value) ? static_cast<double>(Size{.low = 1}(argument))
                                                   : as::Number{.low = 0, .above_low = true}(argument);
    };
    task_.step = read("Stepwidth", step, is_log(task_.scale) ? sheet_.step : 1.0);
    start_ = bound("Start_Argument");
    end_ = bound("End_Argument");
}

Bound SettingReader::bound(std::string_view key) {
    Value const* const value = given(key);
    Bound result{.kind = Bound::Kind::none, .place = place(key)};
    if (value == nullptr)
        return result;
    if (is_word(value->text, max_value))
        result.kind = Bound::Kind::most;
    else if (is_word(value->text, min_value))
        result.kind = Bound::Kind::least;
    else {
        result.kind = Bound::Kind::number;
        bool const in_bytes = task_.variation == Variation::length;
        result.value = read_first(
            key, [&](Argument const& a) { return in_bytes ? Size{}(a) : as::Integer{.low = 1, .high = many}(a); },
            std::int64_t{1});
    }
    return result;
}

/// Whether the key affects the measurement and must have a value.
bool SettingReader::applies(std::string_view key) const {
    Routine const& r = *task_.routine;
    bool const is_varied = task_.variation != Variation::none;
    std::array const cases{
        std::pair{"Scale", is_varied},
        std::pair{"Start_Argument", is_varied},
        std::pair{"End_Argument", is_varied},
        std::pair{"Stepwidth", is_varied},
        std::pair{"Multiple_of", is_varied},
        std::pair{"Max_Steps", is_varied},
        std::pair{"Noise_Guard", is_varied && is_dynamic(task_.scale)},
        std::pair{"Default_Message_Length", r.has_length() && task_.variation != Variation::length},
        std::pair{"Default_Nodes",
                  (is_group(r) || r.pattern == Pattern::master_worker) && task_.variation != Variation::nodes},
        std::pair{"Default_Chunks", r.pattern == Pattern::master_worker && task_.variation != Variation::chunks},
        std::pair{"Datatype", r.has_length()},
        std::pair{"Op", r.reduces},
        std::pair{"Root", r.rooted},
        std::pair{"Sync", is_group(r)},
        std::pair{"Partner", is_pair(r)},
        std::pair{"Variation", is_varied},
        std::pair{"Min_Distance", false},
        std::pair{"Max_Distance", false},
        std::pair{"Refine_Error", false},
        std::pair{"Time_Measurement", false},
        std::pair{"Time_Suite", false},
    };
    auto const* const found = std::find_if(cases.begin(), cases.end(), [&](auto const& c) { return c.first == key; });
    return found == cases.end() || found->second;
}

/// Allows Invalid_Value only for keys that have no effect here or can be switched off.
void SettingReader::refuse_switched_off() {
    for (auto const& key : block_keys())
        if (is_off(key) && applies(key))
            refuse(key,
                   fmt::format("{}: {} is not possible because the measurement needs a value", key, invalid_value));
}

}  // namespace

std::optional<Task> read_task(grammar::Block const& block, Sheet const& sheet, int processes, Faults& faults) {
    return SettingReader{block, sheet, processes, faults}.read();
}

}  // namespace skampi::keys
