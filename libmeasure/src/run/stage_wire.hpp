// SPDX-License-Identifier: BSD-3-Clause
/// The values that ranks send to the root after a stage: reduced to maximum and minimum over the ranks, and to sums if
/// means are needed.
#pragma once

#include "measure/comm.hpp"
#include "measure/run.hpp"

#include <cstddef>
#include <vector>

namespace measure::detail {

/// Filled on every rank, joined over the ranks, read on the root.
class StageWire {
public:
    enum Scalar : std::size_t { elapsed, first_late, disagree, threw, stop, page_faults, switches, scalars };
    /// Values of each sample.
    enum Row : std::size_t { invalid, busy, time, end, begin, corrected, rows };
    /// Row of a phase.
    [[nodiscard]] static constexpr std::size_t phase(std::size_t p) noexcept { return rows + p; }

    StageWire(int samples, std::size_t phases, bool with_sums)
        : rows_{rows + phases}, most_(scalars + 2 * rows_ * static_cast<std::size_t>(samples)),
          sums_(with_sums ? rows_ * static_cast<std::size_t>(samples) : 0) {}

    /// Sets a value of this rank.
    void put(Scalar scalar, double value) { most_[scalar] = value; }
    /// Sets the values of a sample of this rank. \param overhead  duration of an empty sample, in seconds
    void put(int sample, LocalSample const& own, double overhead) {
        auto const n = static_cast<double>(own.iterations);
        put(invalid, sample, static_cast<double>(own.invalid));
        put(busy, sample, own.prepare + own.duration);
        put(time, sample, own.duration / n);
        put(end, sample, own.end);
        put(begin, sample, own.begin);
        put(corrected, sample, (own.duration - overhead) / n);
        for (std::size_t p = 0; p < rows_ - rows; ++p)
            put(phase(p), sample, own.phases[p]);
    }

    /// Reduces the values over the ranks. Collective.
    void join(Comm const& comm) {
        comm.reduce_max(most_);
        if (!sums_.empty())
            comm.sum_to_root(sums_);
    }

    /// Values over all ranks, on the root.
    [[nodiscard]] double most(Scalar scalar) const { return most_[scalar]; }
    [[nodiscard]] double most(std::size_t row, int sample) const { return most_[scalars + 2 * at(row, sample)]; }
    [[nodiscard]] double least(std::size_t row, int sample) const { return -most_[scalars + 2 * at(row, sample) + 1]; }
    [[nodiscard]] double sum(std::size_t row, int sample) const { return sums_[at(row, sample)]; }
    [[nodiscard]] InvalidReason worst(int sample) const {
        return static_cast<InvalidReason>(static_cast<int>(most(invalid, sample)));
    }

private:
    [[nodiscard]] std::size_t at(std::size_t row, int sample) const {
        return static_cast<std::size_t>(sample) * rows_ + row;
    }
    /// The minimum is sent as the maximum of the negated value.
    void put(std::size_t row, int sample, double value) {
        most_[scalars + 2 * at(row, sample)] = value;
        most_[scalars + 2 * at(row, sample) + 1] = -value;
        if (!sums_.empty())
            sums_[at(row, sample)] = value;
    }

    std::size_t rows_;
    std::vector<double> most_;
    std::vector<double> sums_;
};

}  // namespace measure::detail
