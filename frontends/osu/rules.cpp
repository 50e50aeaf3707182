// SPDX-License-Identifier: BSD-3-Clause
#include "osu/rules.hpp"

#include "program/cli/values.hpp"
#include "program/runtime/files.hpp"

#include <measure/error.hpp>
#include <measure/stopping.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace osu {

using measure::Bytes;

namespace {

bool reduces(Row const& row) { return row.collective != nullptr && row.sums(); }

}  // namespace

Counts counts(Row const& row, Options const& options, Bytes bytes, int window) {
    constexpr Bytes large = 8192;
    bool const old = !options.keeps_7_4();
    bool const is_large = bytes > (old && reduces(row) ? 4 * large : large);
    Counts counts{is_large ? 10 : 100, is_large ? 1000 : 10000};
    if (row.is(bandwidth))
        counts = is_large && (old || !row.is(pairs)) ? Counts{2, 20} : Counts{10, 100};
    else if (row.collective != nullptr)
        counts = is_large ? Counts{10, 100} : Counts{old ? 200 : 100, 1000};
    // Keeps the number of messages equal for all windows.
    if (old && options.vary_window)
        counts = {counts.warm_up * 64 / window, counts.iterations * 64 / window};
    return {options.warm_up.value_or(counts.warm_up), options.iterations.value_or(counts.iterations)};
}

namespace {

bool gathers(bodies::Shape const& shape) {
    auto const has_parts = [](bodies::Extent extent) {
        return extent == bodies::Extent::each || extent == bodies::Extent::each_at_root;
    };
    return has_parts(shape.send) || has_parts(shape.receive);
}

SizeRange own_range(Row const& row, Options const& options) {
    bool const old = !options.keeps_7_4();
    Bytes const low = !old ? 1 : reduces(row) ? 4 : row.is(bandwidth) || row.collective != nullptr ? 1 : 0;
    return {low, (row.collective != nullptr ? 1 : 4) * measure::mebi};
}

}  // namespace

Sizes sizes(Row const& row, Options const& options, Type type, int processes) {
    if (row.is_barrier())
        return {{0}, {}};
    if (row.has_one_size())
        return {{mpi(type).size()}, {}};
    auto const own = own_range(row, options);
    Bytes const low = options.sizes.low.value_or(std::min(*own.low, options.sizes.high.value_or(*own.low)));
    Bytes const high = options.sizes.high.value_or(*own.high);
    Bytes const limit = row.collective == nullptr        ? high
                        : gathers(row.collective->shape) ? options.memory / processes
                                                         : options.memory;
    // Version 7.4 does not accumulate zero elements; the older version does.
    bool const sums_elements = row.sums() && (options.keeps_7_4() || row.operation == nullptr);
    bool const may_be_empty = mpi(type).size() == 1 && !sums_elements;
    Sizes sizes;
    for (Bytes bytes = low; bytes <= high; bytes = std::max<Bytes>(2 * bytes, 1)) {
        Bytes const elements = bytes / mpi(type).size();
        Bytes const whole = elements * mpi(type).size();
        if (options.derivation.is_on() ? !sent(options.derivation, elements).empty()
                                       : elements > 0 || (bytes == 0 && may_be_empty)) {
            (whole <= limit ? sizes.measured : sizes.cut).push_back(whole);
            sizes.is_rounded |= whole != bytes;
        }
        if (bytes > high / 2)
            break;
    }
    if (sizes.measured.empty())
        throw measure::UsageError(sizes.cut.empty() ? "-m: no size is left" : "-M: no size fits into this memory");
    return sizes;
}

namespace {

/// Reads lines of two integers: from 0 to `most` and from `least` to `most`. `#` begins a comment.
std::vector<std::pair<int, int>> lines_of_two(std::string const& text, std::string const& file, char const* form,
                                              int least, int most) {
    std::vector<std::pair<int, int>> lines;
    program::read_lines(text, file, [&](std::string const& line) {
        auto const parts = program::split(line, ',');
        if (parts.size() != 2)
            throw measure::UsageError(fmt::format("'{}' does not have the form {}", line, form));
        auto const read = [&](std::size_t i, int low) {
            return program::as::Int{.low = low, .high = most}({form, std::string{program::trimmed(parts[i])}});
        };
        lines.emplace_back(read(0, 0), read(1, least));
    });
    if (lines.empty())
        throw measure::UsageError(fmt::format("'{}' has no line of the form {}", file, form));
    return lines;
}

}  // namespace

std::vector<bodies::Edge> edges_from(std::string const& text, std::string const& file, int processes) {
    std::vector<bodies::Edge> edges;
    for (auto const& [from, to] : lines_of_two(text, file, "FROM,TO", 0, processes - 1))
        edges.push_back({from, to});
    return edges;
}

std::vector<Run> runs_from(std::string const& text, std::string const& file) {
    std::vector<Run> runs;
    for (auto const& [at, length] : lines_of_two(text, file, "DISPLACEMENT,LENGTH", 1, std::numeric_limits<int>::max()))
        runs.push_back({at, length});
    return runs;
}

std::vector<Type> types(Row const& row, Options const& options) {
    if (auto given = options.types(); !given.empty())
        return given;
    if (options.keeps_7_4())
        return {Type::mpi_char};
    return {row.has_one_size() ? Type::mpi_long_long : reduces(row) ? Type::mpi_float : Type::mpi_char};
}

std::int64_t batch(Row const& row, Options const& options, Counts const& counts, bool raw) {
    constexpr std::int64_t blocks = 10;
    if (row.pattern == Pattern::threads) {
        // Threads overlap only within a loop of several rounds, so their exchanges cannot be timed singly.
        constexpr std::int64_t rounds = 5;
        auto const least = rounds * std::max(options.teams.sender, options.teams.receiver);
        for (auto n = blocks; n > 1; --n)
            if (counts.iterations % n == 0 && counts.iterations / n >= least)
                return counts.iterations / n;
        return counts.iterations;
    }
    bool const is_split = row.operation != nullptr && counts.iterations % blocks == 0;
    return is_split && options.tails.empty() && !raw ? counts.iterations / blocks : 1;
}

measure::EachPlan published_plan(measure::Plan const& base, Row const& row, Counts const& counts, std::int64_t batch) {
    return {.timer = base.timer,
            .meets = row.meets(),
            // With batches, the operation does its own warm-up.
            .warm_up = batch == 1 ? counts.warm_up : 0,
            .iterations = counts.iterations / batch,
            .combine = row.collective != nullptr ? measure::Combine::mean : measure::Combine::root,
            .control = base.control};
}

measure::Plan synchronised_plan(measure::Plan const& base, Counts const& counts, program::CommonOptions const& common) {
    auto plan = base;
    plan.stop = measure::stop::AnyOf{measure::stop::MedianInterval{.width = 0.05},
                                     measure::stop::Count{.valid = counts.iterations}};
    program::change(plan, common);
    plan.keep = measure::Keep::samples;
    return plan;
}

double tail(std::span<double const> sorted, int percent) {
    auto const rank = sorted.size() * static_cast<std::size_t>(percent) / 100;
    return sorted[rank > 0 ? rank - 1 : 0];
}

bool is_disturbed(std::span<double const> sorted) noexcept {
    if (sorted.size() < 2)
        return false;
    auto const mean = [](std::span<double const> some) {
        return std::accumulate(some.begin(), some.end(), 0.0) / static_cast<double>(some.size());
    };
    constexpr double most = 1.1;
    return mean(sorted) > most * mean(sorted.first(sorted.size() - std::max<std::size_t>(sorted.size() / 100, 1)));
}

double overlap(double overall, double compute, double pure) noexcept { return 100 - 100 * (overall - compute) / pure; }

}  // namespace osu
