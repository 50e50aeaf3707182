// SPDX-License-Identifier: BSD-3-Clause
#include "mpiperf/operations/transfer.hpp"

#include "program/cli/values.hpp"

#include <measure/error.hpp>

#include <fmt/format.h>

namespace mpiperf {

namespace as = program::as;

std::optional<measure::Axis> variants(Messages const& messages, bodies::Shape const* shape) {
    bool const moves = shape != nullptr && shape->element == bodies::Element::byte && !shape->ignores_count;
    if (!moves || !messages.datatype || messages.datatype->name() == bodies::TypeLayout{}.name())
        return std::nullopt;
    return measure::Axis{datatype_axis, {messages.datatype->name(), bodies::TypeLayout{}.name()}};
}

bodies::TypeLayout layout_at(measure::Point const& at) {
    return at.has(datatype_axis) ? bodies::type_layout(at.text(datatype_axis)) : bodies::TypeLayout{};
}

Corruption corruption_from(std::string const& text) {
    std::string const name = "MEASURE_TEST_CORRUPT";
    auto const colon = text.find(':');
    if (colon == std::string::npos)
        throw measure::UsageError(fmt::format("{}: '{}' is not RANK:COUNT", name, text));
    return {as::Int{.low = 0}({name, text.substr(0, colon)}), as::Size{}({name, text.substr(colon + 1)})};
}

bodies::CountLimits limits_from(std::string const& text) {
    std::string const name = "MEASURE_TEST_INT_MAX";
    auto const colon = text.find(':');
    bodies::CountLimits limits;
    limits.largest = as::Integer{.low = 1, .high = limits.largest}({name, text.substr(0, colon)});
    if (colon != std::string::npos) {
        static_cast<void>(program::position({name, text.substr(colon + 1)}, std::vector<std::string>{"chunks"}));
        limits.has_wide_calls = false;
    }
    return limits;
}

CollectiveData collective_data(bodies::Collective const& of, measure::Comm const& team, bodies::Root root,
                               Load const& load) {
    auto const convention = load.convention();
    return {.shape = of.shape,
            .content = of.content,
            .part = {team.rank(), team.size()},
            .root = root,
            .map = load.type.map(),
            .numbers = load.numbers,
            .convention = convention,
            .sizes = bodies::sizes(of.shape, load.count(), team.rank(), team.size(), root, convention)};
}

measure::Value datatype_value(bodies::TypeLayout const& layout, measure::Bytes message) {
    bodies::TypeMap const map{layout, message};
    return measure::Value::Object{
        {"name", layout.name()}, {"payload", message}, {"extent", map.span()}, {"blocks", map.blocks()}};
}

}  // namespace mpiperf
