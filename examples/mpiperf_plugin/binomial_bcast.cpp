// How does my own broadcast compare with that of the MPI library?
// SPDX-License-Identifier: BSD-3-Clause
//
//     mpiexec -n 2 mpiperf --plugin binomial_bcast.so -X 64k -S 16 Bcast BinomialBcast
//
// In step k each process that has the data sends it to the process 2^k positions further on. This takes log2(n) steps,
// each with the whole message.
#include <algorithm>
#include <climits>
#include <mpiperf_plugin.hpp>
#include <stdexcept>

namespace {

class Binomial {
public:
    explicit Binomial(mpiperf_params const& params)
        : comm_{params.comm}, rank_{params.rank}, size_{params.size}, count_{static_cast<int>(params.count)} {
        if (params.count > INT_MAX)
            throw std::length_error("message has more bytes than MPI's int can count");
    }

    int operator()(mpiperf_run const& run) const {
        int const place = (rank_ - run.root + size_) % size_;  // position in the tree; the root has 0
        auto const at = [&](int other) { return (other + run.root) % size_; };
        int step = 1;
        while (step <= place)
            step *= 2;
        if (place > 0)
            if (int const code =
                    MPI_Recv(run.send, count_, MPI_BYTE, at(place - step / 2), 0, comm_, MPI_STATUS_IGNORE);
                code != MPI_SUCCESS)
                return code;
        for (; place + step < size_; step *= 2)
            if (int const code = MPI_Send(run.send, count_, MPI_BYTE, at(place + step), 0, comm_); code != MPI_SUCCESS)
                return code;
        return MPI_SUCCESS;
    }

    bool verify(mpiperf_run const& run) const {
        auto* const data = static_cast<unsigned char*>(run.send);
        for (int i = 0; i < count_; ++i)
            data[i] = rank_ == run.root ? pattern(i) : 0;
        int i = 0;
        return (*this)(run) == MPI_SUCCESS &&
               std::all_of(data, data + count_, [&](unsigned char byte) { return byte == pattern(i++); });
    }

private:
    static unsigned char pattern(int i) { return static_cast<unsigned char>(1 + i % 251); }

    MPI_Comm comm_;
    int rank_;
    int size_;
    int count_;
};

}  // namespace

MPIPERF_PLUGIN(registry) {
    return mpiperf_plugins::add(
        registry,
        {.name = "BinomialBcast",
         .text = "c bytes from the root along a binomial tree",
         .rooted = true,
         .buffers = [](mpiperf_params const& params) { return mpiperf_plugins::Sizes{.send = params.bytes}; }},
        [](mpiperf_params const& params) { return Binomial{params}; });
}
