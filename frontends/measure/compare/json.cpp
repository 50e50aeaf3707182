// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/compare/controls.hpp"
#include "compare/report.hpp"

#include <measure/environment_info.hpp>

#include <utility>
#include <variant>

namespace measure::tool {

namespace {

using measure::Value;

Value interval_value(std::optional<measure::Interval> const& interval) {
    return interval ? Value{Value::Array{interval->first, interval->second}} : Value{};
}

Value coordinates_value(measure::Point const& at) {
    Value::Object object;
    for (auto const& [key, coordinate] : at.coordinates())
        object.emplace_back(key, std::visit([](auto const& x) { return Value{x}; }, coordinate));
    return object;
}

Value::Object point_value(PointName const& point, bool has_groups) {
    Value::Object object;
    if (has_groups)
        object.emplace_back("group", point.group);
    object.emplace_back("benchmark", point.benchmark);
    object.emplace_back("at", coordinates_value(point.at));
    object.emplace_back("quantity", measure::name(point.quantity));
    object.emplace_back("unit", measure::unit(point.quantity));
    return object;
}

Value compared_value(ComparedPoint const& point, bool has_groups) {
    auto object = point_value(point.point, has_groups);
    Value::Array remarks;
    for (auto const& remark : point.remarks)
        remarks.emplace_back(remark);
    Value::Array by_state;
    for (auto const& change : point.by_state)
        by_state.push_back(Value::Object{{"state", change.state + 1},
                                         {"a", change.a},
                                         {"b", change.b},
                                         {"n_a", change.n_a},
                                         {"n_b", change.n_b},
                                         {"ratio", change.ratio},
                                         {"interval", interval_value(change.interval)},
                                         {"adjusted_p", change.p},
                                         {"verdict", name(change.verdict)}});
    object.insert(object.end(), {{"a", point.a},
                                 {"b", point.b},
                                 {"ratio", point.ratio},
                                 {"interval", interval_value(point.interval)},
                                 {"p", point.p},
                                 {"adjusted_p", point.adjusted_p},
                                 {"noise_floor", point.floor},
                                 {"verdict", name(point.verdict)},
                                 {"why", point.why.empty() ? Value{} : Value{point.why}},
                                 {"n_a", point.n_a},
                                 {"n_b", point.n_b},
                                 {"by_state", std::move(by_state)},
                                 {"remarks", std::move(remarks)}});
    return object;
}

Value operation_value(ComparedPoint const& operation, bool has_groups) {
    auto object = std::get<Value::Object>(compared_value(operation, has_groups).data());
    object.emplace_back("points", operation.points);
    return object;
}

Value missing_value(MissingPoint const& point, bool has_groups) {
    auto object = point_value(point.point, has_groups);
    object.insert(object.end(), {{"only_in", point.in_a ? "a" : "b"}, {"reason", point.reason}});
    return object;
}

Value mean_value(GroupMean const& mean, bool has_groups) {
    Value::Object object;
    if (has_groups)
        object.emplace_back("group", mean.group);
    object.insert(object.end(), {{"quantity", measure::name(mean.quantity)},
                                 {"ratio", mean.ratio},
                                 {"points", mean.points},
                                 {"missing", mean.missing}});
    return object;
}

Value side_value(std::span<Launch const> launches) {
    Value::Array list;
    for (auto const& [name, record, file] : launches)
        list.push_back(Value::Object{{"name", name},
                                     {"program", record.run.program},
                                     {"started", record.run.started.empty() ? Value{} : Value{record.run.started}},
                                     {"mpi", record.run.mpi_library},
                                     {"ranks", record.run.ranks}});
    return list;
}

Value states_value(SideStates const& states) {
    Value::Array all;
    for (std::size_t state = 0; state < states.found.states.size(); ++state) {
        Value::Object centres;
        for (std::size_t i = 0; i < states.found.controls.size(); ++i)
            centres.emplace_back(states.found.controls[i], states.found.states[state].centres[i]);
        all.push_back(Value::Object{{"state", state + 1},
                                    {"centres", std::move(centres)},
                                    {"n_a", states.count(0, state)},
                                    {"n_b", states.count(1, state)}});
    }
    return all;
}

Value control_value(ControlChange const& change, bool) {
    return Value::Object{{"benchmark", change.control}, {"ratio", change.ratio}, {"changed", change.differs}};
}

Value totals_value(std::span<ComparedPoint const> points) {
    Value::Object totals;
    for (auto const& [verdict, number] : counts(points))
        totals.emplace_back(name(verdict), number);
    return totals;
}

Value texts_value(std::vector<std::string> const& texts) {
    Value::Array array;
    for (auto const& text : texts)
        array.emplace_back(text);
    return array;
}

template <class T>
Value list_value(std::vector<T> const& elements, Value (*value)(T const&, bool), bool has_groups) {
    Value::Array array;
    for (auto const& element : elements)
        array.push_back(value(element, has_groups));
    return array;
}

}  // namespace

Value compare_json(CompareReport const& report) {
    auto const& rules = report.rules;
    bool const has_groups = !rules.by.empty();
    Value::Array differences;
    for (auto const& difference : report.differences)
        differences.push_back(
            Value::Object{{"field", difference.field}, {"text", difference.text}, {"serious", difference.serious}});
    return Value::Object{{"document", "comparison"},
                         {"schema", 1},
                         {"version", measure::version()},
                         {"command", texts_value(report.command)},
                         {"a", side_value(report.a)},
                         {"b", side_value(report.b)},
                         {"noise", texts_value(report.noise)},
                         {"differences", std::move(differences)},
                         {"rules", Value::Object{{"alpha", rules.alpha},
                                                 {"threshold", rules.threshold},
                                                 {"own_noise", rules.own_noise},
                                                 {"single", rules.single},
                                                 {"by", has_groups ? Value{rules.by} : Value{}}}},
                         {"warnings", texts_value(report.warnings)},
                         {"states", report.comparison.states.found.are_several()
                                        ? states_value(report.comparison.states)
                                        : Value{Value::Array{}}},
                         {"launches_in_no_state", report.comparison.states.found.launches_in_none()},
                         {"controls", list_value(control_changes(report.comparison), control_value, has_groups)},
                         {"operation_counts", totals_value(report.comparison.operations)},
                         {"counts", totals_value(report.comparison.points)},
                         {"operations", list_value(report.comparison.operations, operation_value, has_groups)},
                         {"points", list_value(report.comparison.points, compared_value, has_groups)},
                         {"missing", list_value(report.comparison.missing, missing_value, has_groups)},
                         {"means", list_value(report.comparison.means, mean_value, has_groups)}};
}

}  // namespace measure::tool
