// SPDX-License-Identifier: BSD-3-Clause
/// Together: statistics of values that are distributed over all processes. Collective over `comm`; a process that has
/// all values uses Comm::solo().
#pragma once

#include <measure/comm.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace measure::tool::pairs {

/// Element-wise sums, on all processes. Also shares a value that a single process knows: the others pass zero.
void sum(measure::Comm const& comm, std::vector<double>& values);

/// [set][p] quantiles of each set over the values of all processes, on all processes. Bitwise equal to
/// measure::quantile of all values. NaN for a set without values.
/// Determines the result in steps of eight bits: each step counts the remaining values by their next eight bits, with
/// one sum of 256 numbers per value sought.
/// \param sets  [set] values of this process, not NaN; the same number of sets on all processes  \param ps  0 .. 1
[[nodiscard]] std::vector<std::vector<double>>
quantiles(measure::Comm const& comm, std::vector<std::vector<double>> const& sets, std::span<double const> ps);
/// [set] quantiles for p = 0.5.
[[nodiscard]] std::vector<double> medians(measure::Comm const& comm, std::vector<std::vector<double>> const& sets);

/// Element `rank` of the sorted values of all processes; the smallest for 0.
/// \param mine  values of this process  \param rank  0 .. number of all values - 1
[[nodiscard]] double order_statistic(measure::Comm const& comm, std::vector<double> const& mine, double rank);

/// Tag of messages that are not part of a measurement.
inline constexpr int rows_tag = 4;

/// Sends values to another process. \param to  rank of the receiver
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

/// On the root, the values of all processes in the order of their ranks; empty on the others.
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
