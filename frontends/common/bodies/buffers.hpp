// SPDX-License-Identifier: BSD-3-Clause
/// Buffers: the memory from which a body sends and into which it receives, and the policy by which iterations use it.
#pragma once

#include <measure/operation.hpp>
#include <measure/units.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>
#include <memory>
#include <new>

namespace bodies {

/// Placement of a rank's buffers in memory. Sizes in bytes.
struct BufferPolicy {
    measure::Bytes alignment = 64;  ///< alignment of each block; a power of two
    /// 1: every iteration uses the same block (warm); > 1: iterations use this number of blocks in turn (cold). It must
    /// be the same on all ranks that communicate, because collective data checks and setups of persistent operations
    /// follow the blocks.
    measure::Bytes blocks = 1;
    measure::Bytes limit = std::numeric_limits<measure::Bytes>::max();  ///< largest total size of this rank's buffers
};

/// Sizes of the send and the receive buffer, in bytes.
struct Sizes {
    measure::Bytes send = 0;
    measure::Bytes receive = 0;
};

/// The layout of a pair of buffers under a policy.
struct BufferLayout {
    measure::Bytes send_stride = 0;  ///< distance between two blocks
    measure::Bytes receive_stride = 0;
    measure::Bytes blocks = 1;  ///< 0: the buffers exceed the limit
    [[nodiscard]] measure::Bytes bytes() const noexcept { return blocks * (send_stride + receive_stride); }
};

/// Minimum gap between blocks of a cold pool, in bytes, so that two blocks never share a cache line.
inline constexpr measure::Bytes block_gap = 64;

/// Places a send buffer and a receive buffer by a policy. Pure; calculates in 64 bits. A buffer of 0 bytes also gets
/// valid addresses, because MPI may check them.
[[nodiscard]] constexpr BufferLayout layout(BufferPolicy const& policy, Sizes const& sizes) {
    auto const stride = [&](measure::Bytes size) {
        measure::Bytes const room = std::max<measure::Bytes>(size, 1) + (policy.blocks > 1 ? block_gap : 0);
        return (room + policy.alignment - 1) / policy.alignment * policy.alignment;
    };
    BufferLayout result{stride(sizes.send), stride(sizes.receive)};
    bool const fits = policy.blocks <= policy.limit / (result.send_stride + result.receive_stride);
    result.blocks = fits ? policy.blocks : 0;
    return result;
}

/// A send and a receive buffer. Every page is written at construction: pages never written all map to a single page of
/// zeros, which makes large messages look too fast. Move-only; addresses survive a move.
class Buffers {
public:
    /// Local. \throws std::bad_alloc, also if the policy has no block or its limit is too small
    Buffers(BufferPolicy const& policy, Sizes const& sizes)
        : layout_{layout(policy, sizes)}, memory_{allocate(layout_, policy.alignment)},
          receive_{memory_.get() + layout_.blocks * layout_.send_stride} {}

    [[nodiscard]] void* send(measure::Iteration it) const noexcept {
        return memory_.get() + block(it) * layout_.send_stride;
    }
    [[nodiscard]] void* receive(measure::Iteration it) const noexcept {
        return receive_ + block(it) * layout_.receive_stride;
    }
    [[nodiscard]] measure::Bytes blocks() const noexcept { return layout_.blocks; }

private:
    struct Free {
        std::align_val_t alignment;
        void operator()(std::byte* memory) const noexcept { ::operator delete[](memory, alignment); }
    };
    using Memory = std::unique_ptr<std::byte[], Free>;

    /// Fill byte that makes every double a normal number, so that reductions run at full speed.
    static constexpr int fill = 0x3f;

    static Memory allocate(BufferLayout const& layout, measure::Bytes alignment) {
        if (layout.blocks < 1)
            throw std::bad_alloc{};
        auto const bytes = static_cast<std::size_t>(layout.bytes());
        std::align_val_t const aligned{static_cast<std::size_t>(alignment)};
        Memory memory{static_cast<std::byte*>(::operator new[](bytes, aligned)), Free{aligned}};
        std::memset(memory.get(), fill, bytes);
        return memory;
    }

    [[nodiscard]] measure::Bytes block(measure::Iteration it) const noexcept {
        return layout_.blocks == 1 ? 0 : it.index % layout_.blocks;
    }

    BufferLayout layout_;
    Memory memory_;
    std::byte* receive_;
};

/// A send and a receive buffer with another owner. Iterations use the same buffers or blocks of them in turn.
class Borrowed {
public:
    /// \param strides  distance between two blocks, in bytes
    Borrowed(void* send, void* receive, measure::Bytes blocks = 1, Sizes strides = {}) noexcept
        : send_{static_cast<std::byte*>(send)}, receive_{static_cast<std::byte*>(receive)}, blocks_{blocks},
          strides_{strides} {}
    [[nodiscard]] void* send(measure::Iteration it) const noexcept { return send_ + block(it) * strides_.send; }
    [[nodiscard]] void* receive(measure::Iteration it) const noexcept {
        return receive_ + block(it) * strides_.receive;
    }

private:
    [[nodiscard]] measure::Bytes block(measure::Iteration it) const noexcept {
        return blocks_ == 1 ? 0 : it.index % blocks_;
    }

    std::byte* send_;
    std::byte* receive_;
    measure::Bytes blocks_;
    Sizes strides_;
};

}  // namespace bodies
