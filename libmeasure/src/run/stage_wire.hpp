// SPDX-License-Identifier: BSD-3-Clause
/// What the ranks tell the root after a stage: numbers of which the most and the least over ranks count, and sums where
/// somebody asks for means.
#pragma once

#include "measure/comm.hpp"
#include "measure/run.hpp"

#include <cstddef>
#include <vector>

namespace measure::detail {

/// Filled on every rank, joined, read on the root.
class StageWire {
public:
    enum Scalar : std::size_t { elapsed, first_late, disagree, threw, stop, page_faults, switches, scalars };
    /// Of each sample.
    enum Row : std::size_t { invalid, busy, time, end, begin, corrected, rows };
    /// The row of a phase.
    [[nodiscard]] static constexpr std::size_t phase(std::size_t p) noexcept { return rows + p; }

    StageWire(int samples, std::size_t phases, bool with_sums)
        : rows_{rows + phases}, most_(scalars + 2 * rows_ * static_cast<std::size_t>(samples)),
          sums_(with_sums ? rows_ * static_cast<std::size_t>(samples) : 0) {}

    /// This rank's.
    void put(Scalar scalar, double value) { most_[scalar] = value; }
    /// \param overhead  of an empty sample, s
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

    /// Collective.
    void join(Comm const& comm) {
        comm.reduce_max(most_);
        if (!sums_.empty())
            comm.sum_to_root(sums_);
    }

    /// Over ranks, on the root.
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
    /// A minimum travels as the maximum of the negative.
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
