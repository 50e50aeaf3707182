// SPDX-License-Identifier: BSD-3-Clause
/// Data: what stands in the first and the last elements of each chunk, filled before a call writes it and looked at
/// when a call has read it. Local.
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

/// Who wrote a chunk, and when.
struct Origin {
    std::int64_t repetition = 0;
    int pattern = 0;
    Access access = Access::write;
    int rank = 0;
};

/// The value of a chunk whose first element is element i of the buffer: 1e7 r + 1000 i + 10 p + a + 1.
[[nodiscard]] constexpr Element first_value(Origin const& o, std::int64_t i) noexcept {
    return 1e7 * static_cast<double>(o.repetition) + 1000 * static_cast<double>(i) + 10 * o.pattern +
           static_cast<double>(index(o.access)) + 1;
}
/// The same for its last element: + 6.
[[nodiscard]] constexpr Element last_value(Origin const& o, std::int64_t i) noexcept { return first_value(o, i) + 5; }

/// An element that is not what was written.
struct Mismatch {
    std::int64_t repetition = 0;
    std::int64_t element = 0;  ///< of the buffer
    Element expected = 0;
    Element found = 0;
    [[nodiscard]] std::string text() const;
};

/// The memory of the calls, cut into chunks of equal length. Element k is -2 k where no chunk begins or ends: the first
/// element of a chunk, the last, and between them, the second, which names the rank, are overwritten.
class Buffer {
public:
    /// \param size  bytes, a multiple of 8 \param alignment  of its first byte, likewise \throws std::bad_alloc
    explicit Buffer(measure::Bytes size, measure::Bytes alignment = element_size);

    Buffer(Buffer const&) = delete;
    Buffer& operator=(Buffer const&) = delete;

    /// Calls move `length` bytes in chunks of `chunk` from now on; what the calls before have overwritten is -2 k
    /// again.
    void begin(measure::Bytes chunk, measure::Bytes length) noexcept;

    [[nodiscard]] Element* data() noexcept { return elements_.data(); }

    void fill(Origin const& origin) noexcept;
    /// How many elements are wrong. The first ones are added to `found` while it has room without allocating.
    [[nodiscard]] std::int64_t check(Origin const& origin, std::vector<Mismatch>& found) const noexcept;

private:
    std::vector<Element> memory_;
    std::span<Element> elements_;
    std::size_t chunk_ = 1;   ///< elements
    std::size_t length_ = 0;  ///< elements
};

}  // namespace b_eff_io
