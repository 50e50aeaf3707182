// SPDX-License-Identifier: BSD-3-Clause
/// Output file: reads and writes the format of skampi.out. Pure and local; no MPI.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace skampi {

/// A line "KEY text" in the head or "key = value" in a block.
struct Field {
    std::string key{};
    std::string value{};
    friend bool operator==(Field const&, Field const&) = default;
};

/// Returns the first value of a key, or nullptr.
[[nodiscard]] std::string const* find(std::vector<Field> const& fields, std::string_view key) noexcept;

/// Flag of a row that was measured while memory was new.
inline constexpr char const* unsettled_flag = "unsettled";
/// Flag of a row of a window-synchronised measurement that was measured with barriers because no window was kept.
inline constexpr char const* fallback_flag = "fallback-barrier";

/// One point.
struct Row {
    std::int64_t argument = 0;
    std::int64_t length = 0;        ///< message length in bytes
    double time = 0;                ///< microseconds, as the other times here
    std::optional<double> error{};  ///< standard error; missing for a single sample
    std::int64_t samples = 0;
    std::vector<std::optional<double>> node_times{};
    std::vector<std::string> flags{};
    [[nodiscard]] bool has(std::string_view flag) const noexcept;
};

/// One measurement.
struct Block {
    std::string name{};
    std::vector<Field> keys{};
    std::string variable = "point";  ///< "length", "nodes", "chunks", "point"
    std::vector<Row> rows{};         ///< in ascending order of the argument
    std::vector<Field> trailer{};
    double duration = 0;  ///< in seconds
    [[nodiscard]] std::string const* key(std::string_view wanted) const noexcept { return find(keys, wanted); }
    /// Returns "ok", "skipped", "abandoned", "incomplete" or "failed". A block without a status is "ok".
    [[nodiscard]] std::string status() const;
};

/// The key of a block whose node times are sorted in each row instead of listed by rank.
[[nodiscard]] inline Field sorted_node_times() { return {"node_times", "sorted"}; }
[[nodiscard]] bool has_sorted_node_times(Block const& block) noexcept;

/// A whole file.
struct Output {
    std::vector<Field> head{};  ///< in order; keys can repeat
    std::vector<Block> blocks{};
    std::string finished{};  ///< date; empty for an unfinished run
    double runtime = 0;      ///< in seconds
    [[nodiscard]] std::string const* head_key(std::string_view name) const noexcept { return find(head, name); }
    [[nodiscard]] Block const* block(std::string_view name) const noexcept;
};

// These functions write '.' as the decimal point in every locale and align the columns within a block.
[[nodiscard]] std::string head_text(std::vector<Field> const& head);
[[nodiscard]] std::string block_text(Block const& block);
[[nodiscard]] std::string tail_text(std::string_view date, double runtime);
[[nodiscard]] std::string text(Output const& output);  ///< without a tail if `finished` is empty

/// Whether a text begins like an output file.
[[nodiscard]] bool is_output(std::string_view text) noexcept;

/// Parses a file. Unknown keys are kept. In an unfinished file, an incomplete last block (no end marker) is ignored.
/// \param path  name of the file in error messages  \throws program::ParseErrors with all errors in the file
[[nodiscard]] Output read_output(std::string_view text, std::string const& path);

}  // namespace skampi
