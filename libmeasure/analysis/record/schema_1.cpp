// SPDX-License-Identifier: BSD-3-Clause
#include "record/schema_1.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace measure::detail {

namespace {

using json = nlohmann::ordered_json;

/// A name, or a word that is a value, and what it is since schema 2.
struct NewName {
    std::string_view before;
    std::string_view now;
};

constexpr std::array point_members{
    NewName{"verdict", "status"},
    NewName{"reason", "message"},
};
constexpr std::array derived_members{
    NewName{"standard_error_seed", "standard_error_over_sqrt_n"},
    NewName{"standard_error_ref", "standard_error_over_sqrt_kept"},
    NewName{"standard_error_winsor", "standard_error_winsorized"},
};
/// Runs whose options differ are not joined: what is the same must have one name.
constexpr std::array option_members{
    NewName{"detail", "keep"},
};
constexpr std::array error_kind_words{
    NewName{"seed", "over_sqrt_n"},
    NewName{"ref", "over_sqrt_kept"},
    NewName{"winsor", "winsorized"},
};
constexpr std::array slot_rule_words{
    NewName{"seed", "paper"},
};

/// All words for what stopped a measurement.
constexpr std::array<std::string_view, 6> stop_words{"count",  "relative_error", "interval",
                                                     "budget", "exhausted",      "own"};

std::string_view renamed(std::string_view name, auto const& names) {
    auto const found = std::find_if(names.begin(), names.end(), [&](NewName const& n) { return n.before == name; });
    return found == names.end() ? name : found->now;
}

/// In the same order.
void rename_members(json& object, auto const& names) {
    json result = json::object();
    for (auto const& [key, value] : object.items())
        result[std::string{renamed(key, names)}] = std::move(value);
    object = std::move(result);
}

/// A member that is an object; nullptr for all else.
json* object_in(json& object, char const* name) {
    auto const found = object.find(name);
    return found != object.end() && found->is_object() ? &*found : nullptr;
}

/// A member that is a text; nullptr for all else.
std::string* text_in(json& object, char const* name) {
    auto const found = object.find(name);
    return found != object.end() && found->is_string() ? found->get_ptr<std::string*>() : nullptr;
}

void rename_word(json& options, char const* name, auto const& words) {
    if (auto* const text = text_in(options, name))
        *text = renamed(*text, words);
}

void rename_options(json& options) {
    rename_members(options, option_members);
    for (char const* const name : {"se", "error"})
        rename_word(options, name, error_kind_words);
    rename_word(options, "slot_rule", slot_rule_words);
}

/// What stopped the measurement stood in `derived.stop`; some programs wrote it into `reason` instead, or as well.
void move_stop_reason(json& point) {
    auto* const message = text_in(point, "message");
    auto const* const status = text_in(point, "status");
    bool const is_missing = status != nullptr && (*status == "skipped" || *status == "crashed");
    if (message != nullptr && !is_missing &&
        std::find(stop_words.begin(), stop_words.end(), *message) != stop_words.end()) {
        auto word = std::move(*message);
        point.erase("message");
        point["stop_reason"] = std::move(word);
    }
    auto* const derived = object_in(point, "derived");
    if (auto* const stop = derived != nullptr ? text_in(*derived, "stop") : nullptr) {
        auto word = std::move(*stop);
        derived->erase("stop");
        point["stop_reason"] = std::move(word);
    }
}

}  // namespace

void rename_schema_1(std::string_view kind, json& line) {
    if (kind == "run") {
        if (auto* const options = object_in(line, "options"))
            rename_options(*options);
    } else if (kind == "point") {
        rename_members(line, point_members);
        if (auto* const derived = object_in(line, "derived"))
            rename_members(*derived, derived_members);
        move_stop_reason(line);
    }
}

}  // namespace measure::detail
