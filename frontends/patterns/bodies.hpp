// SPDX-License-Identifier: BSD-3-Clause
/// Bodies: the five patterns. Each is a callable for the timed region, whose buffers are allocated by the constructor.
/// The check calls `spoil`, which alters all received data, executes the pattern once more, and asks `fault` for the
/// first error, "" where there is no error.
#pragma once

#include "patterns/blocks.hpp"

#include <measure/comm.hpp>
#include <measure/error.hpp>
#include <measure/mpi_error.hpp>
#include <measure/record.hpp>

#include <fmt/format.h>
#include <mpi.h>

#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace patterns {

/// The other direction of the same dimension.
[[nodiscard]] constexpr int opposite(int way) noexcept { return way ^ 1; }

/// The neighbours of this rank on the grid that MPI_Dims_create makes of all ranks: for each dimension one step down,
/// then one step up. Neighbours beyond an edge are MPI_PROC_NULL; a periodic grid has no edges. Collective.
/// \throws measure::MpiError
[[nodiscard]] inline std::vector<int> neighbours(measure::Comm const& team, int dimensions, bool periodic) {
    std::vector<int> sides(static_cast<std::size_t>(dimensions), 0);
    std::vector<int> const periods(sides.size(), periodic ? 1 : 0);
    measure::check(MPI_Dims_create(team.size(), dimensions, sides.data()), "MPI_Dims_create");
    MPI_Comm made = MPI_COMM_NULL;
    measure::check(MPI_Cart_create(team.native(), dimensions, sides.data(), periods.data(), 0, &made),
                   "MPI_Cart_create");
    auto const grid = team.take(made);
    std::vector<int> found(2 * sides.size());
    for (int d = 0; d < dimensions; ++d) {
        auto* const pair = found.data() + std::ptrdiff_t{2} * d;
        measure::check(MPI_Cart_shift(grid.native(), d, 1, &pair[0], &pair[1]), "MPI_Cart_shift");
    }
    return found;
}

/// Each rank exchanges a block with each of its neighbours on a periodic grid, all at the same time.
class Halo {
public:
    Halo(measure::Comm const& team, measure::Point const& at, int dimensions)
        : comm_{team.native()}, neighbours_{neighbours(team, dimensions, true)}, ways_{2 * dimensions},
          requests_(2 * neighbours_.size()), send_{at, ways_}, receive_{at, ways_} {
        for (int way = 0; way < ways_; ++way)
            send_.fill(way, team.rank(), way);
    }

    int operator()() noexcept {
        auto* next = requests_.data();
        for (int way = 0; way < ways_; ++way)
            MPI_Irecv(receive_.block(way), receive_.size(), MPI_BYTE, neighbour(way), opposite(way), comm_, next++);
        for (int way = 0; way < ways_; ++way)
            MPI_Isend(send_.block(way), send_.size(), MPI_BYTE, neighbour(way), way, comm_, next++);
        return MPI_Waitall(2 * ways_, requests_.data(), MPI_STATUSES_IGNORE);
    }

    void spoil() noexcept { receive_.spoil(); }

    [[nodiscard]] std::string fault() {
        for (int way = 0; way < ways_; ++way)
            if (auto text = receive_.fault(way, neighbour(way), opposite(way)); !text.empty())
                return text;
        return {};
    }

private:
    [[nodiscard]] int neighbour(int way) const noexcept { return neighbours_[static_cast<std::size_t>(way)]; }

    MPI_Comm comm_;
    std::vector<int> neighbours_;
    int ways_;
    std::vector<MPI_Request> requests_;
    Blocks send_;
    Blocks receive_;
};

/// A wavefront over a 2D grid with edges, from the first rank to the last: each rank receives a block from north and
/// west, then sends a block to south and east.
class Sweep {
public:
    Sweep(measure::Comm const& team, measure::Point const& at)
        : comm_{team.native()}, neighbours_{neighbours(team, 2, false)}, send_{at, 2}, receive_{at, 2} {
        if (team.size() < 2)
            throw measure::SkipPoint("needs 2 ranks");
        for (int d = 0; d < 2; ++d)
            send_.fill(d, team.rank(), d);
    }

    int operator()() noexcept {
        for (int d = 0; d < 2; ++d)
            MPI_Recv(receive_.block(d), receive_.size(), MPI_BYTE, before(d), d, comm_, MPI_STATUS_IGNORE);
        MPI_Send(send_.block(0), send_.size(), MPI_BYTE, after(0), 0, comm_);
        return MPI_Send(send_.block(1), send_.size(), MPI_BYTE, after(1), 1, comm_);
    }

    void spoil() noexcept { receive_.spoil(); }

    [[nodiscard]] std::string fault() {
        for (int d = 0; d < 2; ++d)
            if (before(d) != MPI_PROC_NULL)
                if (auto text = receive_.fault(d, before(d), d); !text.empty())
                    return text;
        return {};
    }

private:
    [[nodiscard]] int before(int d) const noexcept { return neighbours_[static_cast<std::size_t>(2 * d)]; }
    [[nodiscard]] int after(int d) const noexcept { return neighbours_[static_cast<std::size_t>(2 * d + 1)]; }

    MPI_Comm comm_;
    std::vector<int> neighbours_;
    Blocks send_;
    Blocks receive_;
};

/// Each rank sends a block to each rank, as between two passes of a parallel FFT.
class Transpose {
public:
    Transpose(measure::Comm const& team, measure::Point const& at)
        : comm_{team.native()}, rank_{team.rank()}, ranks_{team.size()}, send_{at, ranks_}, receive_{at, ranks_} {
        for (int to = 0; to < ranks_; ++to)
            send_.fill(to, rank_, to);
    }

    int operator()() noexcept {
        return MPI_Alltoall(send_.all(), send_.size(), MPI_BYTE, receive_.all(), receive_.size(), MPI_BYTE, comm_);
    }

    void spoil() noexcept { receive_.spoil(); }

    [[nodiscard]] std::string fault() {
        for (int from = 0; from < ranks_; ++from)
            if (auto text = receive_.fault(from, from, rank_); !text.empty())
                return text;
        return {};
    }

private:
    MPI_Comm comm_;
    int rank_;
    int ranks_;
    Blocks send_;
    Blocks receive_;
};

/// Two sums over all ranks, available on all ranks: the dot products of an iteration of a Krylov solver.
class Dot {
public:
    using Numbers = std::array<double, 2>;

    Dot(measure::Comm const& team, measure::Point const&)
        : comm_{team.native()}, ranks_{static_cast<double>(team.size())}, mine_{team.rank() + 1.0, 1.0} {}

    int operator()() noexcept { return MPI_Allreduce(mine_.data(), sum_.data(), 2, MPI_DOUBLE, MPI_SUM, comm_); }

    void spoil() noexcept { sum_ = {-1, -1}; }

    [[nodiscard]] std::string fault() const {
        Numbers const right{ranks_ * (ranks_ + 1) / 2, ranks_};
        if (sum_ == right)
            return {};
        return fmt::format("the sums are {} and {}, not {} and {}", sum_[0], sum_[1], right[0], right[1]);
    }

private:
    MPI_Comm comm_;
    double ranks_;
    Numbers mine_;
    Numbers sum_{};
};

}  // namespace patterns
