// Up to which size is it faster to gather all data and add locally than to call MPI_Allreduce?
// SPDX-License-Identifier: BSD-3-Clause
//
// Compares a user-defined algorithm with that of the library. Both are measured at each size, one right after the
// other, with synchronised starts. The table shows their ratio with its error. The results are checked after the
// samples.
#include <measure/main.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace {

/// Sums vectors of doubles over the ranks of a team. All ranks have the result.
class Sum {
public:
    Sum(measure::Comm const& team, measure::Bytes bytes)
        : comm_{team.native()}, ranks_{static_cast<std::size_t>(team.size())}, count_{measure::to_int(
                                                                                   bytes / std::int64_t{sizeof(double)},
                                                                                   "elements")},
          mine_(size(), team.rank() + 1.0), sum_(size()), all_(size() * ranks_) {}

    void by_library() { MPI_Allreduce(mine_.data(), sum_.data(), count_, MPI_DOUBLE, MPI_SUM, comm_); }

    void by_gathering() {
        MPI_Allgather(mine_.data(), count_, MPI_DOUBLE, all_.data(), count_, MPI_DOUBLE, comm_);
        std::fill(sum_.begin(), sum_.end(), 0.0);
        for (std::size_t rank = 0; rank < ranks_; ++rank)
            for (std::size_t i = 0; i < size(); ++i)
                sum_[i] += all_[rank * size() + i];
    }

    /// The error in the sum, or "" if it is correct.
    [[nodiscard]] std::string fault() const {
        auto const right = static_cast<double>(ranks_ * (ranks_ + 1)) / 2;
        bool const all_right = std::all_of(sum_.begin(), sum_.end(), [=](double x) { return x == right; });
        return all_right ? "" : "a sum is wrong";
    }

private:
    [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(count_); }

    MPI_Comm comm_;
    std::size_t ranks_;
    int count_;
    std::vector<double> mine_;
    std::vector<double> sum_;
    std::vector<double> all_;
};

/// A body that owns its data, so that the check can access them.
template <void (Sum::*add)()>
struct Body {
    Sum sum;
    void operator()() { (sum.*add)(); }
};

template <void (Sum::*add)()>
auto checked(measure::Comm const& team, measure::Point const& at) {
    return measure::op(Body<add>{Sum{team, at.bytes("bytes")}}).check([](Body<add>& body) { return body.sum.fault(); });
}

}  // namespace

int main(int argc, char** argv) {
    measure::Program program{.name = "own_allreduce", .summary = "Compares two ways to sum over all ranks."};
    program.axes = {measure::values("bytes", {8, 512, 32768})};
    program.benchmarks = {{"gather_and_add", checked<&Sum::by_gathering>, "MPI_Allgather and a local sum"},
                          {"MPI_Allreduce", checked<&Sum::by_library>, "algorithm of the library"}};
    program.reference = "MPI_Allreduce";
    return measure::run_main(argc, argv, program);
}
