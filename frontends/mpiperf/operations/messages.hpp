// SPDX-License-Identifier: BSD-3-Clause
/// Messages between the two processes rank 0 and rank 1, for every way to send one. The result is the time of rank 0.
/// The time of the slower rank, and the time from the first begin to the last end on the global clock, are also
/// reported.
#pragma once

#include "bodies/point_to_point.hpp"
#include "mpiperf/catalogue/catalogue.hpp"
#include "mpiperf/operations/operations.hpp"

#include <measure/benchmark.hpp>
#include <measure/comm.hpp>
#include <measure/error.hpp>
#include <measure/operation.hpp>
#include <measure/units.hpp>

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace mpiperf {

/// Rank 0 sends, rank 1 receives. \tparam S  has send(link, buffer)
template <class S>
struct OneWay {
    static int call(bodies::Link const& l, void* send, void* receive) {
        return l.first ? S::send(l, send)
                       : MPI_Recv(receive, l.count, l.type, l.peer, bodies::Link::tag, l.comm, MPI_STATUS_IGNORE);
    }
    static constexpr bool both_send = false;
    static constexpr double factor = 1;
    static constexpr auto kind = measure::OperationKind::message;
    static constexpr std::string_view operation{};
    static constexpr double messages = 0;
};

struct Send : OneWay<Send> {
    static constexpr std::string_view name = "Send";
    static constexpr std::string_view text = "MPI_Send of c bytes, time of rank 0; rank 1 receives";
    static int send(bodies::Link const& l, void* buffer) {
        return MPI_Send(buffer, l.count, l.type, l.peer, bodies::Link::tag, l.comm);
    }
};

struct Ssend : OneWay<Ssend> {
    static constexpr std::string_view name = "Ssend";
    static constexpr std::string_view text = "MPI_Ssend of c bytes, time of rank 0: until the receive has begun";
    static int send(bodies::Link const& l, void* buffer) {
        return MPI_Ssend(buffer, l.count, l.type, l.peer, bodies::Link::tag, l.comm);
    }
};

struct Isend : OneWay<Isend> {
    static constexpr std::string_view name = "Isend";
    static constexpr std::string_view text = "MPI_Isend of c bytes and MPI_Wait, time of rank 0";
    static int send(bodies::Link const& l, void* buffer) {
        MPI_Request request = MPI_REQUEST_NULL;
        int const begun = MPI_Isend(buffer, l.count, l.type, l.peer, bodies::Link::tag, l.comm, &request);
        return bodies::worse(begun, MPI_Wait(&request, MPI_STATUS_IGNORE));
    }
};

struct Sendrecv : bodies::Sendrecv {
    static constexpr std::string_view text = "MPI_Sendrecv of c bytes both ways, time of rank 0";
    static constexpr bool both_send = true;
    static constexpr double factor = 1;
    static constexpr auto kind = measure::OperationKind::parallel;
    static constexpr std::string_view operation{};
    static constexpr double messages = 2;
};

struct Pingpong : bodies::PingPong {
    static constexpr std::string_view name = "Pingpong";
    static constexpr std::string_view text = "c bytes there and back, half the time of rank 0";
    static constexpr bool both_send = true;
    static constexpr double factor = 0.5;
    static constexpr auto kind = measure::OperationKind::ping_pong;
    static constexpr std::string_view operation = "PingPong";
    static constexpr double messages = 1;
};

/// A message that needs preparation before each run, outside the timed part. Derived classes have prepare(it) and
/// run(lap).
class Staged {
public:
    static constexpr bool both_send = false;
    static constexpr double factor = 1;
    static constexpr auto kind = measure::OperationKind::message;
    static constexpr std::string_view operation{};
    static constexpr double messages = 0;

    Staged(bodies::Link const& link, bodies::Buffers memory) : link_{link}, memory_{std::move(memory)} {}
    [[nodiscard]] bodies::Buffers const& memory() const noexcept { return memory_; }

protected:
    bodies::Link link_;
    bodies::Buffers memory_;
    int prepared_ = MPI_SUCCESS;
};

/// Before the run begins, the receive is posted and rank 0 knows that. Otherwise a ready send is an error.
class Rsend : public Staged {
public:
    static constexpr std::string_view name = "Rsend";
    static constexpr std::string_view text = "MPI_Rsend of c bytes, time of rank 0; the receive is posted before";

    using Staged::Staged;

    void prepare(measure::Iteration it);
    bool run(auto& lap) {
        int const code = link_.first ? MPI_Rsend(memory_.send(lap.iteration()), link_.count, link_.type, link_.peer,
                                                 bodies::Link::tag, link_.comm)
                                     : MPI_Wait(&posted_, MPI_STATUS_IGNORE);
        return bodies::worse(prepared_, code) == MPI_SUCCESS;
    }

private:
    MPI_Request posted_ = MPI_REQUEST_NULL;
};

/// The buffer is attached before a run. It is detached after the timed part, which delivers the message.
class Bsend : public Staged {
public:
    static constexpr std::string_view name = "Bsend";
    static constexpr std::string_view text = "MPI_Bsend of c bytes into an attached buffer, time of rank 0";

    Bsend(bodies::Link const& link, bodies::Buffers memory);

    void prepare(measure::Iteration it);
    bool run(auto& lap) {
        if (!link_.first)
            return MPI_Recv(memory_.receive(lap.iteration()), link_.count, link_.type, link_.peer, bodies::Link::tag,
                            link_.comm, MPI_STATUS_IGNORE) == MPI_SUCCESS;
        int const sent = MPI_Bsend(memory_.send(lap.iteration()), link_.count, link_.type, link_.peer,
                                   bodies::Link::tag, link_.comm);
        lap.end();
        return bodies::worse(sent, deliver()) == MPI_SUCCESS;
    }

private:
    [[nodiscard]] int deliver();

    std::vector<std::byte> attached_;
};

/// Persistent requests on both sides, created before the run and again only if cold buffers change the address.
class SendInit : public Staged {
public:
    static constexpr std::string_view name = "Send_init";
    static constexpr std::string_view text = "MPI_Start and MPI_Wait of a persistent send of c bytes, time of rank 0";

    using Staged::Staged;
    SendInit(SendInit const&) = delete;
    SendInit& operator=(SendInit const&) = delete;
    ~SendInit() { release(); }

    void prepare(measure::Iteration it);
    bool run(auto&) {
        int const begun = bodies::worse(prepared_, prepared_ == MPI_SUCCESS ? MPI_Start(&request_) : MPI_SUCCESS);
        return begun == MPI_SUCCESS && MPI_Wait(&request_, MPI_STATUS_IGNORE) == MPI_SUCCESS;
    }

private:
    void release();

    MPI_Request request_ = MPI_REQUEST_NULL;
    void* address_ = nullptr;
};

/// The body of a message with preparation.
template <class M>
struct StagedRun {
    std::shared_ptr<M> message;

    bool operator()(auto& lap) const { return message->run(lap); }
    void ready(measure::Iteration it) const { message->prepare(it); }
    /// Executes without a measurement, so time marks are ignored.
    [[nodiscard]] bool execute(measure::Iteration it) const {
        struct {
            measure::Iteration at;
            [[nodiscard]] measure::Iteration iteration() const noexcept { return at; }
            void end() const noexcept {}
        } lap{it};
        return message->run(lap);
    }
    [[nodiscard]] bodies::Buffers const& memory() const noexcept { return message->memory(); }
};

/// The data that a rank and its partner exchange.
[[nodiscard]] FixedData message_data(int rank, bool sends, bool receives, bodies::Datatype const& type);

/// Refuses a message whose size in bytes does not fit MPI's int.
void refuse_large(Test const& test, std::int64_t count, int ranks);
/// The same for a message with an attached buffer, which is larger.
void refuse_attached(Test const& test, std::int64_t count, int ranks);

/// Refuses more bytes than any memory can hold.
void refuse_beyond_memory(Test const& test, std::int64_t count, int ranks);

/// Adds the additional results of messages and scales their time: half a round trip is a factor of 0.5.
[[nodiscard]] measure::Finish message_finish(double factor);

/// Sets up a benchmark of messages of the kind M, on teams of two ranks.
template <class M>
void build_message(Test const&, Setting const& setting, measure::Benchmark& row) {
    then(row, message_finish(M::factor));
    row.make = maker(setting, [&setting](measure::Comm const& team, measure::Point const& at) {
        bodies::Datatype type{layout_at(at), at.integer("count")};
        auto link = bodies::link(team, type.count(), bodies::Source::specific);
        link.type = type.handle();
        auto data = message_data(team.rank(), M::both_send || link.first, M::both_send || !link.first, type);
        bodies::Buffers memory{place(setting, team, at, data.sizes), data.sizes};
        if constexpr (requires { M::call(link, nullptr, nullptr); }) {
            return Verified{bodies::PointToPoint<M>{link, std::move(memory)}, std::move(type), std::move(data)};
        } else {
            auto const message = std::make_shared<M>(link, std::move(memory));
            return measure::op(Verified{StagedRun<M>{message}, std::move(type), std::move(data)})
                .prepare([message](measure::Iteration it) { message->prepare(it); });
        }
    });
}

}  // namespace mpiperf
