// SPDX-License-Identifier: BSD-3-Clause
/// Hints: the info file, and which of its lines apply where. The file's text is read alike on every rank.
#pragma once

#include "b_eff_io/rules.hpp"

#include <mpi.h>

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace b_eff_io {

/// Keys and values; a later one replaces an earlier one of the same key.
using HintList = std::vector<std::pair<std::string, std::string>>;

/// What asks for direct I/O, each "true".
inline constexpr std::array direct_hints{"direct_read", "direct_write"};

/// One line: where it applies - nothing stands for everywhere - and what it says.
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
    /// \param path  for the messages \throws program::ParseErrors with all faults
    Hints(std::string const& path, std::string const& text, Setting const& setting);

    /// Adds a hint for all files when they are opened. A line of the file says otherwise.
    void add_at_open(std::string key, std::string value);

    [[nodiscard]] HintList at_open(int ranks, Access access, Type type) const;
    /// \param chunk  as in the table, not resolved
    [[nodiscard]] HintList at_pattern(int ranks, Access access, Type type, measure::Bytes chunk) const;

private:
    std::vector<HintRule> rules_{};
};

/// A list as MPI takes it. Move-only.
class Info {
public:
    explicit Info(HintList const& list);
    Info(Info const&) = delete;
    Info& operator=(Info const&) = delete;
    ~Info();
    /// MPI_INFO_NULL where the list is empty.
    [[nodiscard]] MPI_Info native() const noexcept { return info_; }

private:
    MPI_Info info_ = MPI_INFO_NULL;
};

/// What the library uses for an open file. Local.
[[nodiscard]] HintList hints_in_use(MPI_File file);

/// "striping_factor=4 cb_nodes=2"; "none".
[[nodiscard]] std::string text(HintList const& list);

}  // namespace b_eff_io
