// SPDX-License-Identifier: BSD-3-Clause
/// Data: the values in the first and last elements of each chunk. They are filled in before a call writes the chunk and
/// checked after a call has read it. Local.
#pragma once

#include "b_eff_io/catalogue.hpp"

#include <measure/units.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace b_eff_io {

using Element = double;
inline constexpr measure::Bytes element_size = sizeof(Element);

/// The writer of a chunk, and the repetition, pattern and access in which it was written.
struct Origin {
    std::int64_t repetition = 0;
    int pattern = 0;
    Access access = Access::write;
    int rank = 0;
};

/// The first value of a chunk that begins at element i of the buffer: 1e7 r + 1000 i + 10 p + a + 1.
[[nodiscard]] constexpr Element first_value(Origin const& o, std::int64_t i) noexcept {
    return 1e7 * static_cast<double>(o.repetition) + 1000 * static_cast<double>(i) + 10 * o.pattern +
           static_cast<double>(index(o.access)) + 1;
}
/// The last value of the chunk: 1e7 r + 1000 i + 10 p + a + 6.
[[nodiscard]] constexpr Element last_value(Origin const& o, std::int64_t i) noexcept { return first_value(o, i) + 5; }

/// An element that differs from the written one.
struct Mismatch {
    std::int64_t repetition = 0;
    std::int64_t element = 0;  ///< index in the buffer
    Element expected = 0;
    Element found = 0;
    [[nodiscard]] std::string text() const;
};

/// The memory of the calls, divided into chunks of equal length. Element k has the value -2 k. Three elements of a
/// chunk are overwritten: the first, the last and, between them, the second, which names the rank.
class Buffer {
public:
    /// \param size  bytes, a multiple of 8 \param alignment  bytes, a multiple of 8, for the first byte
    /// \throws std::bad_alloc
    explicit Buffer(measure::Bytes size, measure::Bytes alignment = element_size);

    Buffer(Buffer const&) = delete;
    Buffer& operator=(Buffer const&) = delete;

    /// Prepares calls that move `length` bytes in chunks of `chunk` bytes. Elements that earlier calls have overwritten
    /// become -2 k again.
    void begin(measure::Bytes chunk, measure::Bytes length) noexcept;

    [[nodiscard]] Element* data() noexcept { return elements_.data(); }

    void fill(Origin const& origin) noexcept;
    /// Returns the number of wrong elements. Adds the first ones to `found` while this needs no allocation.
    [[nodiscard]] std::int64_t check(Origin const& origin, std::vector<Mismatch>& found) const noexcept;

private:
    std::vector<Element> memory_;
    std::span<Element> elements_;
    std::size_t chunk_ = 1;   ///< elements
    std::size_t length_ = 0;  ///< elements
};

}  // namespace b_eff_io
