// SPDX-License-Identifier: BSD-3-Clause
#include "mpiperf/operations/messages.hpp"

#include "mpiperf/catalogue/parts.hpp"

#include <type_traits>

namespace mpiperf {

namespace {

constexpr bodies::Shape message_shape{bodies::Extent::one, bodies::Extent::one};

template <class M>
constexpr Test message() {
    return {.name = M::name,
            .text = M::text,
            .element = 1,
            .refuse = std::is_same_v<M, Bsend> ? refuse_attached : refuse_large,
            .build = build_message<M>,
            .shape = &message_shape,
            .kind = Kind::message,
            .needs = std::is_same_v<M, SendInit>                            ? Needs::one_buffer
                     : std::is_same_v<M, Rsend> || std::is_same_v<M, Bsend> ? Needs::one_execution
                                                                            : Needs::nothing,
            .int_counts = true,
            .scale = M::factor,
            .operation = M::kind,
            .operation_name = M::operation,
            .messages = M::messages};
}

constexpr Test message_table[] = {
    message<Send>(),  message<Sendrecv>(), message<Pingpong>(), message<Isend>(),
    message<Ssend>(), message<Rsend>(),    message<Bsend>(),    message<SendInit>(),
};

}  // namespace

std::span<Test const> message_tests() noexcept { return message_table; }

}  // namespace mpiperf
