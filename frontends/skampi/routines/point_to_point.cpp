// SPDX-License-Identifier: BSD-3-Clause
/// The ping-pong pattern: both sides of an exchange of two messages, in ten variants.
#include "skampi/routines/tables.hpp"

#include <array>

namespace skampi {
namespace {

constexpr int message_tag = 1;

int count(Frame const& f) noexcept { return f.arguments.count; }
MPI_Datatype type(Frame const& f) noexcept { return f.arguments.type; }
MPI_Comm comm(Frame const& f) noexcept { return f.arguments.comm; }

int send(Frame& f) { return MPI_Send(f.send, count(f), type(f), f.peer, message_tag, comm(f)); }
int ssend(Frame& f) { return MPI_Ssend(f.send, count(f), type(f), f.peer, message_tag, comm(f)); }
int bsend(Frame& f) { return MPI_Bsend(f.send, count(f), type(f), f.peer, message_tag, comm(f)); }

int isend_wait(Frame& f) {
    MPI_Request request = MPI_REQUEST_NULL;
    int const begun = MPI_Isend(f.send, count(f), type(f), f.peer, message_tag, comm(f), &request);
    return worse(begun, MPI_Wait(&request, MPI_STATUS_IGNORE));
}

int issend_wait(Frame& f) {
    MPI_Request request = MPI_REQUEST_NULL;
    int const begun = MPI_Issend(f.send, count(f), type(f), f.peer, message_tag, comm(f), &request);
    return worse(begun, MPI_Wait(&request, MPI_STATUS_IGNORE));
}

int receive(Frame& f) {
    return MPI_Recv(f.receive, count(f), type(f), f.peer, message_tag, comm(f), MPI_STATUS_IGNORE);
}

int receive_any_tag(Frame& f) {
    return MPI_Recv(f.receive, count(f), type(f), f.peer, MPI_ANY_TAG, comm(f), MPI_STATUS_IGNORE);
}

int probe_receive(Frame& f) {
    int there = 0;
    while (there == 0)
        if (int const code = MPI_Iprobe(f.peer, message_tag, comm(f), &there, MPI_STATUS_IGNORE); code != MPI_SUCCESS)
            return code;
    return receive(f);
}

int irecv_wait(Frame& f) {
    MPI_Request request = MPI_REQUEST_NULL;
    int const begun = MPI_Irecv(f.receive, count(f), type(f), f.peer, message_tag, comm(f), &request);
    return worse(begun, MPI_Wait(&request, MPI_STATUS_IGNORE));
}

template <Call Send, Call Receive>
int first_send(Frame& f) {
    int const sent = Send(f);
    return worse(sent, Receive(f));
}

template <Call Send, Call Receive>
int first_receive(Frame& f) {
    int const received = Receive(f);
    return worse(received, Send(f));
}

int sendrecv(Frame& f) {
    return MPI_Sendrecv(f.send, count(f), type(f), f.peer, message_tag, f.receive, count(f), type(f), f.peer,
                        message_tag, comm(f), MPI_STATUS_IGNORE);
}

int sendrecv_replace(Frame& f) {
    return MPI_Sendrecv_replace(f.send, count(f), type(f), f.peer, message_tag, f.peer, message_tag, comm(f),
                                MPI_STATUS_IGNORE);
}

template <Call Send, Call Receive>
constexpr Exchange exchange{&first_send<Send, Receive>, &first_receive<Send, Receive>};

/// \param operation  name of the operation in other suites
constexpr Routine line(std::string_view id, std::string_view origin, std::string_view text, Exchange calls,
                       std::string_view operation = {}) {
    calls.operation = operation;
    return {.id = id,
            .pattern = Pattern::point_to_point,
            .variations = "L",
            .origin = origin,
            .defaults = "-",
            .text = text,
            .calls = calls};
}

constexpr std::array exchanges{
    line("MPI_Send-MPI_Recv", "paper", "standard send and receive", exchange<send, receive>, "Send"),
    line("MPI_Send-MPI_Iprobe_Recv", "paper", "receive after MPI_Iprobe has found the message",
         exchange<send, probe_receive>),
    line("MPI_Send-MPI_Irecv", "paper", "MPI_Irecv after the send, then MPI_Wait", exchange<send, irecv_wait>),
    line("MPI_Send-MPI_Recv_with_Any_Tag", "paper", "receive with MPI_ANY_TAG", exchange<send, receive_any_tag>),
    line("MPI_Ssend-MPI_Recv", "paper", "synchronous send", exchange<ssend, receive>, "Ssend"),
    line("MPI_Isend-MPI_Recv", "paper", "MPI_Isend and MPI_Wait before the receive", exchange<isend_wait, receive>,
         "Isend"),
    line("MPI_Bsend-MPI_Recv", "paper", "buffered send",
         {.server = &first_send<bsend, receive>, .client = &first_receive<bsend, receive>, .buffered = true}, "Bsend"),
    line("MPI_Sendrecv", "paper", "both messages at once", {.server = &sendrecv, .client = &sendrecv}),
    line("MPI_Sendrecv_replace", "paper", "both messages at once, in one buffer",
         {.server = &sendrecv_replace, .client = &sendrecv_replace, .in_place = true}),
    line("MPI_Issend-MPI_Recv", "later", "MPI_Issend and MPI_Wait before the receive", exchange<issend_wait, receive>,
         "Issend"),
};

}  // namespace

std::span<Routine const> point_to_point_routines() noexcept { return exchanges; }

}  // namespace skampi
