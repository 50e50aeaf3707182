// SPDX-License-Identifier: BSD-3-Clause
/// Together: what all processes say of values of which each has some. Collective over `comm`; a process that has all of
/// them takes Comm::solo().
#pragma once

#include <measure/comm.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace measure::tool::pairs {

/// Element-wise sums, on all processes. What a single process knows is shared so: the others have zeros there.
void sum(measure::Comm const& comm, std::vector<double>& values);

/// [set][p] quantiles of the values that all processes have of a set, on all of them: to the last bit what
/// measure::quantile says of all values at once. NaN for a set without values.
/// Digit by digit: each step counts how many values go on with which eight bits, which takes one sum of 256 numbers for
/// each value sought. \param sets  [set] values of this process, not NaN; as many sets everywhere  \param ps  0 .. 1
[[nodiscard]] std::vector<std::vector<double>>
quantiles(measure::Comm const& comm, std::vector<std::vector<double>> const& sets, std::span<double const> ps);
/// [set] the same of p = 0.5.
[[nodiscard]] std::vector<double> medians(measure::Comm const& comm, std::vector<std::vector<double>> const& sets);

/// Of the values that all processes have the one of which `rank` are smaller, or alike: the smallest for 0.
/// \param mine  of this process  \param rank  0 .. number of all values - 1
[[nodiscard]] double order_statistic(measure::Comm const& comm, std::vector<double> const& mine, double rank);

/// The tag of messages that are no measurement.
inline constexpr int rows_tag = 4;

/// Sends values to another process. \param to  that receives them
template <class T>
void send_values(measure::Comm const& comm, std::vector<T> const& values, int to) {
    std::size_t const count = values.size();
    comm.send(&count, sizeof count, to, rows_tag);
    if (count > 0)
        comm.send(values.data(), count * sizeof(T), to, rows_tag);
}

template <class T>
[[nodiscard]] std::vector<T> receive_values(measure::Comm const& comm, int from) {
    std::size_t count = 0;
    comm.receive(&count, sizeof count, from, rows_tag);
    std::vector<T> values(count);
    if (count > 0)
        comm.receive(values.data(), count * sizeof(T), from, rows_tag);
    return values;
}

/// On the root the values of all processes in the order of their ranks, on the others nothing.
template <class T>
[[nodiscard]] std::vector<T> collect(measure::Comm const& comm, std::vector<T> mine) {
    auto const counts = comm.gather(mine.size());
    if (!comm.is_root()) {
        if (!mine.empty())
            send_values(comm, mine, 0);
        return {};
    }
    for (int rank = 1; rank < comm.size(); ++rank)
        if (counts[static_cast<std::size_t>(rank)] > 0) {
            auto const more = receive_values<T>(comm, rank);
            mine.insert(mine.end(), more.begin(), more.end());
        }
    return mine;
}

}  // namespace measure::tool::pairs
