// SPDX-License-Identifier: BSD-3-Clause
/// Flush: how the LLCBench programs empty the caches between measurements. Local.
#pragma once

#include <measure/units.hpp>

#include <memory>

namespace llcbench {

/// Twice the last-level cache, between 16 MiB (what the original programs write) and 512 MiB.
[[nodiscard]] measure::Bytes flush_size(measure::Bytes last_level_cache) noexcept;

/// A buffer that is written whole at each call, with another value each time, so that nothing else stays in the caches.
class Flush {
public:
    /// \param size  0: nothing is flushed
    explicit Flush(measure::Bytes size);
    [[nodiscard]] measure::Bytes size() const noexcept { return size_; }
    void operator()() noexcept;

private:
    measure::Bytes size_;
    std::unique_ptr<unsigned char[]> buffer_;  // NOLINT(modernize-avoid-c-arrays): half a GiB without initial values
    unsigned char value_ = 0;
};

}  // namespace llcbench
