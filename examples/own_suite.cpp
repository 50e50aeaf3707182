// How do collective operations and messages compare over sizes, with verified data?
// SPDX-License-Identifier: BSD-3-Clause
//
// A suite of ten benchmarks: nine collective operations and a ping-pong.
//
// The table at the end defines the suite: benchmarks, axes, columns, names of options. run_main adds the features of
// every program: --list, --format csv, --json, --retry, --epochs, --config, signals, the watchdog, exit codes.
//
//     mpiexec -n 2 own_suite -b 8,4096 --format csv --json suite.jsonl bcast ping_pong
#include <measure/main.hpp>
#include <measure/units.hpp>

#include <mpi.h>

#include <cstdio>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

namespace {

// ---- bodies

/// Two buffers with a block of `count` numbers for each rank. Rank r sends r + i as number i.
struct Data {
    Data(measure::Comm const& team, measure::Point const& at)
        : comm{team.native()}, rank{team.rank()}, ranks{team.size()},
          count{measure::to_int(at.bytes("bytes") / static_cast<measure::Bytes>(sizeof(int)), "bytes")},
          send(static_cast<std::size_t>(count) * static_cast<std::size_t>(ranks)), receive(send.size(), -1) {
        std::iota(send.begin(), send.end(), rank);
    }

    MPI_Comm comm;
    int rank;
    int ranks;
    int count;
    std::vector<int> send;
    std::vector<int> receive;
};

/// A call on the data and its expected result.
template <class Call, class Expected>
struct Body {
    Data data;
    Call call;          ///< (Data&) -> MPI error code
    Expected expected;  ///< (Data const&, i) -> number i of the receive buffer on this rank; -1 if nothing arrives

    int operator()() { return call(data); }

    /// Makes one more call. Returns the error in the result, or "" if it is correct.
    std::string check() {
        static_cast<void>(call(data));
        for (int i = 0; i < data.count; ++i)
            if (int const found = data.receive[static_cast<std::size_t>(i)]; found != expected(data, i))
                return "number " + std::to_string(i) + " is " + std::to_string(found) + ", not " +
                       std::to_string(expected(data, i));
        return {};
    }
};

template <class Call, class Expected>
auto maker(Call call, Expected expected, int fewest_ranks = 1) {
    return [=](measure::Comm const& team, measure::Point const& at) {
        if (team.size() < fewest_ranks)
            throw measure::SkipPoint("needs " + std::to_string(fewest_ranks) + " ranks");
        return measure::op(Body<Call, Expected>{Data{team, at}, call, expected}).check([](auto& body) {
            return body.check();
        });
    };
}

int from_root(Data const& d, int i) { return d.rank == 0 ? -1 : i; }
int on_root(Data const& d, int i) { return d.rank == 0 ? i : -1; }
int sum_until(int ranks, int i) { return ranks * (ranks - 1) / 2 + ranks * i; }

int ping_pong(Data& d) {
    if (d.rank > 1)
        return MPI_SUCCESS;
    int const peer = 1 - d.rank;
    if (d.rank == 0)
        MPI_Send(d.send.data(), d.count, MPI_INT, peer, 0, d.comm);
    int const code = MPI_Recv(d.receive.data(), d.count, MPI_INT, peer, 0, d.comm, MPI_STATUS_IGNORE);
    return d.rank == 0 ? code : MPI_Send(d.send.data(), d.count, MPI_INT, peer, 0, d.comm);
}

// ---- the suite

std::vector<measure::Benchmark> benchmarks() {
    auto const first = [](Data const&, int i) { return i; };
    return {
        {"bcast",
         maker(
             [](Data& d) {
                 return MPI_Bcast(d.rank == 0 ? d.send.data() : d.receive.data(), d.count, MPI_INT, 0, d.comm);
             },
             from_root),
         "rank 0 to all"},
        {"gather",
         maker(
             [](Data& d) {
                 return MPI_Gather(d.send.data(), d.count, MPI_INT, d.receive.data(), d.count, MPI_INT, 0, d.comm);
             },
             on_root),
         "all to rank 0"},
        {"scatter",
         maker(
             [](Data& d) {
                 return MPI_Scatter(d.send.data(), d.count, MPI_INT, d.receive.data(), d.count, MPI_INT, 0, d.comm);
             },
             [](Data const& d, int i) { return d.rank * d.count + i; }),
         "rank 0 to all, a separate block each"},
        {"allgather",
         maker(
             [](Data& d) {
                 return MPI_Allgather(d.send.data(), d.count, MPI_INT, d.receive.data(), d.count, MPI_INT, d.comm);
             },
             first),
         "all to all, the same block"},
        {"alltoall",
         maker(
             [](Data& d) {
                 return MPI_Alltoall(d.send.data(), d.count, MPI_INT, d.receive.data(), d.count, MPI_INT, d.comm);
             },
             [](Data const& d, int i) { return d.rank * d.count + i; }),
         "all to all, a separate block each"},
        {"reduce",
         maker(
             [](Data& d) { return MPI_Reduce(d.send.data(), d.receive.data(), d.count, MPI_INT, MPI_SUM, 0, d.comm); },
             [](Data const& d, int i) { return d.rank == 0 ? sum_until(d.ranks, i) : -1; }),
         "sum on rank 0"},
        {"allreduce",
         maker(
             [](Data& d) { return MPI_Allreduce(d.send.data(), d.receive.data(), d.count, MPI_INT, MPI_SUM, d.comm); },
             [](Data const& d, int i) { return sum_until(d.ranks, i); }),
         "sum on all"},
        {"scan",
         maker([](Data& d) { return MPI_Scan(d.send.data(), d.receive.data(), d.count, MPI_INT, MPI_SUM, d.comm); },
               [](Data const& d, int i) { return sum_until(d.rank + 1, i); }),
         "sum over this and all lower ranks"},
        {"barrier", maker([](Data& d) { return MPI_Barrier(d.comm); }, [](Data const&, int) { return -1; }),
         "no rank leaves before all have entered"},
        {"ping_pong",
         maker(
             ping_pong, [](Data const& d, int i) { return d.rank > 1 ? -1 : 1 - d.rank + i; }, 2),
         "half the time of a message there and back", [](measure::Record& r) { r = measure::scaled(r, 0.5); }},
    };
}

std::string microseconds(std::optional<double> seconds) {
    char text[32];
    return seconds
               ? std::string(text, static_cast<std::size_t>(std::snprintf(text, sizeof text, "%.3f", *seconds * 1e6)))
               : std::string{};
}

}  // namespace

int main(int argc, char** argv) {
    using measure::Record;
    measure::Program suite{.name = "own_suite", .summary = "Times ten ways to move numbers between processes."};
    suite.axes = {measure::values("bytes", {4, 1024, 65536})};
    suite.benchmarks = benchmarks();
    suite.benchmarks.front().semantics = measure::Semantics{.operation = "Bcast"};
    suite.aliases = {{"--bytes", "-b"}, {"--ranks", "-n"}};
    suite.columns = {
        {"benchmark", [](Record const& r) { return r.benchmark; }, -12},
        {"ranks", [](Record const& r) { return std::to_string(r.at.ranks()); }, 5},
        {"bytes", [](Record const& r) { return std::to_string(r.at.bytes("bytes")); }},
        {"t[us]", [](Record const& r) { return microseconds(r.value); }},
        {"+-", [](Record const& r) { return microseconds(r.estimate ? r.estimate->standard_error : std::nullopt); }, 8},
        {"valid", [](Record const& r) { return std::to_string(r.valid) + "/" + std::to_string(r.attempts); }},
        {"verdict", [](Record const& r) { return std::string{name(r.status)}; }, -16}};
    return measure::run_main(argc, argv, suite);
}
