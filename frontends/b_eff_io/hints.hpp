// SPDX-License-Identifier: BSD-3-Clause
/// Hints: the info file, and the selection of its lines for a file or pattern. Every rank parses the same text.
#pragma once

#include "b_eff_io/rules.hpp"

#include <mpi.h>

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace b_eff_io {

/// Keys and values. A later value replaces an earlier one of the same key.
using HintList = std::vector<std::pair<std::string, std::string>>;

/// The hints that request direct I/O, each "true".
inline constexpr std::array direct_hints{"direct_read", "direct_write"};

/// One line: the places where it applies (a missing member means everywhere), a key and a value.
struct HintRule {
    enum class Place { open, patterns, everywhere };
    std::optional<int> ranks{};
    std::optional<Access> access{};
    std::optional<Type> type{};
    Place place = Place::everywhere;
    std::optional<measure::Bytes> chunk{};  ///< with Place::patterns; part_of_memory stands for M_PART
    std::string key{};
    std::string value{};
};

class Hints {
public:
    Hints() = default;
    /// \param path  name of the file in error messages \throws program::ParseErrors with all errors in the file
    Hints(std::string const& path, std::string const& text, Setting const& setting);

    /// Adds a hint for opening any file. A line of the info file overrides it.
    void add_at_open(std::string key, std::string value);

    [[nodiscard]] HintList at_open(int ranks, Access access, Type type) const;
    /// \param chunk  as in the table, not resolved
    [[nodiscard]] HintList at_pattern(int ranks, Access access, Type type, measure::Bytes chunk) const;

private:
    std::vector<HintRule> rules_{};
};

/// A list as an MPI_Info object. Not copyable.
class Info {
public:
    explicit Info(HintList const& list);
    Info(Info const&) = delete;
    Info& operator=(Info const&) = delete;
    ~Info();
    /// MPI_INFO_NULL if the list is empty.
    [[nodiscard]] MPI_Info native() const noexcept { return info_; }

private:
    MPI_Info info_ = MPI_INFO_NULL;
};

/// The hints that the MPI library uses for an open file. Local.
[[nodiscard]] HintList hints_in_use(MPI_File file);

/// Returns "striping_factor=4 cb_nodes=2", or "none".
[[nodiscard]] std::string text(HintList const& list);

}  // namespace b_eff_io
