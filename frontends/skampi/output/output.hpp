// SPDX-License-Identifier: BSD-3-Clause
/// Output file: the format of skampi.out as values, written and read. Pure and local; no MPI.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace skampi {

/// "KEY text" in the head, "key = value" in a block.
struct Field {
    std::string key{};
    std::string value{};
    friend bool operator==(Field const&, Field const&) = default;
};

/// The first value of that key, or nullptr.
[[nodiscard]] std::string const* find(std::vector<Field> const& fields, std::string_view key) noexcept;

/// Of a row that was measured while memory was new.
inline constexpr char const* unsettled_flag = "unsettled";
/// Of a row of a window-synchronised measurement that was measured with barriers, because no window was kept.
inline constexpr char const* fallback_flag = "fallback-barrier";

/// One point.
struct Row {
    std::int64_t argument = 0;
    std::int64_t length = 0;        ///< bytes of a message
    double time = 0;                ///< microseconds, as the other times here
    std::optional<double> error{};  ///< standard error; nothing of a single sample
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
    std::vector<Row> rows{};         ///< ascending in the argument
    std::vector<Field> trailer{};
    double duration = 0;  ///< s
    [[nodiscard]] std::string const* key(std::string_view wanted) const noexcept { return find(keys, wanted); }
    /// "ok", "skipped", "abandoned", "incomplete", "failed"; "ok" where the block has none.
    [[nodiscard]] std::string status() const;
};

/// The key of a block whose node times are in ascending order in each row, and not by rank.
[[nodiscard]] inline Field sorted_node_times() { return {"node_times", "sorted"}; }
[[nodiscard]] bool has_sorted_node_times(Block const& block) noexcept;

/// A whole file.
struct Output {
    std::vector<Field> head{};  ///< in order; a key may come again
    std::vector<Block> blocks{};
    std::string finished{};  ///< date; empty: an unfinished run
    double runtime = 0;      ///< s
    [[nodiscard]] std::string const* head_key(std::string_view name) const noexcept { return find(head, name); }
    [[nodiscard]] Block const* block(std::string_view name) const noexcept;
};

// The text, with '.' as the decimal point whatever the locale; columns are aligned within a block.
[[nodiscard]] std::string head_text(std::vector<Field> const& head);
[[nodiscard]] std::string block_text(Block const& block);
[[nodiscard]] std::string tail_text(std::string_view date, double runtime);
[[nodiscard]] std::string text(Output const& output);  ///< without a tail where `finished` is empty

/// Whether a text begins as an output file.
[[nodiscard]] bool is_output(std::string_view text) noexcept;

/// Reads a file. Unknown keys are kept; a torn last block (no end marker) is left out of an unfinished file.
/// \param path  for the messages  \throws program::ParseErrors with all faults
[[nodiscard]] Output read_output(std::string_view text, std::string const& path);

}  // namespace skampi
