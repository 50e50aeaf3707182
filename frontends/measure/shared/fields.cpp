// SPDX-License-Identifier: BSD-3-Clause
#include "shared/fields.hpp"

#include <measure/environment_info.hpp>
#include <measure/report.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

namespace measure::tool {

namespace schema {

Value of_type(std::string_view type) {
    if (type != "object")
        return Value::Object{{"type", type}};
    return Value::Object{
        {"type", type}, {"properties", Value::Object{}}, {"required", Value::Array{}}, {"additionalProperties", false}};
}

Value array_of(Value element) { return Value::Object{{"type", "array"}, {"items", std::move(element)}}; }

Value map_of(Value member) { return Value::Object{{"type", "object"}, {"additionalProperties", std::move(member)}}; }

Value interval() {
    return Value::Object{{"type", "array"}, {"items", of_type("number")}, {"minItems", 2}, {"maxItems", 2}};
}

Value or_null(Value schema) {
    if (auto const* const type = schema.get<std::string>("type"))
        schema["type"] = Value::Array{*type, "null"};
    return schema;
}

namespace {

/// Appends elements to the list in a member of a schema.
void append(Value& object, std::string_view member, Value::Array const& more) {
    auto list = std::get<Value::Array>(object[member].data());
    std::copy(more.begin(), more.end(), std::back_inserter(list));
    object[member] = std::move(list);
}

/// Reverts `or_null`.
Value not_null(Value schema) {
    if (auto const* const types = schema.get<Value::Array>("type"))
        schema["type"] = Value{types->front()};
    return schema;
}

}  // namespace

void add(Value& object, std::string_view name, Value property, std::string_view text, std::string_view unit,
         Present present) {
    property["description"] = text;
    if (!unit.empty())
        property["unit"] = unit;
    if (present == Present::always)
        append(object, "required", {name});
    else
        property = not_null(std::move(property));
    object["properties"][name] = std::move(property);
}

void add_all(Value& object, Value const& other) {
    for (auto const& [name, property] : *other.get<Value::Object>("properties"))
        object["properties"][name] = property;
    append(object, "required", *other.get<Value::Array>("required"));
}

}  // namespace schema

namespace {

/// The type of a schema as text: "number or null", "array of numbers".
std::string type_text(Value const& schema) {
    std::string text;
    if (auto const* const types = schema.get<Value::Array>("type"))
        for (auto const& type : *types)
            text += fmt::format("{}{}", text.empty() ? "" : " or ", std::get<std::string>(type.data()));
    else
        text = schema.text("type");
    auto const* const items = schema.find("items");
    if (schema.find("minItems") != nullptr)
        return text.replace(0, text.find(' '), "[low, high]");
    if (items != nullptr && !items->text("type").empty())
        return fmt::format("{} of {}s", text, items->text("type"));
    return text.empty() ? "any" : text;
}

/// The rows of a table of fields.
class Rows {
public:
    void add(std::string const& prefix, Value const& object) {
        for (auto const& [key, property] : *object.get<Value::Object>("properties")) {
            auto const name = prefix + key;
            auto const inner = inside(name, property);
            auto const same = inner ? seen_.find(fields_in(*inner->second)) : seen_.end();
            text_ += fmt::format("| `{}` | {}{} | {} | {}{} |\n", name, type_text(property),
                                 is_required(object, key) ? "" : ", if any", property.text("unit"),
                                 property.text("description"),
                                 same != seen_.end() ? fmt::format("; fields as of `{}`", same->second) : "");
            if (!inner || same != seen_.end())
                continue;
            seen_.emplace(fields_in(*inner->second), inner->first);
            add(inner->first + ".", *inner->second);
        }
    }
    [[nodiscard]] std::string const& text() const noexcept { return text_; }

private:
    /// Name and schema of the object in a value: the value itself, or the elements of a list or map.
    static std::optional<std::pair<std::string, Value const*>> inside(std::string const& name, Value const& schema) {
        if (schema.find("properties") != nullptr)
            return std::pair{name, &schema};
        if (auto const* const items = schema.find("items"))
            return inside(name + "[]", *items);
        auto const* const member = schema.find("additionalProperties");
        return member != nullptr ? inside(name + ".NAME", *member) : std::nullopt;
    }

    static bool is_required(Value const& object, std::string const& key) {
        auto const& names = *object.get<Value::Array>("required");
        return std::any_of(names.begin(), names.end(), [&](Value const& name) {
            auto const* const text = std::get_if<std::string>(&name.data());
            return text != nullptr && *text == key;
        });
    }

    static std::string fields_in(Value const& object) { return measure::json_text(*object.find("properties")); }

    std::string text_ = "| field | type | unit | meaning |\n| --- | --- | --- | --- |\n";
    std::map<std::string, std::string> seen_{};  ///< by content of an object: the first name with this content
};

}  // namespace

Value document(std::string_view name, Value const& fields) {
    Value::Object object{{"document", name}, {"schema", 1}, {"version", measure::version()}};
    for (auto const& member : std::get<Value::Object>(fields.data()))
        object.push_back(member);
    return object;
}

Value schema_of(DocumentKind const& kind) {
    auto object = schema::of_type("object");
    if (kind.form == DocumentKind::Form::whole) {
        schema::add(object, "document", Value::Object{{"const", kind.name}}, "kind of the document");
        schema::add(object, "schema", Value::Object{{"const", 1}}, "version of this layout");
        schema::add(object, "version", schema::of_type("string"), "version of libmeasure that wrote it");
    }
    schema::add_all(object, kind.schema());
    Value::Object result{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                         {"title", fmt::format("{} ({})", kind.name, kind.command)}};
    for (auto const& member : std::get<Value::Object>(object.data()))
        result.push_back(member);
    return result;
}

std::string field_table(DocumentKind const& kind) {
    Rows rows;
    rows.add("", kind.schema());
    return rows.text();
}

}  // namespace measure::tool
