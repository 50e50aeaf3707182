// SPDX-License-Identifier: BSD-3-Clause
#include "measure/read.hpp"

#include "record/record_fields.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>

namespace measure {

namespace {

using json = nlohmann::ordered_json;

/// An error in a line; converted to a RecordFault with the line number.
struct BadLine {
    std::string text;
};

constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

/// Member of an object; nullptr if it is missing or null.
json const* find(json const& object, char const* name) {
    auto const found = object.find(name);
    return found == object.end() || found->is_null() ? nullptr : &*found;
}

json const& array_or_object(json const& value, char const* name, bool is_array) {
    if (is_array ? !value.is_array() : !value.is_object())
        throw BadLine{fmt::format("'{}' is not an {}", name, is_array ? "array" : "object")};
    return value;
}

/// Whether the value is a whole number in the range of T; accepts 3 and 3.0.
template <class T>
bool is_whole_of(json const& value) {
    if (value.is_number_float()) {
        double const x = value.get<double>();
        // The largest 64-bit value is not a double, but the power of two above it is.
        return x == std::floor(x) && x >= static_cast<double>(std::numeric_limits<T>::min()) &&
               x < std::ldexp(1.0, std::numeric_limits<T>::digits);
    }
    return value.is_number_unsigned() ? std::in_range<T>(value.get<std::uint64_t>())
                                      : std::in_range<T>(value.get<std::int64_t>());
}

/// A scalar member; empty if it is missing or null.
template <class T>
std::optional<T> optional(json const& object, char const* name) {
    json const* const value = find(object, name);
    if (value == nullptr)
        return std::nullopt;
    bool const fits = std::is_same_v<T, std::string> ? value->is_string()
                      : std::is_same_v<T, bool>      ? value->is_boolean()
                                                     : value->is_number();
    if (!fits)
        throw BadLine{fmt::format("'{}' is not a {}", name,
                                  std::is_same_v<T, std::string> ? "string"
                                  : std::is_same_v<T, bool>      ? "boolean"
                                                                 : "number")};
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>)
        if (!is_whole_of<T>(*value))
            throw BadLine{fmt::format("'{}' is not a whole number or is out of range: {}", name, value->dump())};
    return value->get<T>();
}

template <class T>
void read(json const& object, char const* name, T& target) {
    if (auto value = optional<T>(object, name))
        target = std::move(*value);
}
template <class T>
void read(json const& object, char const* name, std::optional<T>& target) {
    target = optional<T>(object, name);
}

template <class T>
T required(json const& object, char const* name) {
    auto value = optional<T>(object, name);
    if (!value)
        throw BadLine{fmt::format("'{}' is missing", name)};
    return std::move(*value);
}

json const& elements(json const& object, char const* name) {
    static json const none = json::array();
    json const* const value = find(object, name);
    return value == nullptr ? none : array_or_object(*value, name, true);
}

json const& members(json const& object, char const* name) {
    static json const none = json::object();
    json const* const value = find(object, name);
    return value == nullptr ? none : array_or_object(*value, name, false);
}

std::vector<std::string> texts(json const& object, char const* name) {
    std::vector<std::string> result;
    for (json const& text : elements(object, name)) {
        if (!text.is_string())
            throw BadLine{fmt::format("'{}' is not an array of strings", name)};
        result.push_back(text.get<std::string>());
    }
    return result;
}

Value value_of(json const& j) {
    if (j.is_boolean())
        return j.get<bool>();
    if (j.is_number_unsigned() && j.get<std::uint64_t>() > std::numeric_limits<std::int64_t>::max())
        return j.get<double>();
    if (j.is_number_integer())
        return j.get<std::int64_t>();
    if (j.is_number())
        return j.get<double>();
    if (j.is_string())
        return j.get<std::string>();
    if (j.is_array()) {
        Value::Array array;
        for (json const& element : j)
            array.push_back(value_of(element));
        return array;
    }
    if (j.is_object()) {
        Value::Object object;
        for (auto const& [key, member] : j.items())
            object.emplace_back(key, value_of(member));
        return object;
    }
    return nullptr;
}

Value object_value(json const& object, char const* name) { return value_of(members(object, name)); }

Point point_of(json const& object) {
    Point at;
    for (auto const& [name, j] : object.items()) {
        if (j.is_boolean())
            at.set(name, j.get<bool>());
        else if (j.is_number_unsigned() && j.get<std::uint64_t>() > std::numeric_limits<std::int64_t>::max())
            at.set(name, j.get<double>());
        else if (j.is_number_integer())
            at.set(name, j.get<std::int64_t>());
        else if (j.is_number())
            at.set(name, j.get<double>());
        else if (j.is_string())
            at.set(name, j.get<std::string>());
        else
            throw BadLine{fmt::format("the coordinate '{}' is not a scalar", name)};
    }
    return at;
}

/// Flop/s have the quantity `rate` in the file and are identified by their unit.
Quantity with_unit(Quantity quantity, std::string const& unit) {
    return quantity == Quantity::rate && unit == measure::unit(Quantity::flops) ? Quantity::flops : quantity;
}

/// All values of an enumeration, and its name in messages.
template <class E>
struct Known;
template <>
struct Known<Quantity> {
    static constexpr char const* what = "the quantity";
    static constexpr std::array all{Quantity::time,   Quantity::bandwidth, Quantity::rate,
                                    Quantity::memory, Quantity::ratio,     Quantity::count};
};
template <>
struct Known<PointStatus> {
    static constexpr char const* what = "the status";
    static constexpr std::array all{PointStatus::converged, PointStatus::exhausted, PointStatus::no_valid_samples,
                                    PointStatus::skipped, PointStatus::crashed};
};
template <>
struct Known<InvalidReason> {
    static constexpr char const* what = "the invalid sample's reason";
    static constexpr std::array all{InvalidReason::late, InvalidReason::overrun, InvalidReason::slip,
                                    InvalidReason::failed, InvalidReason::backward};
};
template <>
struct Known<OperationKind> {
    static constexpr char const* what = "the kind of operation";
    static constexpr std::array all{OperationKind::collective, OperationKind::barrier, OperationKind::ping_pong,
                                    OperationKind::parallel,   OperationKind::message, OperationKind::stream,
                                    OperationKind::streams,    OperationKind::by_hand, OperationKind::local};
};
template <>
struct Known<SizeOf> {
    static constexpr char const* what = "the size of";
    static constexpr std::array all{SizeOf::whole, SizeOf::block, SizeOf::blocks};
};

template <class E>
E enumerator(std::string const& text) {
    for (auto const each : Known<E>::all)
        if (text == name(each))
            return each;
    throw BadLine{fmt::format("{} '{}' is not known", Known<E>::what, text)};
}

double number(json const& j, char const* name) {
    if (j.is_null())
        return no_number;
    if (!j.is_number())
        throw BadLine{fmt::format("'{}' contains a value that is not a number", name)};
    return j.get<double>();
}

std::pair<double, double> pair_of(json const& j, char const* name) {
    if (!j.is_array() || j.size() != 2)
        throw BadLine{fmt::format("'{}' is not a pair of numbers", name)};
    return {number(j[0], name), number(j[1], name)};
}

double quantile_of(std::string const& key) {
    try {
        return std::stod(key);
    } catch (std::exception const&) {
        throw BadLine{fmt::format("the quantile '{}' is not a number", key)};
    }
}

template <class S>
S described(json const& object);

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;

template <class T>
inline constexpr bool is_list_of_described = false;
template <class T>
inline constexpr bool is_list_of_described<std::vector<T>> = detail::is_described<T>;

/// Reads a member of any type used in records. If it is missing or null, the target is unchanged.
template <class T>
void read_member(json const& object, char const* name, T& target) {
    if constexpr (is_optional<T>) {
        if (find(object, name) != nullptr)
            read_member(object, name, target.emplace());
    } else if constexpr (detail::is_described<T>) {
        if (find(object, name) != nullptr)
            target = described<T>(members(object, name));
    } else if constexpr (std::is_same_v<T, seconds>) {
        target = seconds{optional<double>(object, name).value_or(target.count())};
    } else if constexpr (std::is_same_v<T, Interval>) {
        if (json const* const value = find(object, name))
            target = pair_of(*value, name);
    } else if constexpr (std::is_same_v<T, Quantiles>) {
        for (auto const& [key, value] : members(object, name).items())
            target[quantile_of(key)] = number(value, name);
    } else if constexpr (std::is_same_v<T, Value>) {
        target = object_value(object, name);
    } else if constexpr (std::is_same_v<T, Point>) {
        target = point_of(members(object, name));
    } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
        target = texts(object, name);
    } else if constexpr (std::is_same_v<T, std::vector<RankTimes>>) {
        for (json const& times : elements(object, name)) {
            auto const [begin, end] = pair_of(times, name);
            target.push_back({begin, end});
        }
    } else if constexpr (is_list_of_described<T>) {
        for (json const& element : elements(object, name))
            target.push_back(described<typename T::value_type>(array_or_object(element, name, false)));
    } else if constexpr (std::is_enum_v<T>) {
        if (auto const text = optional<std::string>(object, name))
            target = enumerator<T>(*text);
    } else {
        read(object, name, target);
    }
}

template <class S>
S described(json const& object) {
    S result{};
    detail::for_each_field<S>([&](auto const& field) {
        auto& target = result.*field.member;
        if constexpr (std::is_same_v<std::remove_cvref_t<decltype(target)>, double>)
            if (field.absent == detail::Absent::nan)
                target = no_number;
        // The writer uses null for unknown, which differs from the default of the member.
        if constexpr (std::is_same_v<std::remove_cvref_t<decltype(target)>, int>)
            if (field.absent == detail::Absent::nothing && object.contains(field.name) && object[field.name].is_null())
                target = 0;
        read_member(object, field.name, target);
    });
    return result;
}

Record record_of(json const& object) {
    static_cast<void>(required<std::string>(object, "benchmark"));
    if (find(object, "at") == nullptr)
        throw BadLine{"'at' is missing"};
    for (char const* const obligatory : {"quantity", "unit", "status"})
        static_cast<void>(required<std::string>(object, obligatory));
    auto record = described<Record>(object);
    record.quantity = with_unit(record.quantity, required<std::string>(object, "unit"));
    if (record.estimate) {
        record.estimate->samples = static_cast<std::size_t>(std::max<std::int64_t>(record.valid, 0));
        record.estimate->kept = static_cast<std::size_t>(std::max<std::int64_t>(record.kept, 0));
    }
    record.has_samples = find(object, "samples") != nullptr;
    read_member(object, "samples", record.samples);
    return record;
}

std::vector<Setting> settings_of(json const& object) {
    std::vector<Setting> settings;
    for (auto const& [name, value] : object.items())
        settings.push_back({name, value.is_string() ? value.get<std::string>() : value.dump()});
    return settings;
}

/// Whether Environment has a member for that name of a run line.
bool is_known_member(std::string_view name) {
    constexpr std::array<std::string_view, 4> beside{"record", "schema", "mpi", "mpi_settings"};
    bool known = std::find(beside.begin(), beside.end(), name) != beside.end();
    detail::for_each_field<Environment>([&](auto const& field) { known = known || name == field.name; });
    return known;
}

Environment environment_of(json const& object) {
    static_cast<void>(required<std::string>(object, "suite"));
    auto run = described<Environment>(object);
    json const& mpi = members(object, "mpi");
    read(mpi, "library", run.mpi_library);
    read(mpi, "standard", run.mpi_standard);
    if (find(object, "mpi_settings") != nullptr)
        run.mpi_settings = settings_of(members(object, "mpi_settings"));
    if (run.campaign)
        static_cast<void>(required<std::string>(members(object, "campaign"), "id"));
    for (auto const& [name, member] : object.items())
        if (!is_known_member(name))
            run.more.emplace_back(name, value_of(member));
    return run;
}

Summary summary_of(json const& object) {
    static_cast<void>(required<std::string>(object, "name"));
    return described<Summary>(object);
}

/// Parses a line; a discarded value if it is broken.
json parsed_or_discarded(std::string_view line) {
    if (auto const excess = json_excess(line); !excess.empty())
        throw BadLine{"this line " + excess};
    return json::parse(line, nullptr, false);
}

json parsed(std::string_view line) {
    json object = parsed_or_discarded(line);
    if (object.is_discarded() || !object.is_object())
        throw BadLine{"this line is broken: it is not a JSON object"};
    return object;
}

/// The line without leading and trailing blanks.
std::string_view without_blanks(std::string_view line) {
    constexpr std::string_view blanks = " \t\r";
    auto const begin = std::min(line.find_first_not_of(blanks), line.size());
    auto const end = line.find_last_not_of(blanks);
    return begin == line.size() ? std::string_view{} : line.substr(begin, end + 1 - begin);
}

/// Whether a line that does not start like a record line was one. Output of programs and launchers has no such
/// characters.
bool looks_damaged(std::string_view line) {
    return line.find("\":") != std::string_view::npos || line.ends_with('}') ||
           line.find('\0') != std::string_view::npos;
}

OtherLine other_line(int number, std::string_view text) {
    constexpr std::size_t longest = 60;
    return {number, std::string{text.substr(0, longest)}};
}

/// Checks the schema of a run line.
void check_schema(json const& object) {
    auto const schema = required<std::int64_t>(object, "schema");
    if (schema != record_schema)
        throw BadLine{fmt::format("the record has schema {}, but only schema {} is supported", schema, record_schema)};
}

/// \return false for an unknown kind of line
bool add(std::vector<RunRecord>& runs, json const& object, std::size_t begin) {
    auto const kind = required<std::string>(object, "record");
    if (kind == "run") {
        check_schema(object);
        runs.push_back({.run = environment_of(object), .begin = begin});
        return true;
    }
    if (runs.empty())
        throw BadLine{fmt::format("a '{}' line before the first 'run' line", kind)};
    if (kind == "point")
        runs.back().points.push_back(record_of(object));
    else if (kind == "summary")
        runs.back().summaries.push_back(summary_of(object));
    else if (kind == "end")
        runs.back().end = described<EndRecord>(object);
    else
        return false;
    return true;
}

}  // namespace

// Checked before parsing: the callback of the parser searches a whole array after each of its objects, and objects that
// keep their order are searched at each new member. Both take quadratic time.
std::string json_excess(std::string_view text) {
    constexpr std::size_t deepest = 200;
    constexpr int most_members = 10'000;
    std::array<int, deepest + 1> counts{};  // members so far in the current object and in all enclosing ones
    std::size_t depth = 0;
    bool in_text = false;
    for (std::size_t i = 0; i < text.size(); ++i)
        if (char const c = text[i]; c == '"')
            in_text = !in_text;
        else if (in_text)
            i += c == '\\' ? 1U : 0U;
        else if (c == '{' || c == '[') {
            if (++depth > deepest)
                return fmt::format("is nested more than {} levels deep", deepest);
            counts[depth] = 0;
        } else if (c == ':') {
            if (++counts[depth] > most_members)
                return fmt::format("has an object of more than {} members", most_members);
        } else if ((c == '}' || c == ']') && depth > 0)
            --depth;
    return {};
}

std::vector<RunRecord> read_records(std::string_view text) {
    std::vector<RunRecord> runs;
    std::vector<OtherLine> before;
    int number = 0;
    auto const size = text.size();
    auto const leave_out = [&](std::string_view line) {
        (runs.empty() ? before : runs.back().others).push_back(other_line(number, line));
    };
    while (!text.empty()) {
        auto const begin = size - text.size();
        auto const end = text.find('\n');
        auto const line = without_blanks(text.substr(0, end));
        bool const is_whole = end != std::string_view::npos;
        text.remove_prefix(is_whole ? end + 1 : text.size());
        ++number;
        if (line.empty())
            continue;
        try {
            json object = line.front() != '{' ? json(json::value_t::discarded)
                          : is_whole          ? parsed(line)
                                              : parsed_or_discarded(line);
            if (object.is_object()) {
                if (!add(runs, object, begin))
                    leave_out(line);
            } else if (line.front() != '{' && !looks_damaged(line))
                leave_out(line);
            else if (is_whole)
                throw BadLine{"this line is broken: it is not a JSON object"};
            else if (!runs.empty())
                runs.back().torn = true;
            else
                throw BadLine{"this line is cut off, and no record begins before it"};
        } catch (BadLine const& bad) {
            throw RecordFault{number, bad.text};
        }
    }
    if (runs.empty())
        throw RecordFault{1, "this is not a record file: it has no 'run' line"};
    runs.front().others.insert(runs.front().others.begin(), before.begin(), before.end());
    return runs;
}

}  // namespace measure
