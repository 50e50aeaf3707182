// SPDX-License-Identifier: BSD-3-Clause
#include "tune/plan.hpp"

#include "program/runtime/files.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace measure::tool::tune {

namespace {

program::as::Choice<Phase> const& phases() {
    static program::as::Choice<Phase> const names{{{"list", Phase::list},
                                                   {"check", Phase::check},
                                                   {"screen", Phase::screen},
                                                   {"decide", Phase::decide},
                                                   {"canary", Phase::canary},
                                                   {"prove", Phase::prove}}};
    return names;
}

program::as::Choice<Via> const& vias() {
    static program::as::Choice<Via> const names{{{"mpi_t", Via::mpi_t}, {"environment", Via::environment}}};
    return names;
}

template <class T>
std::string_view name_in(program::as::Choice<T> const& names, T wanted) noexcept {
    for (auto const& [text, value] : names.choices)
        if (value == wanted)
            return text;
    return {};
}

void read_line(WorkerPlan& plan, std::vector<std::string> words) {
    constexpr std::size_t before_algorithms = 4;
    auto const& key = words.front();
    auto const argument = [&](std::size_t i) { return program::Argument{key, words.at(i)}; };
    if (words.size() < 2)
        throw measure::UsageError(fmt::format("{}: the value is missing", key));
    if (key == "phase")
        plan.phase = phases()(argument(1));
    else if (key == "seed")
        plan.seed = static_cast<std::uint64_t>(program::as::Integer{.low = 0}(argument(1)));
    else if (key == "blocks")
        plan.blocks = program::as::Int{.low = 1}(argument(1));
    else if (key == "via")
        plan.via = vias()(argument(1));
    else if (key == "side")
        plan.side = words[1] == "none" ? "" : words[1];
    else if (key == "point" && words.size() > before_algorithms)
        plan.points.push_back({.place = {words[1], program::as::Int{.low = 1}(argument(2))},
                               .bytes = program::as::Size{}(argument(3)),
                               .algorithms = {words.begin() + before_algorithms, words.end()}});
    else
        throw measure::UsageError(fmt::format("'{}' is not a line of a plan", fmt::join(words, " ")));
}

}  // namespace

std::string_view name(Phase phase) noexcept { return name_in(phases(), phase); }
std::string_view name(Via via) noexcept { return name_in(vias(), via); }

Via via_from(program::Argument const& argument) { return vias()(argument); }

std::string text_of(WorkerPlan const& plan) {
    auto text = fmt::format("phase {}\nseed {}\nblocks {}\nvia {}\nside {}\n", name(plan.phase), plan.seed, plan.blocks,
                            name(plan.via), plan.side.empty() ? "none" : plan.side);
    for (auto const& point : plan.points)
        text += fmt::format("point {} {} {} {}\n", point.place.collective, point.place.ranks, point.bytes,
                            fmt::join(point.algorithms, " "));
    return text;
}

WorkerPlan plan_from(std::string const& text, std::string const& file) {
    WorkerPlan plan;
    program::read_lines(text, file, [&](std::string const& line) { read_line(plan, program::split(line, ' ')); });
    return plan;
}

}  // namespace measure::tool::tune
