// SPDX-License-Identifier: BSD-3-Clause
#include "tune/context.hpp"

#include "program/runtime/output_file.hpp"
#include "shared/inputs.hpp"
#include "tune/library/rule_file.hpp"

#include <measure/shuffle.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <span>
#include <stdexcept>
#include <utility>

namespace measure::tool::tune {

void Context::next(std::string const& what) {
    step = what;
    session.next(what);
    session.done();
}

void Context::exclude(Item const& item, measure::Record const& record) {
    bool const at_this_size = record.status == measure::PointStatus::skipped;
    // An error at one size excludes the algorithm at all sizes. The text names the size.
    auto const seen = at_this_size || item.bytes == 0 ? "" : fmt::format(" (at{})", size_text(item.bytes));
    exclude(item, record.message + seen, at_this_size);
}

void Context::exclude(Item const& item, std::string reason, bool at_this_size) {
    if (is_default(item.algorithm))
        throw std::runtime_error(fmt::format("{}{}: the library's own choice fails: {}", item.place.collective,
                                             size_text(item.bytes), reason));
    auto const bytes = at_this_size ? std::optional{item.bytes} : std::nullopt;
    if (std::none_of(out.excluded.begin(), out.excluded.end(), [&](auto const& e) {
            return e.place == item.place && e.algorithm == item.algorithm && e.bytes == bytes;
        }))
        out.excluded.push_back({item.place, item.algorithm, std::move(reason), bytes});
}

std::vector<WorkerPlan> Context::launches_of(WorkerPlan plan) const {
    plan.via = out.via;
    if (plan.via == Via::mpi_t)
        return {std::move(plan)};
    // One launch measures the default of all collectives, because it sets nothing.
    std::vector<WorkerPlan> plans;
    std::map<std::pair<std::string, std::string>, std::size_t> known;
    for (auto const& point : plan.points)
        for (auto const& algorithm : point.algorithms) {
            auto const [place, is_new] =
                known.try_emplace({is_default(algorithm) ? "" : point.place.collective, algorithm}, plans.size());
            if (is_new) {
                plans.push_back(plan);
                plans.back().points.clear();
            }
            plans[place->second].points.push_back({point.place, point.bytes, {algorithm}});
        }
    std::mt19937_64 random{plan.seed};
    measure::shuffle(std::span{plans}, random);
    return plans;
}

Launched const& Context::run(WorkerPlan const& plan) {
    auto const& point = plan.points.front();
    auto const& algorithm = point.algorithms.front();
    auto const family = out.facts.family;
    if (plan.via == Via::mpi_t)
        return launches.run(plan, of_writing(family));
    return launches.run(plan, is_default(algorithm) ? Settings{} : forcing(family, point.place.collective, algorithm));
}

void Context::note_missing(Launched const& launched, Phase phase) {
    for (auto const& record : launched.record.points)
        if (record.status == measure::PointStatus::no_valid_samples) {
            auto& gap = out.gaps[phase];
            ++gap.values;
            gap.example = fmt::format("{} {}: {}", record.benchmark, record.at.text(), record.message);
        }
}

std::string Context::file_text(std::vector<TunedCollective> const& rules) const {
    auto const& facts = out.facts;
    return facts.family == LibraryFamily::mpich ? tuned_tree(base, facts.leaves, rules)
                                                : rule_file(rules, facts.collectives);
}

bool Context::can_be_in_file(std::string const& collective, std::string const& algorithm) const {
    if (out.facts.family == LibraryFamily::mpich)
        return leaf_of(out.facts.leaves, collective, algorithm).has_value();
    return rule_collective(collective).has_value();
}

std::string Context::write_file(std::string const& name, std::string const& text) const {
    auto const path = std::filesystem::absolute(folder.file(name)).string();
    program::write_file(session.world(), path, text);
    return path;
}

}  // namespace measure::tool::tune
