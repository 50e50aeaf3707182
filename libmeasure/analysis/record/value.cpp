// SPDX-License-Identifier: BSD-3-Clause
#include "measure/error.hpp"
#include "measure/record.hpp"

#include <algorithm>

namespace measure {

namespace {

/// First member of that name in an object, const or not; end() if it is missing.
auto member(auto& object, std::string_view key) {
    return std::find_if(object.begin(), object.end(), [&](auto const& m) { return m.first == key; });
}

}  // namespace

Value::Value() : data_{nullptr} {}
Value::Value(std::nullptr_t) : data_{nullptr} {}
Value::Value(Kind<bool> b) : data_{b.value} {}
Value::Value(Kind<std::int64_t> i) : data_{i.value} {}
Value::Value(Kind<double> d) : data_{d.value} {}
Value::Value(seconds t) : data_{t.count()} {}
Value::Value(char const* s) : data_{std::string{s}} {}
Value::Value(std::string_view s) : data_{std::string{s}} {}
Value::Value(std::string s) : data_{std::move(s)} {}
Value::Value(Array a) : data_{std::move(a)} {}
Value::Value(Object o) : data_{std::move(o)} {}
Value::Value(Value const&) = default;
Value::Value(Value&&) noexcept = default;
Value& Value::operator=(Value const&) = default;
Value& Value::operator=(Value&&) noexcept = default;
Value::~Value() = default;

bool Value::is_null() const noexcept { return std::holds_alternative<std::nullptr_t>(data_); }

Value& Value::operator[](std::string_view key) {
    if (is_null())
        data_ = Object{};
    auto* const object = std::get_if<Object>(&data_);
    if (object == nullptr)
        throw UsageError("member '" + std::string{key} + "' of a value that is not an object");
    if (auto const found = member(*object, key); found != object->end())
        return found->second;
    return object->emplace_back(key, Value{}).second;
}

Value const* Value::find(std::string_view key) const noexcept {
    auto const* const object = std::get_if<Object>(&data_);
    if (object == nullptr)
        return nullptr;
    auto const found = member(*object, key);
    return found == object->end() ? nullptr : &found->second;
}

std::string Value::text(std::string_view key) const {
    auto const* const found = get<std::string>(key);
    return found != nullptr ? *found : std::string{};
}

std::optional<double> Value::number(std::initializer_list<std::string_view> path) const noexcept {
    auto const* value = this;
    for (auto const key : path)
        if ((value = value->find(key)) == nullptr)
            return std::nullopt;
    if (auto const* const integer = std::get_if<std::int64_t>(&value->data_))
        return static_cast<double>(*integer);
    auto const* const real = std::get_if<double>(&value->data_);
    return real != nullptr ? std::optional{*real} : std::nullopt;
}

}  // namespace measure
