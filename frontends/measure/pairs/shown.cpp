// SPDX-License-Identifier: BSD-3-Clause
#include "pairs/shown.hpp"

#include "pairs/together.hpp"
#include "program/runtime/signals.hpp"

#include <measure/mpi_error.hpp>

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <ctime>
#include <exception>
#include <utility>

namespace measure::tool::pairs {

namespace {

ShownRow own_row(Result const& result, Part const& part, int node) {
    bool const is_latency = part.quantity == Metric::latency;
    ShownRow row;
    row.values.reserve(result.nodes.size());
    for (auto const& values : result.tournaments[part.tournament].values.row(node))
        row.values.push_back(is_latency ? PairValues{.latency = values.latency}
                                        : PairValues{.up = values.up, .down = values.down});
    auto const judged = std::find_if(result.judged.begin(), result.judged.end(),
                                     [&](Judged const& each) { return each.quantity == part.quantity; });
    if (part.tournament > 0 || judged == result.judged.end())
        return row;
    auto const copy = [&](Rows<double> const& rows) {
        auto const values = rows.row(node);
        return std::vector<double>(values.begin(), values.end());
    };
    row.logs = copy(judged->logs);
    row.residuals = copy(judged->fit.residuals);
    if (judged->has_reference())
        row.reference = copy(judged->reference);
    return row;
}

/// Lists packed into one vector, each preceded by its length.
class Packed {
public:
    explicit Packed(std::vector<double> numbers = {}) : numbers_{std::move(numbers)} {}

    void add(std::vector<double> const& list) {
        numbers_.push_back(static_cast<double>(list.size()));
        numbers_.insert(numbers_.end(), list.begin(), list.end());
    }
    std::vector<double> next() {
        auto const begin = numbers_.begin() + at_ + 1;
        auto const count = static_cast<std::ptrdiff_t>(numbers_[static_cast<std::size_t>(at_)]);
        at_ += count + 1;
        return {begin, begin + count};
    }
    [[nodiscard]] bool is_over() const noexcept { return static_cast<std::size_t>(at_) == numbers_.size(); }
    [[nodiscard]] std::vector<double> const& numbers() const noexcept { return numbers_; }

private:
    std::vector<double> numbers_;
    std::ptrdiff_t at_ = 0;
};

std::vector<double> packed(ShownRow const& row) {
    Packed all;
    for (auto const* list : {&row.logs, &row.residuals, &row.reference})
        all.add(*list);
    for (auto const& pair : row.values)
        for (auto const* list : {&pair.latency, &pair.up, &pair.down})
            all.add(*list);
    return all.numbers();
}

ShownRow unpacked(std::vector<double> numbers) {
    Packed all{std::move(numbers)};
    ShownRow row;
    for (auto* list : {&row.logs, &row.residuals, &row.reference})
        *list = all.next();
    while (!all.is_over()) {
        auto& pair = row.values.emplace_back();
        for (auto* list : {&pair.latency, &pair.up, &pair.down})
            *list = all.next();
    }
    return row;
}

/// The root's request for a row.
struct Question {
    bool is_last = true;  ///< no more requests; the other members are ignored
    Part part{};
    int node = 0;
};

/// The root may write for minutes. A waiting rank sleeps instead of spinning, and does not exit because of a signal.
Question next_question(measure::Comm const& world) {
    constexpr long nap_ns = 200000;
    Question asked;
    MPI_Request request = MPI_REQUEST_NULL;
    measure::check(MPI_Irecv(&asked, sizeof asked, MPI_BYTE, 0, rows_tag, world.internal(), &request), "MPI_Irecv");
    for (int is_there = 0;;) {
        measure::check(MPI_Test(&request, &is_there, MPI_STATUS_IGNORE), "MPI_Test");
        if (is_there != 0)
            return asked;
        program::put_off_exit();
        timespec const nap{0, nap_ns};
        nanosleep(&nap, nullptr);
    }
}

void serve(measure::Comm const& world, Result const& result) {
    for (;;) {
        auto const asked = next_question(world);
        if (asked.is_last)
            return;
        send_values(world, packed(own_row(result, asked.part, asked.node)), 0);
    }
}

}  // namespace

RowOf own_rows(Result const& result) {
    return [&result](Part const& part, int node) { return own_row(result, part, node); };
}

void show_rows(measure::Comm const& world, Result const& result, std::function<void(RowOf const&)> const& show) {
    if (!world.is_root()) {
        serve(world, result);
        return;
    }
    auto const ask = [&](int rank, Question const& question) {
        world.send(&question, sizeof question, rank, rows_tag);
    };
    std::exception_ptr failure;
    try {
        show([&](Part const& part, int node) {
            int const rank = result.nodes[index(node)].rank;
            if (rank == 0)
                return own_row(result, part, node);
            ask(rank, {false, part, node});
            return unpacked(receive_values<double>(world, rank));
        });
    } catch (...) {
        failure = std::current_exception();
    }
    for (int rank = 1; rank < world.size(); ++rank)
        ask(rank, {});
    if (failure)
        std::rethrow_exception(failure);
}

}  // namespace measure::tool::pairs
