// SPDX-License-Identifier: BSD-3-Clause
#include "bodies/expectation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

namespace bodies {

namespace {

using measure::Bytes;

/// The byte to write outside of the payload.
std::byte filler(Bytes at) noexcept { return message_byte(97, 3 * at + 1); }

// A float represents integers exactly up to 2^24. Sums of these numbers stay below that for up to 10^5 ranks, in any
// order of summation.
constexpr int float_ranks = 64;
constexpr int float_places = 61;

double float_number(int rank, std::int64_t i) noexcept {
    return rank % float_ranks + 1 + static_cast<double>(i % float_places);
}

double float_sum(int ranks, std::int64_t i) noexcept {
    double const whole = ranks / float_ranks;
    double const rest = ranks % float_ranks;
    return whole * float_ranks * (float_ranks + 1) / 2 + rest * (rest + 1) / 2 +
           ranks * static_cast<double>(i % float_places);
}

double number_at(Image const& image, std::int64_t k) noexcept {
    auto const i = image.first + k;
    if (image.kind == NumberKind::real32)
        return image.summed > 0 ? float_sum(image.summed, i) : float_number(image.rank, i);
    return image.summed > 0 ? number_sum(image.summed, i) : message_number(image.rank, i);
}

/// Visits all bytes of a buffer in order. Calls on_byte(offset, value, block, byte of the message),
/// on_number(offset, value, index) or on_filler(offset, value).
template <class OnByte, class OnNumber, class OnFiller>
void walk(Image const& image, TypeMap const& map, Bytes size, OnByte&& on_byte, OnNumber&& on_number,
          OnFiller&& on_filler) {
    Bytes cursor = 0;
    auto const fill_to = [&](Bytes end) {
        for (; cursor < end; ++cursor)
            on_filler(cursor, filler(cursor));
    };
    for (std::size_t b = 0; b < image.blocks.size(); ++b) {
        auto const [rank, block] = image.blocks[b];
        Bytes const before = static_cast<Bytes>(b) * map.message();
        for (Bytes i = 0; i < map.message() && rank >= 0;) {
            auto const stretch = map.place(before + i);
            fill_to(stretch.at);
            Bytes const end = std::min(i + stretch.size, map.message());
            for (; i < end; ++i)
                on_byte(cursor++, message_byte(rank, block * map.message() + i), b, i);
        }
    }
    for (std::int64_t k = 0; k < image.numbers; ++k, cursor += number_size(image.kind))
        on_number(cursor, number_at(image, k), k);
    fill_to(size);
}

void write(Image const& image, TypeMap const& map, std::byte* buffer, Bytes size, std::byte contrary) {
    walk(
        image, map, size, [&](Bytes at, std::byte value, std::size_t, Bytes) { buffer[at] = value ^ contrary; },
        [&](Bytes at, double value, std::int64_t) {
            write_number(buffer + at, image.kind, value);
            std::for_each(buffer + at, buffer + at + number_size(image.kind), [&](std::byte& b) { b ^= contrary; });
        },
        [&](Bytes at, std::byte value) { buffer[at] = value; });
}

std::string hex(std::byte value) { return fmt::format("0x{:02x}", std::to_integer<int>(value)); }

/// "FOUND instead of EXPECTED"; empty if the number is correct.
std::string wrong_number(std::byte const* at, NumberKind kind, double value) {
    auto const compare = [&]<class T>(T) {
        T expected{};
        T found{};
        write_number(reinterpret_cast<std::byte*>(&expected), kind, value);
        std::memcpy(&found, at, sizeof found);
        return found == expected ? std::string{} : fmt::format("{} instead of {}", found, expected);
    };
    switch (kind) {
    case NumberKind::real64:
        return compare(double{});
    case NumberKind::real32:
        return compare(float{});
    case NumberKind::int64:
        return compare(std::int64_t{});
    case NumberKind::int32:
        return compare(std::int32_t{});
    case NumberKind::int8:
        return compare(std::int8_t{});
    }
    return {};
}

std::string compare(Image const& image, TypeMap const& map, std::byte const* buffer, Bytes size) {
    std::string fault;
    auto const is_wrong = [&](auto found, auto value) { return fault.empty() && found != value; };
    walk(
        image, map, size,
        [&](Bytes at, std::byte value, std::size_t b, Bytes i) {
            if (is_wrong(buffer[at], value))
                fault = fmt::format("byte {} of the message from rank {} is {} instead of {}", i, image.blocks[b].rank,
                                    hex(buffer[at]), hex(value));
        },
        [&](Bytes at, double value, std::int64_t k) {
            auto const wrong = wrong_number(buffer + at, image.kind, value);
            if (fault.empty() && !wrong.empty())
                fault = fmt::format("number {} is {}", k, wrong);
        },
        [&](Bytes at, std::byte value) {
            if (is_wrong(buffer[at], value))
                fault = fmt::format("byte {} of the buffer, outside of all messages, is {} instead of {}", at,
                                    hex(buffer[at]), hex(value));
        });
    return fault;
}

Image joined(std::int64_t numbers, int ranks, std::int64_t first = 0) {
    return {.numbers = numbers, .first = first, .summed = ranks};
}

/// The receive buffer of a process after a reduction.
Image reduction(Content content, Part const& part, std::int64_t numbers, std::vector<std::int64_t> const& shares) {
    switch (content) {
    case Content::reduced_at_root:
        return part.rank == part.root ? joined(numbers, part.size) : Image{};
    case Content::reduced:
        return joined(numbers, part.size);
    case Content::prefix:
        return joined(numbers, part.rank + 1);
    case Content::prefix_before:
        return part.rank > 0 ? joined(numbers, part.rank) : Image{};
    case Content::reduced_share: {
        auto const mine = shares.begin() + part.rank;
        return joined(*mine, part.size, std::accumulate(shares.begin(), mine, std::int64_t{0}));
    }
    case Content::reduced_block:
        return joined(numbers, part.size, part.rank * numbers);
    case Content::added:
        return joined(numbers, 2);
    default:
        return {};
    }
}

}  // namespace

// The squares make ranks distinguishable, and the prime makes positions distinguishable. For up to 10^5 ranks the sums
// stay below 2^53.

double message_number(int rank, std::int64_t i) noexcept {
    double const r = rank + 1.0;
    return r * r + static_cast<double>(i % 1021);
}

double number_sum(int ranks, std::int64_t i) noexcept {
    double const n = ranks;
    return n * (n + 1) * (2 * n + 1) / 6 + n * static_cast<double>(i % 1021);
}

void Expectation::fill(Place const& place) const {
    write(sent_, map_, place.send, place.sizes.send, std::byte{0});
    if (has_before_)
        write(before_, map_, place.receive, place.sizes.receive, std::byte{0});
    else
        write(arrived_, map_, place.receive, place.sizes.receive, std::byte{0xff});
}

void Expectation::spoil(Place const& place) const {
    Bytes last = -1;
    walk(
        arrived_, map_, place.sizes.receive, [&](Bytes at, std::byte, std::size_t, Bytes) { last = at; },
        [&](Bytes at, double, std::int64_t) { last = at + number_size(arrived_.kind) - 1; }, [](Bytes, std::byte) {});
    if (last >= 0)
        place.receive[last] ^= std::byte{1};
}

std::string Expectation::fault(Place const& place) const {
    auto arrived = is_open_ ? std::string{} : compare(arrived_, map_, place.receive, place.sizes.receive);
    if (!arrived.empty())
        return arrived;
    auto const sent = compare(sent_, map_, place.send, place.sizes.send);
    return sent.empty() ? "" : fmt::format("the send buffer was changed: {}", sent);
}

Expectation expectation(Shape const& shape, Content content, Part const& part, TypeMap const& map, std::int64_t numbers,
                        Convention const& convention) {
    bool const is_root = part.rank == part.root;
    Image sent;
    if (shape.element == Element::real) {
        auto const shares =
            shape.counts == Counts::spread ? convention.shares(numbers, part.size) : std::vector<std::int64_t>{};
        sent.numbers = elements(shape.send, numbers, part.size, is_root, 0);
        // A local reduction adds the numbers of rank 0 to the numbers of rank 1 on each process.
        sent.rank = content == Content::added ? 0 : part.rank;
        auto arrived = reduction(content, part, numbers, shares);
        sent.kind = arrived.kind = convention.number;
        Expectation result{std::move(sent), std::move(arrived), map};
        if (content == Content::added)
            result.begin_with({.numbers = numbers, .rank = 1, .kind = convention.number});
        // MPI does not define the exclusive prefix on the first process.
        if (content == Content::prefix_before && part.rank == 0)
            result.leave_open();
        return result;
    }
    bool const sends = content != Content::root_everywhere || is_root;
    for (std::int64_t b = 0; sends && b < elements(shape.send, 1, part.size, is_root, 0); ++b)
        sent.blocks.push_back({part.rank, b});
    return {std::move(sent), {.blocks = origins(content, part.rank, part.size, part.root)}, map};
}

Place place_of(Content content, Part const& part, void* send, void* receive, Sizes const& sizes) {
    auto* const from = static_cast<std::byte*>(send);
    auto* const to = static_cast<std::byte*>(receive);
    if (content == Content::root_everywhere && part.rank != part.root)
        return {nullptr, from, {0, sizes.send}};
    return {from, to, sizes};
}

}  // namespace bodies
