// SPDX-License-Identifier: BSD-3-Clause
#include "skampi/parameters/range.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace skampi::keys {
namespace {

class Resolver {
public:
    Resolver(Task& task, Request const& request, Faults& faults) : task_{task}, request_{request}, faults_{faults} {}

    void run() {
        if (task_.variation == Variation::none) {
            if (!skip_without_processes(task_.nodes) && !fits(task_.length, task_.nodes))
                task_.skip = "memory";
            check_root(task_.nodes);
            return;
        }
        task_.start = rounded_up(start());
        bool const is_too_small =
            skip_without_processes(task_.variation == Variation::nodes ? task_.start : std::int64_t{task_.nodes});
        task_.end = rounded_down(end());
        if (!is_ordered() || is_too_small || !is_legal())
            return;
        decide_memory();
        check_root(task_.variation == Variation::nodes ? task_.start : task_.nodes);
        if (task_.skip.empty())
            check_points();
    }

private:
    [[nodiscard]] std::int64_t least() const;
    [[nodiscard]] std::int64_t most() const;
    [[nodiscard]] std::int64_t first() const;
    [[nodiscard]] std::int64_t value(Bound const& bound, std::int64_t by_default) const;
    [[nodiscard]] bool skip_without_processes(std::int64_t needed);
    [[nodiscard]] bool is_ordered();
    [[nodiscard]] bool is_legal();
    void decide_memory();
    void check_root(std::int64_t fewest);
    void check_points();

    [[nodiscard]] std::int64_t rounded_down(std::int64_t x) const { return x - x % task_.multiple_of; }
    [[nodiscard]] std::int64_t rounded_up(std::int64_t x) const {
        return x % task_.multiple_of == 0 ? x : rounded_down(x) + task_.multiple_of;
    }
    /// The start as given or by default, not yet rounded.
    [[nodiscard]] std::int64_t start() const { return value(request_.start, first()); }
    [[nodiscard]] std::int64_t end() const {
        return request_.end.kind == Bound::Kind::none ? most() : value(request_.end, 0);
    }
    /// Whether the end is fixed; otherwise it is the largest feasible argument.
    [[nodiscard]] bool is_end_given() const {
        return request_.end.kind == Bound::Kind::number || request_.end.kind == Bound::Kind::least;
    }

    [[nodiscard]] measure::Bytes needed(measure::Bytes length, std::int64_t nodes) const {
        return buffer_bytes(*task_.routine, length, static_cast<int>(nodes), task_.datatype->size);
    }
    /// Whether the buffers fit in memory, and whether counts, displacements and the size of an attached buffer fit in
    /// MPI's int.
    [[nodiscard]] bool fits(measure::Bytes length, std::int64_t nodes) const {
        constexpr std::int64_t most = std::numeric_limits<int>::max();
        std::int64_t const blocks = is_group(*task_.routine) ? nodes : 1;
        return length / task_.datatype->size <= most / blocks &&
               attached_bytes(*task_.routine, length, static_cast<int>(nodes)) <= most &&
               needed(length, nodes) <= request_.memory;
    }
    /// Whether the buffers fit if the varied parameter has this value.
    [[nodiscard]] bool fits_at(std::int64_t argument) const {
        return fits(task_.variation == Variation::length ? argument : task_.length,
                    task_.variation == Variation::nodes ? argument : task_.nodes);
    }

    Task& task_;
    Request const& request_;
    Faults& faults_;
};

/// The smallest valid argument.
std::int64_t Resolver::least() const {
    return task_.variation == Variation::length  ? 0
           : task_.variation == Variation::nodes ? task_.routine->least_nodes
                                                 : 1;
}

/// The largest feasible argument. It is less than `least` if no argument is feasible.
std::int64_t Resolver::most() const {
    constexpr std::int64_t chunks_per_worker = 10;
    if (task_.variation == Variation::chunks)
        return chunks_per_worker * (request_.processes - 1);
    bool const is_nodes = task_.variation == Variation::nodes;
    std::int64_t const unit = is_nodes ? 1 : task_.multiple_of;
    std::int64_t feasible = 0;  // in units, like too_many
    std::int64_t too_many = (is_nodes ? request_.processes : request_.memory / unit) + 1;
    while (too_many - feasible > 1) {
        std::int64_t const middle = feasible + (too_many - feasible) / 2;
        (fits_at(middle * unit) ? feasible : too_many) = middle;
    }
    return feasible * unit;
}

/// The default start of a range.
std::int64_t Resolver::first() const {
    if (task_.variation == Variation::nodes)
        return std::max(2, task_.routine->least_nodes);
    if (task_.variation == Variation::chunks)
        return 1;
    return is_pair(*task_.routine) ? 0 : task_.multiple_of;
}

std::int64_t Resolver::value(Bound const& bound, std::int64_t by_default) const {
    switch (bound.kind) {
    case Bound::Kind::number:
        return bound.value;
    case Bound::Kind::least:
        return least();
    case Bound::Kind::most:
        return most();
    case Bound::Kind::none:
        break;
    }
    return by_default;
}

/// \returns true if there are too few processes
bool Resolver::skip_without_processes(std::int64_t needed_processes) {
    std::int64_t const fewest = std::max<std::int64_t>(needed_processes, task_.routine->least_nodes);
    if (fewest <= request_.processes)
        return false;
    task_.skip = fmt::format("needs {} processes", fewest);
    return true;
}

/// Checks the two ends as far as possible without the number of processes.
bool Resolver::is_ordered() {
    Bound const& given = request_.start;
    if (given.kind == Bound::Kind::number && given.value < least()) {
        faults_.add(given.place, fmt::format("Start_Argument: {} is out of range (at least {})", given.value, least()));
        return false;
    }
    if (!is_end_given() || task_.start <= task_.end)
        return true;
    faults_.add(given.kind == Bound::Kind::number ? given.place : request_.end.place,
                start() > end() ? fmt::format("Start_Argument {} is greater than End_Argument {}", start(), end())
                                : fmt::format("no multiple of {} between Start_Argument {} and End_Argument {}",
                                              task_.multiple_of, start(), end()));
    return false;
}

bool Resolver::is_legal() {
    if (task_.variation == Variation::nodes && is_end_given() && end() > request_.processes) {
        faults_.add(request_.end.place, fmt::format("End_Argument: {} is out of range (from {} to {} processes)", end(),
                                                    least(), request_.processes));
        return false;
    }
    if (task_.variation == Variation::chunks && task_.start > task_.end) {
        faults_.add(request_.start.place, fmt::format("Start_Argument {} is greater than End_Argument {} ({})",
                                                      task_.start, task_.end, max_value));
        return false;
    }
    return true;
}

void Resolver::decide_memory() {
    if (is_end_given() && !fits_at(task_.end)) {
        measure::Bytes const length = task_.variation == Variation::length ? task_.end : task_.length;
        std::int64_t const nodes = task_.variation == Variation::nodes ? task_.end : task_.nodes;
        measure::Bytes const bytes = needed(length, nodes);
        faults_.add(
            request_.end.place,
            bytes > request_.memory
                ? fmt::format("End_Argument: {} needs {} bytes of buffers, but @MEMORY is {}", task_.end, bytes,
                              request_.memory)
                : fmt::format("End_Argument: {} needs more elements, or a larger attached buffer, than MPI can count",
                              task_.end));
    } else if (task_.start > task_.end || !fits_at(task_.start)) {
        task_.skip = "memory";
    }
}

void Resolver::check_root(std::int64_t fewest) {
    if (task_.skip.empty() && task_.root >= fewest)
        faults_.add(request_.root_place,
                    fmt::format("Root: rank {} does not take part with {} processes", task_.root, fewest));
}

void Resolver::check_points() {
    if (task_.max_steps < 2 && task_.start != task_.end)
        faults_.add(request_.max_steps_place, "Max_Steps: 1 is too few for a range (at least 2)");
    constexpr double most_steps = 1e7;  // before they are reduced to Max_Steps
    auto const first = static_cast<double>(std::max(task_.start, std::int64_t{1}));
    auto const last = static_cast<double>(std::max(task_.end, std::int64_t{1}));
    double const steps =
        is_log(task_.scale) ? std::log(last / first) / std::log(task_.step) : (last - first) / task_.step;
    if (steps > most_steps)
        faults_.add(request_.step_place, fmt::format("Stepwidth: {} is too small for a range from {} to {}", task_.step,
                                                     task_.start, task_.end));
}

}  // namespace

void resolve_range(Task& task, Request const& request, Faults& faults) { Resolver{task, request, faults}.run(); }

}  // namespace skampi::keys
