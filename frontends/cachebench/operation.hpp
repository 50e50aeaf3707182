// SPDX-License-Identifier: BSD-3-Clause
/// Operation: one test on one vector: filled, measured, checked.
#pragma once

#include "cachebench/result.hpp"
#include "cachebench/vectors.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace cachebench {

/// What to run, and on what.
struct Task {
    Test const* test = nullptr;
    Type const* type = nullptr;
    LoopTable const* loops = nullptr;  ///< of the flavour or the instruction set
    measure::Bytes bytes = 0;
    std::uint64_t seed = 1;  ///< of the latency test's permutation
};

/// Local. The vectors are the arena's and belong to one operation at a time.
class Operation {
public:
    /// Fills the vectors.
    Operation(Task const& task, Arena const& arena);

    [[nodiscard]] Counts const& counts() const noexcept { return counts_; }
    /// Most passes of one block: a float cannot count further than 2^24.
    [[nodiscard]] std::int64_t longest_block() const noexcept;
    [[nodiscard]] bool is_limited() const noexcept;  ///< whether a block has a longest length at all
    /// To be called, untimed, before a block of so many passes.
    void make_ready(std::int64_t passes);
    /// The timed part. \param passes  >= 1
    void run(std::int64_t passes);

    /// Whether the vectors and sums are what all passes so far must have left. \return what is wrong, or nothing:
    /// "element 16 is 3, not 4"
    [[nodiscard]] std::optional<std::string> defect() const;
    /// Spoils what `defect` looks at: for tests.
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
    Passes passes_;              ///< what the kernel gets
    std::int64_t done_ = 0;      ///< passes since the vectors were filled
    std::int64_t ones_ = 0;      ///< elements that are 1 for a read, the others being 0
    std::int64_t per_call_ = 0;  ///< passes after which a sum must be taken out of the kernel
    std::uint64_t sum_ = 0;
    bool whole_cycle_ = true;  ///< latency: the cycle has all nodes, and each pass came back to its start
};

/// Most passes of one block of a test: see Operation::longest_block.
[[nodiscard]] std::int64_t longest_block(Test const& test, Type const& type) noexcept;

/// Links nodes of 64 bytes from `base` on into one cycle in random order, and follows it. Local.
/// \param n  >= 1  \return the number of nodes in the cycle that begins at the first one: n
[[nodiscard]] std::int64_t make_cycle(void* base, std::int64_t n, std::uint64_t seed);

}  // namespace cachebench
