// SPDX-License-Identifier: BSD-3-Clause
#include "measure/report.hpp"
#include "record/line_writer.hpp"
#include "record/record_fields.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <concepts>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace measure {

namespace {

using json = nlohmann::ordered_json;

template <class S>
void add_fields(json& object, S const& value);

/// JSON has neither NaN nor infinity; both are written as null.
json number(double value) { return std::isfinite(value) ? json(value) : json(nullptr); }

json to_json(Value const& value) {
    return std::visit(
        [](auto const& v) -> json {
            using T = std::remove_cvref_t<decltype(v)>;
            if constexpr (std::is_same_v<T, double>) {
                return number(v);
            } else if constexpr (std::is_same_v<T, Value::Array>) {
                json array = json::array();
                for (auto const& element : v)
                    array.push_back(to_json(element));
                return array;
            } else if constexpr (std::is_same_v<T, Value::Object>) {
                json object = json::object();
                for (auto const& [key, member] : v)
                    object[key] = to_json(member);
                return object;
            } else {
                return v;
            }
        },
        value.data());
}

/// Coordinates are scalars and never null, so numbers that JSON cannot represent are written as strings.
json to_json(Point const& at) {
    json object = json::object();
    for (auto const& [name, value] : at.coordinates())
        object[name] = std::visit(
            [](auto const& v) -> json {
                if constexpr (std::is_same_v<std::remove_cvref_t<decltype(v)>, double>)
                    if (!std::isfinite(v))
                        return fmt::format("{}", v);
                return v;
            },
            value);
    return object;
}

/// Key of a quantile, such as "0.05" or "0.5": as many digits as needed, never an exponent.
std::string quantile_key(double p) {
    std::string key = fmt::format("{:.9f}", p);
    key.erase(key.find_last_not_of('0') + 1);
    return key;
}

json text_or_null(std::string const& text) { return text.empty() ? json(nullptr) : json(text); }

json to_json(double value) { return number(value); }
json to_json(seconds value) { return number(value.count()); }
/// Null unless both ends are finite.
json to_json(Interval const& i) {
    return std::isfinite(i.first) && std::isfinite(i.second) ? json::array({i.first, i.second}) : json(nullptr);
}
json to_json(Quantiles const& quantiles) {
    json object = json::object();
    for (auto const& [p, value] : quantiles)
        object[quantile_key(p)] = number(value);
    return object;
}
json to_json(InvalidReason reason) { return reason == InvalidReason::none ? json(nullptr) : json(name(reason)); }
json to_json(RankTimes const& times) { return json::array({number(times.begin), number(times.end)}); }

/// Handles strings, numbers, enumerations (by name), described structs, and optionals or arrays of these.
template <class T>
json to_json(T const& value) {
    if constexpr (detail::is_described<T>) {
        json object = json::object();
        add_fields(object, value);
        return object;
    } else if constexpr (std::is_enum_v<T>) {
        return json(name(value));
    } else {
        return json(value);
    }
}
template <class T>
json to_json(std::optional<T> const& value) {
    return value ? to_json(*value) : json(nullptr);
}
template <class T>
json to_json(std::vector<T> const& elements) {
    json array = json::array();
    for (auto const& element : elements)
        array.push_back(to_json(element));
    return array;
}

/// Whether the field is left out because it has no value.
template <class S, class T>
bool is_absent(detail::Field<S, T> const& field, S const& object) {
    if (field.absent != detail::Absent::left_out)
        return false;
    if constexpr (requires(T const& value) { value.empty(); })
        return (object.*field.member).empty();
    else if constexpr (requires(T const& value) { value.has_value(); })
        return !(object.*field.member).has_value();
    else if constexpr (std::equality_comparable<T>)
        return object.*field.member == S{}.*field.member;
    else
        return false;
}

/// \param behind  called with the name of each field after it is written, to insert members that are not described
template <class S, class Behind>
void add_fields(json& object, S const& value, Behind&& behind) {
    detail::for_each_field<S>([&](auto const& field) {
        if (!is_absent(field, value)) {
            json member = to_json(value.*field.member);
            if (field.absent == detail::Absent::nothing && (member == json(0.0) || member == json("")))
                member = nullptr;
            object[field.name] = std::move(member);
        }
        behind(std::string_view{field.name});
    });
}
template <class S>
void add_fields(json& object, S const& value) {
    add_fields(object, value, [](std::string_view) {});
}

/// Repairs text that is not UTF-8 (a host name, an argument), so that a broken name does not lose the record.
std::string compact(json const& value) { return value.dump(-1, ' ', false, json::error_handler_t::replace); }

}  // namespace

std::string json_text(Value const& value) { return compact(to_json(value)); }

std::string json_line(Environment const& run) {
    bool const has_mpi = run.mpi_library.has_value();
    json object{{"record", "run"}, {"schema", record_schema}};
    add_fields(object, run, [&](std::string_view behind) {
        if (behind == "started")
            object["mpi"] = has_mpi ? json{{"library", *run.mpi_library}, {"standard", text_or_null(run.mpi_standard)}}
                                    : json(nullptr);
        if (behind == "clock_sync" && !has_mpi)
            object["clock_sync"] = nullptr;
        if (behind == "warnings" && run.mpi_settings) {
            json& settings = object["mpi_settings"] = json::object();
            for (auto const& [name, value] : *run.mpi_settings)
                settings[name] = value;
        }
    });
    for (auto const& [name, value] : run.more)
        object[name] = to_json(value);
    return compact(object);
}

std::string json_line(Record const& point, bool with_samples) {
    json object{{"record", "point"}};
    add_fields(object, point, [&](std::string_view behind) {
        if (behind == "quantity")
            object["unit"] = unit(point.quantity);
    });
    if (point.has_samples && with_samples)
        object["samples"] = to_json(point.samples);
    return compact(object);
}

std::string json_line(Summary const& summary) {
    json object{{"record", "summary"}};
    add_fields(object, summary);
    return compact(object);
}

std::string json_line(EndRecord const& end) {
    json object{{"record", "end"}};
    add_fields(object, end);
    return compact(object);
}

void JsonLinesSink::line(std::string text) const {
    text += '\n';
    detail::write_line(descriptor_, text, "record");
}

}  // namespace measure
