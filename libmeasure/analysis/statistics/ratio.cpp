// SPDX-License-Identifier: BSD-3-Clause
#include "measure/record.hpp"
#include "measure/statistics.hpp"

#include <algorithm>
#include <cmath>

namespace measure {

namespace {

/// What the mean of a record is made of: its epochs where it has several, otherwise its samples.
std::int64_t observations(Record const& record) {
    auto const* const epochs = record.derived.find("epochs");
    auto const* const array = epochs != nullptr ? std::get_if<Value::Array>(&epochs->data()) : nullptr;
    return array != nullptr && array->size() > 1 ? static_cast<std::int64_t>(array->size()) : record.kept;
}

}  // namespace

std::optional<Ratio> ratio(Record const& over, Record const& under) {
    if (!over.value || !under.value || *under.value <= 0)
        return std::nullopt;
    Ratio r{.value = *over.value / *under.value};
    auto const& a = over.estimate;
    auto const& b = under.estimate;
    if (!a || !b || !a->standard_error || !b->standard_error || a->value <= 0)
        return r;
    r.confidence = a->confidence;
    r.standard_error = r.value * std::hypot(*a->standard_error / a->value, *b->standard_error / b->value);
    auto const lesser = std::min(observations(over), observations(under));
    // Fewer than two observations leave a width undefined.
    double const width =
        lesser < 2 ? 0 : student_quantile(r.confidence, static_cast<double>(lesser - 1)) * *r.standard_error;
    r.interval = {r.value - width, r.value + width};
    return r;
}

std::optional<Ratio> ratio_in_turn(Record const& over, Record const& under, std::optional<Ratio> const& times) {
    auto const plain = ratio(over, under);
    if (!plain || !times || is_rate(over.quantity) != is_rate(under.quantity))
        return plain;
    if (is_rate(over.quantity))
        return inverse(*times);
    return over.quantity == Quantity::time && under.quantity == Quantity::time ? times : plain;
}

Value describe(Ratio const& ratio, std::string_view of) {
    auto const& interval = ratio.interval;
    return Value::Object{{"of", of},
                         {"value", ratio.value},
                         {"standard_error", ratio.standard_error},
                         {"interval", interval ? Value{Value::Array{interval->first, interval->second}} : Value{}},
                         {"confidence", ratio.confidence}};
}

}  // namespace measure
