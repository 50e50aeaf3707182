// SPDX-License-Identifier: BSD-3-Clause
/// Buffers: the memory that a body sends from and receives into, and the policy by which iterations use it.
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

/// How the buffers of a rank lie in memory. Sizes in bytes.
struct BufferPolicy {
    measure::Bytes alignment = 64;  ///< of each block; a power of two
    /// 1: every iteration uses the same block (warm); more: so many in turn (cold). The same on all ranks that
    /// communicate, because checks of data and setups of persistent operations, which are collective, follow the
    /// blocks.
    measure::Bytes blocks = 1;
    measure::Bytes limit = std::numeric_limits<measure::Bytes>::max();  ///< of all buffers of this rank
};

/// Bytes of the send and of the receive buffer.
struct Sizes {
    measure::Bytes send = 0;
    measure::Bytes receive = 0;
};

/// What a policy gives for one pair of buffers.
struct BufferLayout {
    measure::Bytes send_stride = 0;  ///< from one block to the next
    measure::Bytes receive_stride = 0;
    measure::Bytes blocks = 1;  ///< 0: they are not within the limit
    [[nodiscard]] measure::Bytes bytes() const noexcept { return blocks * (send_stride + receive_stride); }
};

/// Blocks of a cold pool are separated by at least so much, so that no two share a cache line.
inline constexpr measure::Bytes block_gap = 64;

/// Places a send buffer and a receive buffer by a policy. Pure; 64-bit throughout. A buffer of 0 bytes has valid blocks
/// too, because MPI may look at the address.
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

/// A send and a receive buffer. Every page is written at construction: a page that was never written is one shared
/// page of zeros, which makes large messages look too fast. Move-only; addresses survive a move.
class Buffers {
public:
    /// Local. \throws std::bad_alloc also where the policy has no block, or its limit is too small
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

    /// Makes every double a normal number, so that reductions run at full speed.
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

/// A send and a receive buffer of somebody else: the same in all iterations, or blocks of them in turn.
class Borrowed {
public:
    /// \param strides  bytes from one block to the next
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
