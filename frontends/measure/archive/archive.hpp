// SPDX-License-Identifier: BSD-3-Clause
/// Archive: a collection of runs in one SQLite file. It keeps each record byte by byte, next to tables of the contents.
/// Local.
#pragma once

#include "archive/condition.hpp"
#include "archive/database.hpp"
#include "archive/record.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace measure::tool::archive {

/// Label, note, machine name and tags that a user gives to a run. The record itself never changes.
struct Marks {
    std::optional<std::string> label{};
    std::optional<std::string> note{};
    std::optional<std::string> machine{};
    std::vector<std::string> tags{};
    std::vector<std::string> untags{};
};

/// The archive's row of a run.
struct RunEntry {
    std::int64_t row = 0;
    std::string hash{};  ///< SHA-256 of the record's bytes in hexadecimal; identifies the run
    std::string suite{};
    std::string program{};
    std::string started{};
    std::string mpi{};  ///< empty if the run did not use MPI
    std::string machine{};
    std::string kernel{};
    std::int64_t ranks = 0;
    std::int64_t points = 0;
    std::string status{};
    std::string label{};
    std::string note{};
    std::vector<std::string> tags{};
    /// The first ten digits of the hash. Commands accept them as the ID of the run.
    [[nodiscard]] std::string id() const { return hash.substr(0, 10); }
};

/// The archive's row of a point.
struct PointEntry {
    std::string run{};  ///< hash of the run
    std::string label{};
    std::string machine{};
    std::string mpi{};
    std::string started{};
    std::string suite{};
    std::string benchmark{};
    std::vector<std::pair<std::string, Cell>> at{};
    std::string quantity{};
    std::string unit{};
    Cell value{};
    Cell low{};   ///< lower end of the interval that belongs to the value, see interval_of
    Cell high{};  ///< upper end of that interval
    std::string verdict{};
    std::string flags{};  ///< separated by spaces
};

/// The effect of adding a run.
struct Addition {
    enum class What {
        added,     ///< the run was new
        known,     ///< the archive already had the same bytes
        replaced,  ///< the archive had an earlier state of the run; the new one contains all of it
        older,     ///< the archive has a later state of the run, which contains all of the new one
        differs,   ///< added although `other` has the same run line and different content
    };
    What what = What::added;
    std::string id{};     ///< ID of the run that the archive has now
    std::string other{};  ///< ID of the run that the archive had before
};

/// The effect as text: "added", "known".
[[nodiscard]] std::string_view name(Addition::What what) noexcept;

class Archive {
public:
    /// Version of the tables, stored as `user_version` of the file.
    static constexpr int schema = 1;

    /// Opens an existing archive for reading. \throws measure::UsageError if it does not exist or is not an archive
    [[nodiscard]] static Archive reading(std::string const& path);
    /// Opens an existing archive for changing.
    [[nodiscard]] static Archive changing(std::string const& path);
    /// Opens an archive for changing and creates it if it does not exist.
    [[nodiscard]] static Archive creating(std::string const& path);

    /// Groups the changes that follow: all of them are applied, or none.
    [[nodiscard]] Transaction transaction() { return Transaction{database_}; }
    [[nodiscard]] Database& database() noexcept { return database_; }

    Addition add(ArchivedRun const& run, Marks const& marks);
    void mark(std::int64_t run, Marks const& marks);
    void remove(std::int64_t run);

    [[nodiscard]] std::string const& path() const noexcept { return database_.path(); }

    /// The run that an ID of at least four digits names. \throws measure::UsageError if no run or several runs match
    [[nodiscard]] RunEntry find(std::string const& id) const;
    /// The runs that meet all conditions, oldest first. One point must meet all conditions on points.
    [[nodiscard]] std::vector<RunEntry> runs(std::vector<Condition> const& conditions = {}) const;
    /// The points that meet all conditions, ordered by run (oldest first) and then as in the record.
    [[nodiscard]] std::vector<PointEntry> points(std::vector<Condition> const& conditions) const;
    /// The bytes that were added. \throws std::runtime_error if they have changed since
    [[nodiscard]] std::string content(RunEntry const& run) const;
    /// One line for each damage found; empty if the archive is intact.
    [[nodiscard]] std::vector<std::string> damages() const;

private:
    explicit Archive(Database database) : database_{std::move(database)} {}
    void check_schema() const;
    [[nodiscard]] SearchTerms search(std::vector<Condition> const& conditions) const;
    [[nodiscard]] std::vector<RunEntry> entries(Statement& rows) const;
    /// The run of the archive that has the same run line, and what to do about it.
    struct Sighting {
        Addition::What what = Addition::What::added;
        std::int64_t row = 0;
        std::string hash{};
    };
    [[nodiscard]] Sighting same_run(ArchivedRun const& run, std::string const& hash, std::string const& line) const;
    std::int64_t put_in(ArchivedRun const& run, std::string const& hash, std::string const& line);
    void put_points(std::int64_t row, measure::RunRecord const& record);
    Database database_;
};

}  // namespace measure::tool::archive
