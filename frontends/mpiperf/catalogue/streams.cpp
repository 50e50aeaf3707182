// SPDX-License-Identifier: BSD-3-Clause
/// Tests of concurrent messages: windows between pairs, threads, partitions.
#include "bodies/partitioned.hpp"
#include "bodies/stream_check.hpp"
#include "bodies/threads.hpp"
#include "mpiperf/catalogue/parts.hpp"
#include "mpiperf/operations/messages.hpp"
#include "mpiperf/operations/operations.hpp"
#include "mpiperf/operations/verification.hpp"

#include <measure/benchmark.hpp>
#include <measure/comm.hpp>
#include <measure/error.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

namespace mpiperf {

namespace {

constexpr char const* window_coordinate = "window";
constexpr char const* threads_coordinate = "threads";
constexpr char const* parts_coordinate = "partitions";

/// Adds a coordinate to the points of a benchmark.
void coordinate(measure::Benchmark& row, char const* name, std::int64_t value) {
    row.complete = [complete = std::move(row.complete), name, value](measure::Point& at) {
        complete(at);
        at.set(name, value);
    };
}

template <bool both_ways>
void build_stream(Test const&, Setting const& setting, measure::Benchmark& row) {
    coordinate(row, window_coordinate, setting.window);
    // A message takes its share of the window's time.
    row.semantics->share = 1.0 / setting.window;
    then(row, [](measure::Record& record) {
        if (!record.value || !(*record.value > 0))
            return;
        auto const messages =
            static_cast<double>(record.at.ranks() / 2 * record.at.integer(window_coordinate)) * (both_ways ? 2 : 1);
        record.derived["message_rate"] = messages / *record.value;
        record.derived["bandwidth"] = messages * static_cast<double>(record.at.bytes("bytes")) / *record.value;
    });
    row.make = maker(setting, [&setting](measure::Comm const& team, measure::Point const& at) {
        if (team.size() % 2 != 0)
            throw measure::SkipPoint("pairs need an even number of processes");
        auto const bytes = at.bytes("bytes");
        bodies::StreamShape const shape{.both_ways = both_ways, .window = setting.window, .receive_stride = bytes};
        auto const role = bodies::stream_role(team.rank(), team.size(), both_ways);
        bodies::Sizes const sizes{role.sends ? bytes : 0, role.receives ? bytes * setting.window : 0};
        return bodies::CheckedStream{team, shape, bytes, bytes,
                                     bodies::Buffers{place(setting, team, at, sizes), sizes}};
    });
}

/// Shared ownership, because threads refer to it.
struct SharedThreads {
    std::shared_ptr<bodies::ThreadPingPong> exchange;
    int rank;
    measure::Bytes bytes;

    bool operator()(measure::Iterations exchanges) const { return (*exchange)(exchanges); }
    [[nodiscard]] std::string check(Checking const& how) const {
        measure::Iteration const it{};
        auto const memory = [&](int thread) -> auto const& { return exchange->memory(thread); };
        for (int thread = 0; thread < exchange->threads(); ++thread) {
            bodies::fill_message(static_cast<std::byte*>(memory(thread).send(it)), bytes, rank, thread);
            std::memset(memory(thread).receive(it), 0, static_cast<std::size_t>(bytes));
        }
        if (!in_sample(how, [&] { return (*this)({}); }))
            return "MPI reports an error";
        if (how.spoils && bytes > 0)
            *static_cast<std::byte*>(memory(0).receive(it)) ^= std::byte{1};
        std::string found;
        for (int thread = 0; found.empty() && thread < exchange->threads(); ++thread)
            found = bodies::message_fault(static_cast<std::byte const*>(memory(thread).receive(it)), bytes, 1 - rank,
                                          thread);
        return found;
    }
};

void build_threads(Test const& test, Setting const& setting, measure::Benchmark& row) {
    coordinate(row, threads_coordinate, setting.threads);
    then(row, message_finish(test.scale));
    row.make = maker(setting, [&setting](measure::Comm const& team, measure::Point const& at) {
        if (setting.threads > 1 && !bodies::have_thread_multiple())
            throw measure::SkipPoint("MPI was initialised without MPI_THREAD_MULTIPLE");
        auto const bytes = at.bytes("bytes");
        auto const policy = place(setting, team, at, {bytes, bytes}, setting.threads);
        return SharedThreads{std::make_shared<bodies::ThreadPingPong>(team, setting.threads, bytes, policy),
                             team.rank(), bytes};
    });
}

/// Shared ownership, because requests refer to it.
struct SharedParts {
    std::shared_ptr<bodies::Partitioned> message;
    int rank;
    measure::Bytes bytes;

    bool operator()() const noexcept { return (*message)(); }
    [[nodiscard]] std::string check(Checking const& how) const {
        measure::Iteration const it{};
        auto* const here =
            static_cast<std::byte*>(rank == 0 ? message->memory().send(it) : message->memory().receive(it));
        if (rank == 0)
            bodies::fill_message(here, bytes, rank, 0);
        else
            std::memset(here, 0, static_cast<std::size_t>(bytes));
        message->prepare(it);
        if (!in_sample(how, [&] { return (*message)(); }))
            return "MPI reports an error";
        if (how.spoils && bytes > 0)
            *here ^= std::byte{1};
        return rank == 0 ? std::string{} : bodies::message_fault(here, bytes, 0, 0);
    }
};

void build_partitioned(Test const& test, Setting const& setting, measure::Benchmark& row) {
    row.complete = [complete = std::move(row.complete), parts = setting.partitions](measure::Point& at) {
        complete(at);
        at.set("bytes", at.integer("count") * parts);
        at.set(parts_coordinate, std::int64_t{parts});
    };
    then(row, message_finish(test.scale));
    row.make = maker(setting, [&setting](measure::Comm const& team, measure::Point const& at) {
        auto const bytes = at.bytes("bytes");
        bodies::Sizes const sizes{team.is_root() ? bytes : 0, team.is_root() ? 0 : bytes};
        auto const message = std::make_shared<bodies::Partitioned>(
            team, setting.partitions, at.integer("count"), bodies::Buffers{place(setting, team, at, sizes), sizes});
        return measure::op(SharedParts{message, team.rank(), bytes}).prepare([message](measure::Iteration it) {
            message->prepare(it);
        });
    });
}

constexpr Test stream_table[] = {
    {.name = "Stream",
     .text = "a window of MPI_Isend of c bytes from the first half of the processes to the second, concurrently",
     .element = 1,
     .refuse = refuse_large,
     .build = build_stream<false>,
     .kind = Kind::stream,
     .operation = measure::OperationKind::stream,
     .messages = 1,
     .checks_data = true},
    {.name = "Bistream",
     .text = "Stream in both directions at once",
     .element = 1,
     .refuse = refuse_large,
     .build = build_stream<true>,
     .kind = Kind::stream,
     .operation = measure::OperationKind::streams,
     .messages = 2,
     .checks_data = true},
    {.name = thread_test,
     .text = "c bytes there and back between each pair of threads of two processes at once, half the time of rank 0",
     .element = 1,
     .refuse = refuse_large,
     .build = build_threads,
     .kind = Kind::message,
     .scale = 0.5,
     .batch = 64,
     .operation = measure::OperationKind::ping_pong,
     .messages = 1,
     .checks_data = true},
    {.name = "Psend_init",
     .text = "MPI_Start, MPI_Pready of each partition of c bytes and MPI_Wait, time of rank 0",
     .element = 1,
     .refuse = refuse_large,
     .build = build_partitioned,
     .kind = Kind::message,
     .needs = Needs::one_buffer,
     .operation = measure::OperationKind::message,
     .checks_data = true},
};

}  // namespace

std::span<Test const> stream_tests() noexcept {
    // The partitioned message is the last row.
    return std::span{stream_table}.first(std::size(stream_table) - (bodies::have_partitioned ? 0 : 1));
}

}  // namespace mpiperf
