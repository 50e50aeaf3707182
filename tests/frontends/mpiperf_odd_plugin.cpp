// SPDX-License-Identifier: BSD-3-Clause
/// A plugin with a fault, which MPIPERF_ODD selects.
#include "mpiperf_plugin.hpp"

#include <cstdlib>
#include <new>
#include <stdexcept>
#include <string>

namespace {

std::string const oddity = std::getenv("MPIPERF_ODD") != nullptr ? std::getenv("MPIPERF_ODD") : "";

int rank() {
    int result = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &result);
    return result;
}

struct Odd {
    explicit Odd(mpiperf_params const& params) : comm{params.comm} {
        if (oddity == "init" && params.rank == 1)
            throw std::runtime_error("no luck today");
        if (oddity == "hungry")
            MPI_Barrier(comm);
        if (oddity == "memory" && params.count > 1)
            throw std::bad_alloc{};
    }
    void operator()(mpiperf_run const&) const {
        if (oddity == "run")
            throw std::runtime_error("this must not cross the C boundary");
        MPI_Barrier(comm);
    }
    bool verify(mpiperf_run const& run) const {
        (*this)(run);
        return oddity != "wrong";
    }
    MPI_Comm comm;
};

}  // namespace

int mpiperf_plugin_version() { return oddity == "version" ? 99 : MPIPERF_PLUGIN_VERSION; }

int mpiperf_plugin(mpiperf_registry* registry) {
    if (oddity == "refuses" && rank() == 1)
        return 42;
    char const* const name = oddity == "clash" ? "BCAST" : oddity == "differs" && rank() == 1 ? "Even" : "Odd";
    auto const buffers = [](mpiperf_params const&) {
        std::int64_t const other = oddity == "lopsided" ? -1 : oddity == "hungry" ? std::int64_t{1} << 50 : 0;
        return mpiperf_plugins::Sizes{.send = rank() == 1 ? other : 0};
    };
    return mpiperf_plugins::add(registry, {.name = name, .text = "a barrier", .element = 0, .buffers = buffers},
                                [](mpiperf_params const& params) { return Odd{params}; });
}
