// SPDX-License-Identifier: BSD-3-Clause
/// Flush: empties the caches between measurements of the LLCBench programs. Local.
#pragma once

#include <measure/units.hpp>

#include <memory>

namespace llcbench {

/// Twice the last-level cache, but at least 16 MiB (the size of the original programs) and at most 512 MiB.
[[nodiscard]] measure::Bytes flush_size(measure::Bytes last_level_cache) noexcept;

/// Writes a whole buffer at each call, each time with another value, so that no other data stay in the caches.
class Flush {
public:
    /// \param size  bytes of the buffer; 0: calls have no effect
    explicit Flush(measure::Bytes size);
    [[nodiscard]] measure::Bytes size() const noexcept { return size_; }
    void operator()() noexcept;

private:
    measure::Bytes size_;
    std::unique_ptr<unsigned char[]> buffer_;  // NOLINT(modernize-avoid-c-arrays): half a GiB without initial values
    unsigned char value_ = 0;
};

}  // namespace llcbench
