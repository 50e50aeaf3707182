// SPDX-License-Identifier: BSD-3-Clause
/// Operation: fills the vectors of one test at one size, runs the test and checks the result.
#pragma once

#include "cachebench/result.hpp"
#include "cachebench/vectors.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace cachebench {

/// A test and the vectors that it runs on.
struct Task {
    Test const* test = nullptr;
    Type const* type = nullptr;
    LoopTable const* loops = nullptr;  ///< loops of the flavour or instruction set
    measure::Bytes bytes = 0;
    std::uint64_t seed = 1;  ///< seed of the latency test's permutation
};

/// Local. Uses the arena's memory, so only one operation may use an arena at a time.
class Operation {
public:
    /// Creates the operation and fills its vectors.
    Operation(Task const& task, Arena const& arena);

    [[nodiscard]] Counts const& counts() const noexcept { return counts_; }
    /// Maximum number of passes of one block. Limited for float, which counts exactly only up to 2^24.
    [[nodiscard]] std::int64_t longest_block() const noexcept;
    [[nodiscard]] bool is_limited() const noexcept;  ///< whether `longest_block` is a real limit
    /// Prepares a block with this number of passes. Call it untimed before the block.
    void make_ready(std::int64_t passes);
    /// Runs the passes. This is the timed part. \param passes  >= 1
    void run(std::int64_t passes);

    /// Checks the vectors and sums against the passes made so far.
    /// \return the error, such as "element 16 is 3, not 4", or nullopt
    [[nodiscard]] std::optional<std::string> defect() const;
    /// Corrupts the data that `defect` checks, for tests.
    void damage();

private:
    void fill();
    [[nodiscard]] std::optional<std::string> wrong_sum() const;
    [[nodiscard]] std::optional<std::string> wrong_elements() const;
    [[nodiscard]] std::uint64_t range() const noexcept;
    [[nodiscard]] bool is_float() const noexcept { return task_.type->element == Element::float32; }

    Task task_;
    Counts counts_;
    Chosen chosen_;
    Passes passes_;              ///< arguments of the kernel
    std::int64_t done_ = 0;      ///< passes since the last fill
    std::int64_t ones_ = 0;      ///< read: number of elements that are 1; all others are 0
    std::int64_t per_call_ = 0;  ///< maximum passes of one kernel call, so that its sum stays exact
    std::uint64_t sum_ = 0;
    bool whole_cycle_ = true;  ///< latency: the cycle has all nodes and each pass returned to its start
};

/// Maximum number of passes of one block of a test; see Operation::longest_block.
[[nodiscard]] std::int64_t longest_block(Test const& test, Type const& type) noexcept;

/// Links `n` nodes of 64 bytes, starting at `base`, into one cycle in random order, then follows the cycle. Local.
/// \param n  >= 1  \return the number of nodes in the cycle through the first node, which is n if all is well
[[nodiscard]] std::int64_t make_cycle(void* base, std::int64_t n, std::uint64_t seed);

}  // namespace cachebench
