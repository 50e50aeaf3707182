// Where does my solver spend its time, and on which rank?
// SPDX-License-Identifier: BSD-3-Clause
//
// A Jacobi iteration on a square whose rows are distributed over the ranks. The regions stay in the code permanently:
//
//     mpiexec -n 2 regions_in_an_application                                    nothing is measured
//     MEASURE_REGIONS=jacobi.jsonl mpiexec -n 2 regions_in_an_application       a record per region
#include <measure/regions.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iostream>
#include <utility>
#include <vector>

namespace {

constexpr std::size_t columns = 200;
constexpr std::size_t rows_in_all = 200;
constexpr int steps_at_most = 60;
constexpr int steps_per_check = 10;

class Jacobi {
public:
    /// Regions are registered once, before the loop that enters them.
    Jacobi(MPI_Comm comm, measure::Regions& regions)
        : comm_{comm}, solve_{regions["solve"]}, halo_{regions["halo"]}, sweep_{regions["sweep"]},
          check_{regions["check"]} {
        MPI_Comm_rank(comm, &rank_);
        MPI_Comm_size(comm, &size_);
        auto const share = rows_in_all / static_cast<std::size_t>(size_);
        rows_ = rank_ == size_ - 1 ? rows_in_all - share * static_cast<std::size_t>(size_ - 1) : share;
        old_.assign((rows_ + 2) * columns, 0.0);
        if (rank_ == 0)
            std::fill(old_.begin(), old_.begin() + columns, 1.0);  // the warm edge
        new_ = old_;
    }

    /// Runs the iteration. Returns the largest change in the last step, over all ranks.
    double solve() {
        auto const inside = solve_.enter();
        double change = 0;
        for (int step = 1; step <= steps_at_most; ++step) {
            exchange_halo();
            double const mine = sweep();
            if (step % steps_per_check == 0)
                change = largest(mine);
            std::swap(old_, new_);
        }
        return change;
    }

private:
    void exchange_halo() {
        auto const inside = halo_.enter();
        int const above = rank_ > 0 ? rank_ - 1 : MPI_PROC_NULL;
        int const below = rank_ < size_ - 1 ? rank_ + 1 : MPI_PROC_NULL;
        auto const row = [&](std::size_t i) { return old_.data() + i * columns; };
        int const n = static_cast<int>(columns);
        MPI_Sendrecv(row(1), n, MPI_DOUBLE, above, 0, row(rows_ + 1), n, MPI_DOUBLE, below, 0, comm_,
                     MPI_STATUS_IGNORE);
        MPI_Sendrecv(row(rows_), n, MPI_DOUBLE, below, 1, row(0), n, MPI_DOUBLE, above, 1, comm_, MPI_STATUS_IGNORE);
    }

    double sweep() {
        auto const inside = sweep_.enter();
        double change = 0;
        for (std::size_t i = 1; i <= rows_; ++i)
            for (std::size_t j = 1; j + 1 < columns; ++j) {
                std::size_t const at = i * columns + j;
                new_[at] = 0.25 * (old_[at - columns] + old_[at + columns] + old_[at - 1] + old_[at + 1]);
                change = std::max(change, std::abs(new_[at] - old_[at]));
            }
        return change;
    }

    double largest(double mine) {
        auto const inside = check_.enter();
        double all = 0;
        MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, comm_);
        return all;
    }

    MPI_Comm comm_;
    measure::Region solve_;
    measure::Region halo_;
    measure::Region sweep_;
    measure::Region check_;
    int rank_ = 0;
    int size_ = 1;
    std::size_t rows_ = 0;
    std::vector<double> old_;
    std::vector<double> new_;
};

void run() {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    measure::Regions regions{MPI_COMM_WORLD, {.name = "jacobi"}};
    Jacobi jacobi{MPI_COMM_WORLD, regions};
    double const change = jacobi.solve();
    if (rank == 0)
        std::cout << "change in the last step: " << change << '\n';
    if (auto const problem = regions.end(); !problem.empty() && rank == 0)
        std::cerr << "regions: " << problem << '\n';
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    run();
    MPI_Finalize();
}
