// SPDX-License-Identifier: BSD-3-Clause
#include "program/engine/program_options.hpp"

#include "program/cli/values.hpp"
#include "program/engine/campaign.hpp"

#include <measure/error.hpp>
#include <measure/refine.hpp>
#include <measure/timer.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>
#include <utility>

namespace program::engine {

namespace {

using measure::UsageError;
using program::Argument;
using Coordinate = measure::Point::Coordinate;
namespace as = program::as;

constexpr double most_values = 1e6;                    // values of a single range
constexpr std::int64_t exact = std::int64_t{1} << 53;  // ranges are calculated in doubles
constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
constexpr std::string_view digits = "0123456789";

std::int64_t whole(Argument const& argument, bool is_ranks) {
    return is_ranks ? std::int64_t{as::Int{.low = 1}(argument)} : as::Size{}(argument);
}

/// A number with a time unit is a duration in seconds; a number without unit is taken unchanged.
double number(Argument const& argument) {
    bool const has_unit = argument.value.ends_with('s') || argument.value.ends_with("min");
    return has_unit ? as::Duration{}(argument).count() : as::Number{}(argument);
}

/// LOW..HIGH, LOW..HIGH:*F or LOW..HIGH:+S.
std::vector<std::int64_t> range(Argument const& argument, std::size_t dots, bool is_ranks) {
    auto const part = [&](std::string text) { return Argument{argument.option, std::move(text)}; };
    std::string const& text = argument.value;
    std::size_t const colon = std::min(text.find(':', dots), text.size());
    auto const low = whole(part(text.substr(0, dots)), is_ranks);
    auto const high = whole(part(text.substr(dots + 2, colon - dots - 2)), is_ranks);
    if (low > high)
        throw UsageError(fmt::format("{}: '{}' is a descending range", argument.option, text));
    if (high > exact)
        throw UsageError(fmt::format("{}: '{}' ends above 2^53", argument.option, text));
    std::string const step = colon == text.size() ? "*2" : text.substr(colon + 1);
    if (step.empty() || (step.front() != '*' && step.front() != '+'))
        throw UsageError(fmt::format("{}: '{}' is not a range (LOW..HIGH, LOW..HIGH:*FACTOR or LOW..HIGH:+STEP)",
                                     argument.option, text));
    bool const adds = step.front() == '+';
    double const by = adds ? static_cast<double>(as::Size{.low = 1}(part(step.substr(1))))
                           : as::Number{.low = 1, .above_low = true}(part(step.substr(1)));
    double const steps =
        adds ? static_cast<double>(high - low) / by
             : std::log(static_cast<double>(high) / static_cast<double>(std::max<std::int64_t>(low, 1))) / std::log(by);
    if (steps > most_values)
        throw UsageError(fmt::format("{}: '{}' has more than {:.0f} values", argument.option, text, most_values));
    return adds ? measure::linear_points(low, high, by) : measure::geometric_points(low, high, by);
}

void append(std::vector<Coordinate>& values, Argument const& item, measure::Axis const& like) {
    Coordinate const& type = like.values.front();
    if (std::holds_alternative<std::string>(type)) {
        values.emplace_back(as::Text{}(item));
    } else if (std::holds_alternative<bool>(type)) {
        values.emplace_back(as::Choice<bool>{{{"true", true}, {"false", false}}}(item));
    } else if (std::holds_alternative<double>(type)) {
        values.emplace_back(number(item));
    } else if (auto const dots = item.value.find(".."); dots != std::string::npos) {
        for (auto const x : range(item, dots, like.name == ranks_axis))
            values.emplace_back(x);
    } else {
        values.emplace_back(whole(item, like.name == ranks_axis));
    }
}

/// "1, 2, 4" or "1 .. 1024, 11 values"
std::string values_text(std::vector<Coordinate> const& values) {
    constexpr std::size_t few = 6;
    std::vector<std::string> texts;
    for (auto const& value : values)
        texts.push_back(measure::coordinate_text(value));
    return texts.size() <= few ? fmt::format("{}", fmt::join(texts, ","))
                               : fmt::format("{} .. {}, {} values", texts.front(), texts.back(), texts.size());
}

std::string option_name(std::string_view axis) {
    std::string name = "--";
    for (char const c : axis)
        name += c == '_' ? '-' : c;
    return name;
}

void check(measure::Axis const& axis) {
    if (axis.name.size() < 2 || axis.name.find_first_not_of(fmt::format("{}{}_", letters, digits)) != std::string::npos)
        throw UsageError(fmt::format("'{}' is not a valid axis name (letters, digits and _, at least two)", axis.name));
    if (axis.name == benchmark_axis || axis.name == benchmarks_option)
        throw UsageError(fmt::format("'{}' cannot be an axis: this name is reserved for the benchmarks", axis.name));
    if (axis.values.empty())
        throw UsageError(fmt::format("axis '{}' has no values", axis.name));
    bool const alike = std::all_of(axis.values.begin(), axis.values.end(), [&](Coordinate const& value) {
        return value.index() == axis.values.front().index();
    });
    if (!alike)
        throw UsageError(fmt::format("axis '{}' mixes values of different types", axis.name));
    if (axis.name == ranks_axis && !std::holds_alternative<std::int64_t>(axis.values.front()))
        throw UsageError(fmt::format("axis '{}' needs integer values", axis.name));
}

/// The record format requires a version of three numbers.
void check_version(std::string const& version) {
    auto const parts = program::split(version, '.');
    bool const right = parts.size() == 3 && std::all_of(parts.begin(), parts.end(), [](std::string const& part) {
                           return !part.empty() && part.find_first_not_of("0123456789") == std::string::npos;
                       });
    if (!version.empty() && !right)
        throw UsageError(fmt::format("the version '{}' is not of the form 1.2.3", version));
}

/// Names must differ in more than letter case, which the command line ignores.
void check_benchmarks(measure::Program const& program) {
    std::set<std::string> names;
    for (auto const& benchmark : program.benchmarks)
        if (benchmark.name.empty() || !names.insert(program::lower(benchmark.name)).second)
            throw UsageError(fmt::format("the benchmark name '{}' is empty or used twice", benchmark.name));
    if (names.empty())
        throw UsageError("the program has no benchmark");
    auto const is_reference = [&](measure::Benchmark const& each) { return each.name == program.reference; };
    if (!program.reference.empty() && std::none_of(program.benchmarks.begin(), program.benchmarks.end(), is_reference))
        throw UsageError(fmt::format("the reference '{}' is not a benchmark of the program", program.reference));
}

std::string closing(measure::Program const& program) {
    std::string text = "A LIST consists of values and ranges, separated by commas: 1,1K,1M has three\n"
                       "values; 1..1M doubles, 1..1M:*4 multiplies by 4, 0..64:+16 adds 16.";
    if (program.benchmarks.size() < 2)
        return text;
    text += "\n\nBenchmarks:";
    for (auto const& benchmark : program.benchmarks)
        text += fmt::format("\n  {:<25} {}", benchmark.name, benchmark.summary);
    return text;
}

/// The values of an axis from text: values and ranges, separated by commas. LOW..HIGH doubles, LOW..HIGH:*F multiplies,
/// LOW..HIGH:+S adds; HIGH is always the last value. Integers are sizes with units, except for "ranks". Numbers may be
/// durations. Only integers have ranges.
/// \param like  an axis of that name with values of the required type
/// \throws measure::UsageError
std::vector<Coordinate> axis_values(Argument const& argument, measure::Axis const& like) {
    std::vector<Coordinate> values;
    for (auto const& item : program::split(argument.value, ','))
        append(values, {argument.option, item}, like);
    std::set<Coordinate> seen;
    for (auto const& value : values)
        if (!seen.insert(value).second)
            throw UsageError(fmt::format("{}: '{}' contains {} twice", argument.option, argument.value,
                                         measure::coordinate_text(value)));
    return values;
}

}  // namespace

Options defaults(measure::Program const& program) {
    if (program.name.empty())
        throw UsageError("the program has no name");
    check_version(program.version);
    check_benchmarks(program);
    Options options{
        .axes = program.axes, .refine = program.refine ? program.refine->tolerance : 0, .form = program.form};
    bool const has_ranks = std::any_of(program.axes.begin(), program.axes.end(),
                                       [](measure::Axis const& axis) { return axis.name == ranks_axis; });
    if (!has_ranks)
        options.axes.insert(options.axes.begin(), {ranks_axis, {std::int64_t{0}}});
    for (auto const& axis : options.axes)
        check(axis);
    options.given = options.axes;
    return options;
}

program::CommonUse common_use(measure::Program const& program) {
    program::CommonUse use{.sync_alg = true,
                           .start = true,
                           .plan = true,
                           .seed = true,
                           .strict = true,
                           .epochs = true,
                           .settle = true,
                           .shuffle = true,
                           .list = true,
                           .config = true};
    use.aliases = program.aliases;
    use.defaults.timer = program.plan.timer.name();
    if (has_own_timer(program.plan))
        use.timers = {use.defaults.timer};
    use.defaults.start = measure::name(program.plan.start);
    if (auto const sync = sync_of(program.plan.start))
        use.defaults.sync_alg = measure::name(*sync);
    use.defaults.epochs = program.plan.epochs;
    use.defaults.settle = program.plan.settling.has_value();
    return use;
}

namespace {

struct AxisValues {
    measure::Axis const& axis;
    std::vector<Coordinate> operator()(Argument const& argument) const { return axis_values(argument, axis); }
    [[nodiscard]] std::string text(std::vector<Coordinate> const& values) const {
        bool const is_world = axis.name == ranks_axis && values == std::vector<Coordinate>{std::int64_t{0}};
        return is_world ? "all" : values_text(values);
    }
};

}  // namespace

void declare(program::Parser& parser, measure::Program const& program, Options& options) {
    parser.heading("Parameters");
    for (std::size_t i = 0; i < options.axes.size(); ++i) {
        auto const& axis = options.axes[i];
        parser.option(option_name(axis.name), "LIST",
                      axis.name == ranks_axis ? "measure with these numbers of ranks"
                                              : "measure these values of " + axis.name,
                      options.given[i].values, AxisValues{axis});
    }
    parser.option("--refine", "EPS",
                  fmt::format("add values of {} where interpolation is off by more than this fraction, 0 = add none",
                              options.axes.back().name),
                  options.refine, as::Number{.low = 0});
    as::Choice<measure::TableForm> forms;
    for (auto const form : {measure::TableForm::text, measure::TableForm::dat, measure::TableForm::csv,
                            measure::TableForm::tsv, measure::TableForm::markdown, measure::TableForm::html})
        forms.choices.emplace_back(measure::name(form), form);
    parser.option("--format", "NAME", "choose the format of the table: text, dat, csv, tsv, markdown, html",
                  options.form, forms);
    if (program.benchmarks.size() > 1)
        parser.arguments("NAME...", "benchmarks to measure (default all)", options.names);
    parser.closing(closing(program));
}

}  // namespace program::engine
