// SPDX-License-Identifier: BSD-3-Clause
#include "sha256.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace measure_tool {

namespace {

using Block = std::array<std::uint32_t, 16>;
using State = std::array<std::uint32_t, 8>;

constexpr std::size_t block_bytes = 64;

/// The constants of the rounds: 32 bits of the fractions of the cube roots of the first 64 primes.
constexpr std::array<std::uint32_t, 64> round_constants{
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

/// Of the square roots of the first eight.
constexpr State first_state{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                            0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

/// The block's words and the 48 that are made of them.
std::array<std::uint32_t, 64> schedule(Block const& block) {
    std::array<std::uint32_t, 64> w{};
    for (std::size_t t = 0; t < w.size(); ++t) {
        if (t < block.size()) {
            w[t] = block[t];
            continue;
        }
        auto const a = w[t - 15];
        auto const b = w[t - 2];
        w[t] = w[t - 16] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ (a >> 3)) + w[t - 7] +
               (std::rotr(b, 17) ^ std::rotr(b, 19) ^ (b >> 10));
    }
    return w;
}

void compress(State& state, Block const& block) {
    auto const w = schedule(block);
    auto [a, b, c, d, e, f, g, h] = state;
    for (std::size_t t = 0; t < w.size(); ++t) {
        auto const choice = (e & f) ^ (~e & g);
        auto const majority = (a & b) ^ (a & c) ^ (b & c);
        auto const first =
            h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) + choice + round_constants[t] + w[t];
        auto const second = (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + majority;
        h = g;
        g = f;
        f = e;
        e = d + first;
        d = c;
        c = b;
        b = a;
        a = first + second;
    }
    State const sum{a, b, c, d, e, f, g, h};
    for (std::size_t i = 0; i < state.size(); ++i)
        state[i] += sum[i];
}

Block block_of(std::string_view bytes) {
    Block block{};
    for (std::size_t i = 0; i < block_bytes; ++i)
        block[i / 4] = block[i / 4] << 8 | static_cast<unsigned char>(bytes[i]);
    return block;
}

/// What is left of the content, a one bit, zeros, and the content's length in bits.
std::string padded(std::string_view rest, std::uint64_t content_bytes) {
    std::string end{rest};
    end += '\x80';
    while (end.size() % block_bytes != block_bytes - 8)
        end += '\0';
    for (int shift = 56; shift >= 0; shift -= 8)
        end += static_cast<char>(content_bytes * 8 >> shift & 0xff);
    return end;
}

}  // namespace

std::string sha256(std::string_view content) {
    State state = first_state;
    auto const whole = content.size() / block_bytes * block_bytes;
    auto const end = padded(content.substr(whole), content.size());
    for (std::size_t i = 0; i < whole; i += block_bytes)
        compress(state, block_of(content.substr(i, block_bytes)));
    for (std::size_t i = 0; i < end.size(); i += block_bytes)
        compress(state, block_of(std::string_view{end}.substr(i, block_bytes)));
    std::string text;
    for (auto const word : state)
        text += fmt::format("{:08x}", word);
    return text;
}

}  // namespace measure_tool
