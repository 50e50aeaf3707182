// SPDX-License-Identifier: BSD-3-Clause
#include "b_eff/exchange.hpp"

#include <fmt/format.h>

#include <utility>

namespace b_eff {

std::string Defect::text() const {
    return fmt::format("exchange {}, iteration {}: the {} byte is {} instead of {}", exchange, iteration,
                       is_last_byte ? "last" : "first", found, expected);
}

std::optional<Defect> Mailbox::take_defect() noexcept { return std::exchange(defect_, std::nullopt); }

void Mailbox::note(measure::Bytes at, std::size_t exchange, std::int64_t iteration, bool is_last) noexcept {
    if (defect_)
        return;
    auto const expected = is_last ? last(exchange, iteration) : first(exchange, iteration);
    auto const found = receive_[is_last ? at + bytes_ - 1 : at];
    defect_ = {static_cast<int>(exchange), iteration, static_cast<int>(expected), static_cast<int>(found), is_last};
}

Counts::Counts(int processes) {
    for (auto* const v : {&send, &receive, &send_at, &receive_at})
        v->resize(static_cast<std::size_t>(processes));
}

void Counts::set(std::span<Exchange const> exchanges, int bytes) {
    for (auto const [to, from] : exchanges) {
        if (to != nobody)
            send[static_cast<std::size_t>(to)] = bytes;
        if (from != nobody)
            receive[static_cast<std::size_t>(from)] = bytes;
    }
}

}  // namespace b_eff
