// SPDX-License-Identifier: BSD-3-Clause
/// Fields: describes the JSON documents of commands. One list per struct gives the document, its JSON schema and the
/// table in the documentation. Pure, local.
///
///     template <>
///     inline constexpr auto fields<GuidelineTerm> =
///         std::array{field<&GuidelineTerm::operation>("operation", "name of the operation"),
///                    field<&GuidelineTerm::time>("time", "median over launches", "s")};
///
///     document("guidelines", report);  // {"document": "guidelines", "schema": 1, ..}
#pragma once

#include <measure/record.hpp>
#include <measure/statistics.hpp>
#include <measure/units.hpp>

#include <array>
#include <concepts>
#include <functional>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

namespace measure::tool {

/// When a field is present in its object.
enum class Present {
    always,
    if_set,  ///< only if its value is not null
};

/// A field in the document of a T.
template <class T>
struct Field {
    std::string_view name;     ///< key; empty: the value is an object whose members are inserted here
    std::string_view text;     ///< meaning, for the schema and the documentation
    std::string_view unit;     ///< "s", "B", "1" (a share); empty: no unit
    Value (*value)(T const&);  ///< reads the value from the struct
    Value (*schema)();         ///< gives the JSON schema of the value
    Present present;
};

/// The fields of T in the order of the document: a `std::array` of `Field<T>`. Specialised once for each struct, after
/// the structs inside it.
template <class T>
inline constexpr auto fields = nullptr;

template <class T>
inline constexpr bool has_fields = !std::same_as<std::remove_cvref_t<decltype(fields<T>)>, std::nullptr_t>;

/// Pieces of JSON schemas.
namespace schema {

[[nodiscard]] Value of_type(std::string_view type);
[[nodiscard]] Value array_of(Value element);
[[nodiscard]] Value map_of(Value member);
[[nodiscard]] Value interval();
/// The schema extended by null.
[[nodiscard]] Value or_null(Value schema);
/// Adds a property. \param object  made by `of_type("object")`
void add(Value& object, std::string_view name, Value property, std::string_view text, std::string_view unit = {},
         Present present = Present::always);
/// Adds all properties of another object.
void add_all(Value& object, Value const& other);

}  // namespace schema

template <class T>
[[nodiscard]] Value object_of(T const& from);
template <class T>
[[nodiscard]] Value object_schema();

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;
template <class T>
inline constexpr bool is_variant = false;
template <class... T>
inline constexpr bool is_variant<std::variant<T...>> = true;

/// Pairs of name and value, which become an object. An enumerator is converted by `name`.
template <class T>
concept NamedValues = std::ranges::range<T> && requires(std::ranges::range_value_t<T> entry) {
    requires std::convertible_to<decltype(entry.first), std::string_view> ||
        std::is_enum_v<std::remove_cvref_t<decltype(entry.first)>>;
    entry.second;
};
template <class T>
concept Sequence = std::ranges::range<T> && !std::convertible_to<T, std::string_view>;

/// The value in a document: enumerators become their `name`, times seconds, intervals arrays of two numbers.
template <class T>
[[nodiscard]] Value value_of(T const& from) {
    if constexpr (has_fields<T>) {
        return object_of(from);
    } else if constexpr (is_optional<T>) {
        return from ? value_of(*from) : Value{};
    } else if constexpr (std::same_as<T, Interval>) {
        return Value::Array{from.first, from.second};
    } else if constexpr (std::same_as<T, Point>) {
        return value_of(from.coordinates());
    } else if constexpr (is_variant<T>) {
        return std::visit([](auto const& x) { return Value{x}; }, from);
    } else if constexpr (std::is_enum_v<T>) {
        return name(from);
    } else if constexpr (NamedValues<T>) {
        Value::Object object;
        for (auto const& [key, value] : from)
            if constexpr (std::is_enum_v<std::remove_cvref_t<decltype(key)>>)
                object.emplace_back(name(key), value_of(value));
            else
                object.emplace_back(key, value_of(value));
        return object;
    } else if constexpr (Sequence<T>) {
        Value::Array array;
        for (auto const& element : from)
            array.push_back(value_of(element));
        return array;
    } else {
        return from;
    }
}

/// The schema of `value_of`.
template <class T>
[[nodiscard]] Value schema_of() {
    if constexpr (has_fields<T>)
        return object_schema<T>();
    else if constexpr (is_optional<T>)
        return schema::or_null(schema_of<typename T::value_type>());
    else if constexpr (std::same_as<T, Interval>)
        return schema::interval();
    else if constexpr (std::same_as<T, Point>)
        return schema::map_of(schema_of<Point::Coordinate>());
    else if constexpr (std::same_as<T, Value> || is_variant<T>)
        return Value::Object{};  // anything
    else if constexpr (NamedValues<T>)
        return schema::map_of(schema_of<std::remove_cvref_t<decltype(std::ranges::range_value_t<T>::second)>>());
    else if constexpr (Sequence<T>)
        return schema::array_of(schema_of<std::ranges::range_value_t<T>>());
    else if constexpr (std::same_as<T, bool>)
        return schema::of_type("boolean");
    else if constexpr (std::integral<T>)
        return schema::of_type("integer");
    else if constexpr (std::floating_point<T> || std::same_as<T, seconds>)
        return schema::of_type("number");
    else
        return schema::of_type("string");
}

/// Turns an empty text into nothing, which becomes null.
[[nodiscard]] inline std::optional<std::string> or_null(std::string const& text) {
    return text.empty() ? std::nullopt : std::optional{text};
}

/// The struct that a getter reads: a member, a function, or a lambda without captures.
template <class Getter>
struct OwnerOf : OwnerOf<decltype(&Getter::operator())> {};
template <class Result, class T>
struct OwnerOf<Result T::*> {
    using Type = T;
};
template <class Result, class Lambda, class T>
struct OwnerOf<Result (Lambda::*)(T const&) const> {
    using Type = T;
};
template <class Result, class T>
struct OwnerOf<Result (*)(T const&)> {
    using Type = T;
};

/// The target of a pointer to a struct; any other value is returned unchanged.
[[nodiscard]] constexpr auto const& target_of(auto const& from) {
    using T = std::remove_cvref_t<decltype(from)>;
    if constexpr (std::is_pointer_v<T> && std::is_class_v<std::remove_pointer_t<T>>)
        return *from;
    else
        return from;
}

/// Applies getters in sequence, beginning with a struct. If a getter gives a pointer, the next one is applied to its
/// target.
template <auto First, auto... Rest>
[[nodiscard]] Value value_at(auto const& from) {
    if constexpr (sizeof...(Rest) == 0)
        return value_of(target_of(std::invoke(First, target_of(from))));
    else
        return value_at<Rest...>(std::invoke(First, target_of(from)));
}
/// The type of the result of `value_at`.
template <class T, auto First, auto... Rest>
struct FinalOf {
    using Given = std::invoke_result_t<decltype(First), T const&>;
    using Next = std::remove_cvref_t<decltype(target_of(std::declval<Given>()))>;
    using Type = typename FinalOf<Next, Rest...>::Type;
};
template <class T, auto Last>
struct FinalOf<T, Last> {
    using Given = std::invoke_result_t<decltype(Last), T const&>;
    using Type = std::remove_cvref_t<decltype(target_of(std::declval<Given>()))>;
};

/// A field whose value comes from a member, a function or a lambda, or from several in sequence:
/// `field<&Report::result, &Result::checks>("checks", ..)`.
template <auto First, auto... Rest>
[[nodiscard]] constexpr auto field(std::string_view name, std::string_view text, std::string_view unit = {},
                                   Present present = Present::always) {
    using T = typename OwnerOf<decltype(First)>::Type;
    return Field<T>{name,
                    text,
                    unit,
                    [](T const& from) { return value_at<First, Rest...>(from); },
                    [] { return schema_of<typename FinalOf<T, First, Rest...>::Type>(); },
                    present};
}

/// All fields of a member, in the place of the member.
template <auto Get>
[[nodiscard]] constexpr auto fields_of() {
    return field<Get>({}, {});
}

template <class T>
Value object_of(T const& from) {
    Value::Object object;
    for (auto const& field : fields<T>) {
        auto value = field.value(from);
        if (field.name.empty())
            for (auto const& member : std::get<Value::Object>(value.data()))
                object.push_back(member);
        else if (field.present == Present::always || !value.is_null())
            object.emplace_back(field.name, std::move(value));
    }
    return object;
}

template <class T>
Value object_schema() {
    auto object = schema::of_type("object");
    for (auto const& field : fields<T>)
        if (field.name.empty())
            schema::add_all(object, field.schema());
        else
            schema::add(object, field.name, field.schema(), field.text, field.unit, field.present);
    return object;
}

/// A document: its name, `schema` 1, the version of libmeasure, and the fields of T.
[[nodiscard]] Value document(std::string_view name, Value const& fields);
template <class T>
requires has_fields<T>
[[nodiscard]] Value document(std::string_view name, T const& from) { return document(name, object_of(from)); }

/// A kind of document, for `measure schema`.
struct DocumentKind {
    enum class Form {
        whole,
        part,  ///< part of a record: without document name, schema and version
    };
    std::string_view name;     ///< "guidelines"
    std::string_view command;  ///< command that writes it: "measure guidelines --json FILE"
    Value (*schema)();         ///< gives the schema of its fields
    Form form = Form::whole;
};

/// The JSON schema of documents of this kind (draft 2020-12).
[[nodiscard]] Value schema_of(DocumentKind const& kind);

/// The fields as a Markdown table: name, type, unit and meaning. "points[].ratio" is a field of each element of a list.
[[nodiscard]] std::string field_table(DocumentKind const& kind);

}  // namespace measure::tool
