// SPDX-License-Identifier: BSD-3-Clause
#include "launching/loop.hpp"

#include "program/runtime/files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <stdexcept>
#include <utility>

namespace measure::tool {

Loop::Loop(program::Session& session, std::size_t sides, Order const& order, Clock::time_point begin)
    : session_{session}, sides_{sides}, order_{order}, begin_{begin} {}

int Loop::complete() const noexcept { return *std::min_element(complete_.begin(), complete_.begin() + sides_); }

void Loop::go_on(std::size_t side, int complete, int last) noexcept {
    complete_[side] = complete;
    numbers_[side] = last;
}

bool Loop::round() {
    auto const order = sides_of_round(order_, numbers_[0]);
    for (std::size_t place = 0; place < sides_; ++place) {
        one(order[place]);
        if (!goes_on(order[place]))
            return false;
    }
    return true;
}

void Loop::one(std::size_t side) {
    Turn const turn{side, ++numbers_[side]};
    static_cast<void>(session_.meet());
    announce(turn);
    auto result = started(turn);
    if (!result.failure.empty()) {
        ++failed_[side];
        late_[side] += result.is_late ? 1 : 0;
        failed(turn, result);
        return;
    }
    failed_[side] = 0;
    late_[side] = 0;
    int const before = complete();
    keep(turn, std::move(result));
    ++complete_[side];
    if (complete() > before)
        session_.done();
}

CommandLoop::CommandLoop(program::Session& session, std::size_t sides, Order const& order, Extent const& extent,
                         std::string_view things, std::span<std::string const> kept)
    : Loop{session, sides, order}, extent_{extent}, things_{things} {
    for (std::size_t side = 0; side < kept.size(); ++side)
        kept_[side] = program::open_file(session.world(), kept[side], "--keep");
}

void CommandLoop::run() {
    while (complete() < in_all())
        static_cast<void>(round());
}

void CommandLoop::announce(Turn const& turn) {
    session().plan(in_all(), things_);
    session().next(step_of(turn));
}

Started CommandLoop::started(Turn const& turn) {
    auto order = order_of(turn);
    order.number = turn.number;
    order.record = record_.path();
    return start(order);
}

void CommandLoop::failed(Turn const& turn, Started const& started) {
    throw std::runtime_error(fmt::format("{} {}{}", name_of(turn), started.failure, advice(started)));
}

void CommandLoop::keep(Turn const& turn, Started&& started) {
    if (started.is_incomplete) {
        session().warn(fmt::format("{} is incomplete", name_of(turn)));
        session().incomplete();
    }
    auto& kept = kept_[turn.side];
    kept.begin();
    kept.stream() << started.text;
    kept.finish();
    std::move(started.launches.begin(), started.launches.end(), std::back_inserter(launches_[turn.side]));
}

}  // namespace measure::tool
