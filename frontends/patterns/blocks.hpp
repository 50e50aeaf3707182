// SPDX-License-Identifier: BSD-3-Clause
/// Blocks: the data of messages. Their bytes depend on the sender and on the direction.
#pragma once

#include <measure/mpi_error.hpp>
#include <measure/record.hpp>

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <vector>

namespace patterns {

/// Consecutive buffers of equal size. Blocks of the same sender differ by their `way`, a number that the pattern
/// chooses.
class Blocks {
public:
    /// `count` blocks of the point's size `bytes`, filled with zeros.
    /// \throws measure::UsageError if the size does not fit MPI's int
    Blocks(measure::Point const& at, int count)
        : size_{static_cast<std::size_t>(measure::to_int(at.bytes("bytes"), "bytes"))},
          bytes_(static_cast<std::size_t>(count) * size_) {}

    [[nodiscard]] unsigned char* all() noexcept { return bytes_.data(); }
    [[nodiscard]] unsigned char* block(int i) noexcept { return all() + static_cast<std::size_t>(i) * size_; }
    [[nodiscard]] int size() const noexcept { return static_cast<int>(size_); }

    void fill(int i, int sender, int way) noexcept {
        for (std::size_t at = 0; at < size_; ++at)
            block(i)[at] = content(sender, way, at);
    }

    /// Alters every byte, so that a missing block is detected.
    void spoil() noexcept {
        for (auto& byte : bytes_)
            byte = static_cast<unsigned char>(~byte);
    }

    /// The first error of block i, "" where there is no error.
    [[nodiscard]] std::string fault(int i, int sender, int way) {
        for (std::size_t at = 0; at < size_; ++at)
            if (int const found = block(i)[at]; found != content(sender, way, at))
                return fmt::format("byte {} of the block from rank {} is {}, not {}", at, sender, found,
                                   content(sender, way, at));
        return {};
    }

private:
    /// Neighbouring senders, ways and places have different bytes.
    [[nodiscard]] static unsigned char content(int sender, int way, std::size_t at) noexcept {
        return static_cast<unsigned char>(static_cast<std::size_t>(sender) * 29 + static_cast<std::size_t>(way) * 5 +
                                          at);
    }

    std::size_t size_;
    std::vector<unsigned char> bytes_;
};

}  // namespace patterns
