// SPDX-License-Identifier: BSD-3-Clause
#include "skampi/run/argument_sequence.hpp"

#include <algorithm>
#include <cmath>

namespace skampi {
namespace {

struct Initial {
    std::vector<std::int64_t> arguments;
    std::size_t coarsened = 1;
};

Initial initial(Task const& task) {
    if (task.variation == Variation::none || !task.skip.empty())
        return {{task.start}};
    // Far too many steps are reduced before they are listed.
    constexpr double manageable = 1e6;
    double const steps = is_log(task.scale) ? 0 : static_cast<double>(task.end - task.start) / task.step;
    auto const first = static_cast<std::size_t>(std::max(1.0, std::ceil(steps / manageable)));
    Initial result{
        is_log(task.scale)
            ? measure::geometric_points(task.start, task.end, task.step, task.multiple_of)
            : measure::linear_points(task.start, task.end, task.step * static_cast<double>(first), task.multiple_of)};
    result.coarsened = first * measure::thin_out(result.arguments, task.max_steps);
    return result;
}

measure::Refinement refinement(Task const& task) {
    return {.tolerance = task.standard_error,
            .at_most = task.max_steps,
            .multiple_of = task.multiple_of,
            .min_distance = task.min_distance,
            .logarithmic = is_log(task.scale),
            .noise_guard = task.noise_guard};
}

}  // namespace

ArgumentSequence::ArgumentSequence(Task const& task)
    : dynamic_{is_dynamic(task.scale) && task.variation != Variation::none}, refiner_{refinement(task)} {
    auto found = skampi::initial(task);
    initial_ = std::move(found.arguments);
    coarsened_ = found.coarsened;
}

std::optional<std::int64_t> ArgumentSequence::next(bool time_is_up) {
    if (next_ < initial_.size()) {
        if (!time_is_up)
            return initial_[next_++];
        incomplete_ = true;
        stop_ = "limit";
        return std::nullopt;
    }
    if (!dynamic_)
        return std::nullopt;
    auto const argument = refiner_.next();
    max_error_ = refiner_.max_error();
    paper_error_ = refiner_.paper_error();
    if (argument && !time_is_up) {
        ++refined_;
        return argument;
    }
    stop_ = argument ? name(measure::RefinementEnd::limit) : name(refiner_.end());
    return std::nullopt;
}

void ArgumentSequence::add(std::int64_t argument, double time, double half_width) {
    if (dynamic_)
        refiner_.add(argument, time, half_width);
}

}  // namespace skampi
