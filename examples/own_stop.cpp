// How many exchanges must I time until their median is stable?
// SPDX-License-Identifier: BSD-3-Clause
//
// A user-defined stopping rule ends a point when the second half of its samples has changed the median by at most 1 %.
// A sink prints the intermediate medians of every point to standard error.
#include <measure/main.hpp>

#include <cmath>
#include <iostream>
#include <vector>

namespace {

struct StableMedian {
    double tolerance;
    std::size_t at_least = 16;
    std::int64_t at_most = 400;

    measure::StopVerdict operator()(measure::Progress const& p) const {
        auto const n = p.samples.size();
        if (n >= at_least) {
            double const half = measure::median(p.samples.first(n / 2));
            if (std::abs(measure::median(p.samples) - half) <= tolerance * half)
                return measure::StopVerdict::converged;
        }
        return p.attempts >= at_most ? measure::StopVerdict::exhausted : measure::StopVerdict::more;
    }
};

/// Prints "# bytes=8: median of 8 1.2 us of 16 1.1 us".
void print_medians(measure::Point const& at, measure::Measurement const& m) {
    std::vector<double> times;
    std::clog << "# " << at.text() << ": median";
    for (auto const& sample : m.samples) {
        if (sample.invalid != measure::InvalidReason::none)
            continue;
        times.push_back(sample.time);
        if (times.size() % 8 == 0)
            std::clog << " of " << times.size() << ' ' << measure::text(measure::seconds{measure::median(times)});
    }
    std::clog << '\n';
}

}  // namespace

int main(int argc, char** argv) {
    measure::Program program{.name = "own_stop", .summary = "Times MPI_Alltoall until the median is stable."};
    program.axes = {measure::values("bytes", {8, 4096})};
    program.plan.stop = StableMedian{0.01};
    program.plan.keep = measure::Keep::samples;
    program.benchmarks = {{"alltoall", [](measure::Comm const& team, measure::Point const& at) {
                               auto const count = measure::to_int(at.bytes("bytes"), "bytes");
                               auto const size = static_cast<std::size_t>(team.size() * at.bytes("bytes"));
                               return [=, comm = team.native(), out = std::vector<char>(size),
                                       in = std::vector<char>(size)]() mutable {
                                   MPI_Alltoall(out.data(), count, MPI_BYTE, in.data(), count, MPI_BYTE, comm);
                               };
                           }}};
    program.sink = [](measure::Record const& record, measure::Measurement const& m) { print_medians(record.at, m); };
    return measure::run_main(argc, argv, program);
}
