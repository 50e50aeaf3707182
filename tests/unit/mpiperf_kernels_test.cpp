// SPDX-License-Identifier: BSD-3-Clause
// The loops over memory for each instruction set of this processor.
#include "mpiperf/operations/memory_kernels.hpp"
#include "mpiperf/rules.hpp"
#include "support/catch.hpp"

#include <measure/units.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

using mpiperf::memory_kernels;

TEST_CASE("each kernel reads all words and the bytes after the last word", "[mpiperf]") {
    std::vector<std::uint64_t> words(70);
    std::iota(words.begin(), words.end(), std::uint64_t{1});
    // After 67 words: three bytes of 1 that count, and five that do not.
    std::uint64_t const last = 0xffffffffff010101;
    words[67] = last;
    auto const* const bytes = reinterpret_cast<std::byte const*>(words.data());
    for (auto const& kernels : memory_kernels()) {
        INFO(kernels.name);
        CHECK(kernels.read(bytes, 0) == 0);
        CHECK(kernels.read(bytes, 8) == 1);
        CHECK(kernels.read(bytes, 67 * 8) == 2278);
        CHECK(kernels.read(bytes, 67 * 8 + 3) == 2278 + 65793);
        // From an address that is not aligned for any vector: 2 + 3 + .. + 67.
        CHECK(kernels.read(bytes + 8, 66 * 8) == 2277);
    }
}

TEST_CASE("each kernel computes the triad of all elements and touches no others", "[mpiperf]") {
    for (auto const& kernels : memory_kernels())
        for (std::size_t const n : std::array<std::size_t, 5>{0, 1, 3, 37, 130}) {
            INFO(kernels.name << ", " << n << " elements");
            std::vector<double> a(n + 1, -1);
            std::vector<double> b(n);
            std::iota(b.begin(), b.end(), 0.0);
            kernels.triad(a.data(), b.data(), std::vector<double>(n, 2).data(), 3, n);
            std::vector<double> expected(n);
            std::iota(expected.begin(), expected.end(), 6.0);
            expected.push_back(-1);
            CHECK(a == expected);
        }
}

TEST_CASE("passes over little memory are repeated within a run until it is long enough", "[mpiperf]") {
    auto const batch = [](mpiperf::Test const& test, std::int64_t bytes) {
        return mpiperf::batch_of(test, {{"bytes", bytes}});
    };
    mpiperf::Test const pass{.name = "Pass", .text = "", .batch_bytes = measure::mebi};
    CHECK(batch(pass, 0) == 1024);
    CHECK(batch(pass, 16384) == 64);
    CHECK(batch(pass, 1 << 20) == 1);
    CHECK(batch(pass, 1 << 30) == 1);
    CHECK(batch({.name = "Other", .text = "", .batch = 64}, 1 << 20) == 64);
}

TEST_CASE("every processor has a kernel, and later kernels have wider vectors", "[mpiperf]") {
    std::string const all = "baseline avx2 avx512";
    std::string names;
    for (auto const& kernels : memory_kernels())
        names += (names.empty() ? "" : " ") + std::string{kernels.name};
    CHECK(names.starts_with("baseline"));
    CHECK(all.starts_with(names));
}
