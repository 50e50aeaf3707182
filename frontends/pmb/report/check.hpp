// SPDX-License-Identifier: BSD-3-Clause
/// Check: the data in buffers and files, and the difference between received and sent data. Local, no MPI.
#pragma once

#include <measure/units.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>

namespace pmb {

/// Element i of the messages of a rank: 0.1 (rank + 1) + i.
[[nodiscard]] inline float message_value(int rank, std::int64_t i) noexcept {
    return static_cast<float>(0.1 * (rank + 1) + static_cast<double>(i));
}

/// Element i of a rank's file data: 10^7 (1 + rank) + i mod 10^7.
[[nodiscard]] inline std::int32_t file_value(int rank, std::int64_t i) noexcept {
    return static_cast<std::int32_t>(10'000'000 * (std::int64_t{1} + rank) + i % 10'000'000);
}

/// Bytes of an element in messages and files.
inline constexpr measure::Bytes element = 4;

/// Fills a buffer with value(i), i = 0, 1, .. An incomplete last element is a prefix of its bytes.
template <class Value>
void fill(std::span<std::byte> buffer, Value&& value) {
    for (std::size_t at = 0, i = 0; at < buffer.size(); at += element, ++i) {
        auto const x = value(static_cast<std::int64_t>(i));
        static_assert(sizeof x == element);
        std::memcpy(buffer.data() + at, &x, std::min(sizeof x, buffer.size() - at));
    }
}

/// The kind of a defect.
enum class DefectKind {
    value,    ///< an element is `got` instead of `expected`
    nobodys,  ///< no process's block begins at `position` of the file
    nowhere,  ///< the data that were read are not in the file
    number,   ///< the file has `got` blocks of a process, but `expected` were written
    overlap,  ///< the blocks that the processes read do not cover the file exactly once
};

/// The worst defect in one row on one process. Trivially copyable, because it is sent to the root.
struct Defect {
    double error = 0;  ///< largest relative error; 1 if any element is wrong
    DefectKind kind = DefectKind::value;
    std::int64_t repetition = 0;  ///< repetition of the first wrong element, which the other members also describe
    measure::Bytes position = 0;  ///< offset in the received data, in bytes
    double got = 0;
    double expected = 0;
};

/// "7 at byte 4 where 8 was expected".
[[nodiscard]] std::string text(Defect const& defect);

/// The tolerance of a comparison.
enum class Compare {
    exact,  ///< received bytes must equal the sent bytes
    sum,    ///< sums of floats depend on the order of addition: relative errors up to `tolerance` are accepted
};
inline constexpr double tolerance = 1e-4;

/// MEASURE_TEST_CORRUPT=RANK:BYTES:REPETITION: on that active rank, the data received in that repetition of that
/// length are altered before the check.
struct Corruption {
    int rank = 0;
    measure::Bytes length = 0;
    std::int64_t repetition = 0;
};

/// \throws measure::UsageError
[[nodiscard]] Corruption corruption_from(std::string const& text);

/// Compares received data in the rows of one benchmark on one process.
class Verifier {
public:
    /// \param rank  of this process among the active ones
    explicit Verifier(int rank) : rank_{rank} {}

    /// Alters the data of one repetition once, if MEASURE_TEST_CORRUPT requests it.
    void falsify(std::optional<Corruption> corruption) noexcept { corruption_ = corruption; }

    /// Begins a row.
    void begin(measure::Bytes length) noexcept {
        length_ = length;
        defect_ = {};
    }

    /// Compares `block` with the bytes from offset `from` of a stream of elements value(0), value(1), .. Incomplete
    /// elements at both ends are compared byte by byte. \param position  of the block, for the message
    template <class Value>
    void compare(std::span<std::byte> block, measure::Bytes from, std::int64_t repetition, measure::Bytes position,
                 Value&& value, Compare how = Compare::exact);

    /// Notes a defect that is not a wrong element, such as a missing block.
    void miss(DefectKind kind, std::int64_t repetition, measure::Bytes position, double got = 0,
              double expected = 0) noexcept {
        note(1, repetition, position, got, expected, kind);
    }

    [[nodiscard]] Defect const& defect() const noexcept { return defect_; }

private:
    void spoil(std::span<std::byte> block, std::int64_t repetition);
    void note(double error, std::int64_t repetition, measure::Bytes position, double got, double expected,
              DefectKind kind = DefectKind::value) noexcept;

    std::optional<Corruption> corruption_{};
    int rank_;
    measure::Bytes length_ = 0;
    Defect defect_{};
};

template <class Value>
void Verifier::compare(std::span<std::byte> block, measure::Bytes from, std::int64_t repetition,
                       measure::Bytes position, Value&& value, Compare how) {
    spoil(block, repetition);
    auto const size = static_cast<measure::Bytes>(block.size());
    for (measure::Bytes at = 0; at < size;) {
        auto const expected = value((from + at) / element);
        measure::Bytes const inside = (from + at) % element;
        measure::Bytes const n = std::min(element - inside, size - at);
        std::byte const* const bytes = block.data() + at;
        std::byte whole[element];
        std::memcpy(whole, &expected, sizeof whole);
        if (n == element) {
            auto got = expected;
            std::memcpy(&got, bytes, sizeof got);
            auto const e = static_cast<double>(expected);
            auto const g = static_cast<double>(got);
            double const difference = std::abs(g - e);
            double const error = e == 0 ? difference : difference / std::abs(e);
            // NaN is also a defect.
            bool const right =
                how == Compare::exact ? std::memcmp(bytes, whole, sizeof whole) == 0 : error <= tolerance;
            note(right ? error : 1, repetition, position + at, g, e);
        } else {
            for (measure::Bytes k = 0; k < n; ++k)
                if (bytes[k] != whole[inside + k])
                    note(1, repetition, position + at + k, std::to_integer<int>(bytes[k]),
                         std::to_integer<int>(whole[inside + k]));
        }
        at += n;
    }
}

}  // namespace pmb
