// SPDX-License-Identifier: BSD-3-Clause
#include "b_eff_io/data.hpp"

#include <fmt/format.h>

#include <memory>

namespace b_eff_io {

namespace {

/// Smallest number of elements with which a chunk has a second one that is not the last.
constexpr std::size_t named = 3;

Element initial(std::size_t k) noexcept { return -2 * static_cast<double>(k); }

}  // namespace

std::string Mismatch::text() const {
    return fmt::format("repetition {}, element {}: {} instead of {}", repetition, element, found, expected);
}

Buffer::Buffer(measure::Bytes size, measure::Bytes alignment)
    : memory_(static_cast<std::size_t>((size + alignment) / element_size) - 1) {
    void* first = memory_.data();
    std::size_t room = memory_.size() * sizeof(Element);
    std::align(static_cast<std::size_t>(alignment), static_cast<std::size_t>(size), first, room);
    elements_ = {static_cast<Element*>(first), static_cast<std::size_t>(size / element_size)};
    for (std::size_t k = 0; k < elements_.size(); ++k)
        elements_[k] = initial(k);
}

void Buffer::begin(measure::Bytes chunk, measure::Bytes length) noexcept {
    for (std::size_t i = 0; i < length_; i += chunk_)
        for (std::size_t const k : {i, i + 1, i + chunk_ - 1})
            if (k < elements_.size())
                elements_[k] = initial(k);
    chunk_ = static_cast<std::size_t>(chunk / element_size);
    length_ = static_cast<std::size_t>(length / element_size);
}

void Buffer::fill(Origin const& origin) noexcept {
    for (std::size_t i = 0; i < length_; i += chunk_) {
        auto const at = static_cast<std::int64_t>(i);
        elements_[i] = first_value(origin, at);
        if (chunk_ >= named)
            elements_[i + 1] = origin.rank;
        elements_[i + chunk_ - 1] = last_value(origin, at);
    }
}

std::int64_t Buffer::check(Origin const& origin, std::vector<Mismatch>& found) const noexcept {
    std::int64_t wrong = 0;
    auto const compare = [&](std::size_t k, Element expected) {
        if (elements_[k] == expected)
            return;
        ++wrong;
        if (found.size() < found.capacity())
            found.push_back({origin.repetition, static_cast<std::int64_t>(k), expected, elements_[k]});
    };
    for (std::size_t i = 0; i < length_; i += chunk_) {
        auto const at = static_cast<std::int64_t>(i);
        // In a chunk of one element, the last value has overwritten the first.
        if (chunk_ > 1)
            compare(i, first_value(origin, at));
        if (chunk_ >= named)
            compare(i + 1, origin.rank);
        compare(i + chunk_ - 1, last_value(origin, at));
    }
    return wrong;
}

}  // namespace b_eff_io
