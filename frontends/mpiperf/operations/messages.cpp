// SPDX-License-Identifier: BSD-3-Clause
#include "mpiperf/operations/messages.hpp"

#include <measure/error.hpp>
#include <measure/record.hpp>

#include <fmt/format.h>

#include <cstdint>
#include <utility>

namespace mpiperf {

namespace {

/// Tag of the message that announces a posted receive.
constexpr int posted_tag = bodies::Link::tag + 1;

/// The time from the first begin to the last end on the global clock, and its uncertainty. Rank 0 is the reference
/// clock, so only the other rank's offset is uncertain.
measure::Value one_way(measure::Measurement const& m, double factor) {
    if (!m.span)
        return {};
    return measure::Value::Object{{"time", *m.span * factor},
                                  {"uncertainty", m.sync.bound ? std::optional{*m.sync.bound * factor} : std::nullopt}};
}

}  // namespace

void Rsend::prepare(measure::Iteration it) {
    if (link_.first) {
        prepared_ = MPI_Recv(nullptr, 0, MPI_BYTE, link_.peer, posted_tag, link_.comm, MPI_STATUS_IGNORE);
        return;
    }
    int const posted =
        MPI_Irecv(memory_.receive(it), link_.count, link_.type, link_.peer, bodies::Link::tag, link_.comm, &posted_);
    prepared_ = bodies::worse(posted, MPI_Send(nullptr, 0, MPI_BYTE, link_.peer, posted_tag, link_.comm));
}

Bsend::Bsend(bodies::Link const& link, bodies::Buffers memory) : Staged{link, std::move(memory)} {
    int packed = 0;
    measure::check(MPI_Pack_size(link.count, link.type, link.comm, &packed), "MPI_Pack_size");
    if (link.first)
        attached_.resize(static_cast<std::size_t>(packed) + MPI_BSEND_OVERHEAD);
}

void Bsend::prepare(measure::Iteration) {
    if (link_.first)
        prepared_ = MPI_Buffer_attach(attached_.data(), static_cast<int>(attached_.size()));
}

int Bsend::deliver() {
    void* address = nullptr;
    int size = 0;
    return prepared_ == MPI_SUCCESS ? MPI_Buffer_detach(&address, &size) : prepared_;
}

void SendInit::prepare(measure::Iteration it) {
    void* const address = link_.first ? memory_.send(it) : memory_.receive(it);
    if (address == address_)
        return;
    release();
    prepared_ =
        link_.first
            ? MPI_Send_init(address, link_.count, link_.type, link_.peer, bodies::Link::tag, link_.comm, &request_)
            : MPI_Recv_init(address, link_.count, link_.type, link_.peer, bodies::Link::tag, link_.comm, &request_);
    address_ = address;
}

void SendInit::release() {
    if (request_ != MPI_REQUEST_NULL)
        MPI_Request_free(&request_);
}

FixedData message_data(int rank, bool sends, bool receives, bodies::Datatype const& type) {
    FixedData data{{}, {}, type.map(), {sends ? type.map().span() : 0, receives ? type.map().span() : 0}};
    if (sends)
        data.sent.blocks = {{rank, 0}};
    if (receives)
        data.arrived.blocks = {{1 - rank, 0}};
    return data;
}

void refuse_large(Test const&, std::int64_t count, int) {
    static_cast<void>(measure::to_int(count, "bytes of a message"));
}

void refuse_attached(Test const&, std::int64_t count, int) {
    // Checks the count before adding to it.
    static_cast<void>(measure::to_int(count, "bytes of a message"));
    static_cast<void>(measure::to_int(count + MPI_BSEND_OVERHEAD, "bytes of a message and of its attached buffer"));
}

void refuse_beyond_memory(Test const& test, std::int64_t count, int) {
    constexpr std::int64_t most = std::int64_t{1} << 56;
    if (count > most)
        throw measure::UsageError(fmt::format("{}: count {} is larger than any memory", test.name, count));
}

measure::Finish message_finish(double factor) {
    return [factor](measure::Record& record, measure::Measurement const& m) {
        record = measure::scaled(record, factor);
        record.derived["time_of"] = measure::name(m.combine);
        record.derived["one_way"] = one_way(m, factor);
    };
}

}  // namespace mpiperf
