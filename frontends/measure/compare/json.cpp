// SPDX-License-Identifier: BSD-3-Clause
/// The fields of the document of `measure compare`.
#include "analysis/compare/controls.hpp"
#include "compare/report.hpp"
#include "shared/documents.hpp"

#include <iterator>

namespace measure::tool {

template <>
inline constexpr auto fields<Launch> =
    std::array{field<&Launch::name>("name", "name of the launch"),
               field<&Launch::record, &RunRecord::run, &Environment::program>("program", "program"),
               field<[](Launch const& l) {
                   auto const& started = l.record.run.started;
                   return or_null(started);
               }>("started", "time of the launch, ISO 8601; null if unknown"),
               field<&Launch::record, &RunRecord::run, &Environment::mpi_library>("mpi", "MPI library; null if none"),
               field<&Launch::record, &RunRecord::run, &Environment::ranks>("ranks", "processes")};

template <>
inline constexpr auto fields<Difference> =
    std::array{field<&Difference::field>("field", "field of the run line"),
               field<&Difference::text>("text", "sentence"),
               field<&Difference::serious>("serious", "the measured values depend on it")};

template <>
inline constexpr auto fields<CompareRules> = std::array{
    field<&CompareRules::alpha>("alpha", "probability of a false alarm at any of the operations", "1"),
    field<&CompareRules::threshold>("threshold", "smallest change that matters", "1"),
    field<&CompareRules::own_noise>("own_noise", "the spread of the launches of either side is a noise floor"),
    field<&CompareRules::single>("single", "ratios and intervals also for single launches"),
    field<&CompareRules::by, or_null>("by", "dimension that groups points")};

/// A state of the machine with the launches of both sides.
struct SharedState {
    std::size_t number = 0;
    std::vector<std::pair<std::string, double>> centres{};
    std::size_t n_a = 0;
    std::size_t n_b = 0;
};
template <>
inline constexpr auto fields<SharedState> =
    std::array{field<&SharedState::number>("state", "number of the state: 1, 2, .."),
               field<&SharedState::centres>("centres", "by control: typical value in this state"),
               field<&SharedState::n_a>("n_a", "launches of A in this state"),
               field<&SharedState::n_b>("n_b", "launches of B in this state")};

template <>
inline constexpr auto fields<ControlChange> =
    std::array{field<&ControlChange::control>("benchmark", "measurement that no MPI library can change"),
               field<&ControlChange::ratio>("ratio", "B over A", "1"),
               field<&ControlChange::differs>("changed", "the machine differs between the sides")};

template <>
inline constexpr auto fields<StateChange> =
    std::array{field<[](StateChange const& c) { return c.state + 1; }>("state", "number of the state"),
               field<&StateChange::a>("a", "median of A", "`unit`"),
               field<&StateChange::b>("b", "median of B", "`unit`"),
               field<&StateChange::n_a>("n_a", "launches of A"),
               field<&StateChange::n_b>("n_b", "launches of B"),
               field<&StateChange::ratio>("ratio", "B over A", "1"),
               field<&StateChange::interval>("interval", "confidence interval of the ratio", "1"),
               field<&StateChange::p>("adjusted_p", "p value, adjusted for the operations and the states"),
               field<&StateChange::verdict>("verdict", "verdict in this state")};

template <>
inline constexpr auto fields<PointName> =
    std::array{field<&PointName::group, or_null>("group", "value of the dimension of --by", "", Present::if_set),
               field<&PointName::benchmark>("benchmark", "name"), field<&PointName::at>("at", "coordinates by name"),
               field<&PointName::quantity>("quantity", "kind of quantity"),
               field<[](PointName const& p) { return measure::unit(p.quantity); }>("unit", "unit of `a` and `b`")};

template <>
inline constexpr auto fields<ComparedPoint> = std::array{
    fields_of<&ComparedPoint::point>(),
    field<&ComparedPoint::a>("a", "median over the launches of A", "`unit`"),
    field<&ComparedPoint::b>("b", "median over the launches of B", "`unit`"),
    field<&ComparedPoint::ratio>("ratio", "B over A", "1"),
    field<&ComparedPoint::interval>("interval", "confidence interval of the ratio", "1"),
    field<&ComparedPoint::p>("p", "p value of the Mann-Whitney test; null if not tested"),
    field<&ComparedPoint::adjusted_p>("adjusted_p", "p value, adjusted by Holm"),
    field<&ComparedPoint::floor>("noise_floor", "amount by which launches of one setup differ", "1"),
    field<&ComparedPoint::verdict>("verdict", "faster, slower, higher, lower, same, unclear, one launch or machine"),
    field<&ComparedPoint::why, or_null>("why", "reason for unclear, one launch or machine"),
    field<&ComparedPoint::n_a>("n_a", "launches of A"),
    field<&ComparedPoint::n_b>("n_b", "launches of B"),
    field<&ComparedPoint::by_state>("by_state", "by state of the machine, if states differ in their change"),
    field<&ComparedPoint::remarks>("remarks", "remarks for people")};

/// All points of an operation; values are geometric means over the points.
struct ComparedOperation {
    ComparedPoint all{};
};
template <>
inline constexpr auto fields<ComparedOperation> =
    std::array{fields_of<&ComparedOperation::all>(),
               field<&ComparedOperation::all, &ComparedPoint::points>("points", "number of points")};

template <>
inline constexpr auto fields<MissingPoint> =
    std::array{fields_of<&MissingPoint::point>(),
               field<[](MissingPoint const& p) { return p.in_a ? "a" : "b"; }>("only_in", "a or b"),
               field<&MissingPoint::reason>("reason", "why the other side lacks it")};

template <>
inline constexpr auto fields<GroupMean> =
    std::array{field<&GroupMean::group, or_null>("group", "value of the dimension of --by", "", Present::if_set),
               field<&GroupMean::quantity>("quantity", "kind of quantity"),
               field<&GroupMean::ratio>("ratio", "geometric mean of B over A", "1"),
               field<&GroupMean::points>("points", "points of the mean"),
               field<&GroupMean::missing>("missing", "points on one side only")};

namespace {

std::vector<SharedState> shared_states(SideStates const& states) {
    std::vector<SharedState> all;
    if (!states.found.are_several())
        return all;
    for (std::size_t i = 0; i < states.found.states.size(); ++i) {
        SharedState state{.number = i + 1, .n_a = states.count(0, i), .n_b = states.count(1, i)};
        for (std::size_t k = 0; k < states.found.controls.size(); ++k)
            state.centres.emplace_back(states.found.controls[k], states.found.states[i].centres[k]);
        all.push_back(std::move(state));
    }
    return all;
}

std::vector<ComparedOperation> operations_of(CompareReport const& report) {
    std::vector<ComparedOperation> all;
    for (auto const& operation : report.comparison.operations)
        all.push_back({operation});
    return all;
}

}  // namespace

template <>
inline constexpr auto fields<CompareReport> = std::array{
    field<&CompareReport::command>("command", "words of the command"),
    field<&CompareReport::a>("a", "launches of side A"),
    field<&CompareReport::b>("b", "launches of side B"),
    field<&CompareReport::noise>("noise", "names of the launches that give the noise floor"),
    field<&CompareReport::differences>("differences", "how the conditions of the sides differ"),
    field<&CompareReport::rules>("rules", "rules of the comparison"),
    field<&CompareReport::warnings>("warnings", "warnings"),
    field<&CompareReport::comparison, &Comparison::states, shared_states>(
        "states", "states of the machine, if there are several"),
    field<&CompareReport::comparison, &Comparison::states, &SideStates::found, &MachineStates::launches_in_none>(
        "launches_in_no_state", "number of launches in none of them"),
    field<&CompareReport::comparison, control_changes>("controls", "controls of both sides"),
    field<[](CompareReport const& r) { return counts(r.comparison.operations); }>("operation_counts",
                                                                                  "number of operations by verdict"),
    field<[](CompareReport const& r) { return counts(r.comparison.points); }>("counts", "number of points by verdict"),
    field<operations_of>("operations", "benchmarks over all sizes; `at` has no size"),
    field<&CompareReport::comparison, &Comparison::points>("points", "points of both sides"),
    field<&CompareReport::comparison, &Comparison::missing>("missing", "points of one side"),
    field<&CompareReport::comparison, &Comparison::means>("means", "means over points by group")};

Value compare_json(CompareReport const& report) { return document(comparison_kind().name, report); }

DocumentKind comparison_kind() { return {"comparison", "measure compare --json FILE", object_schema<CompareReport>}; }

}  // namespace measure::tool
