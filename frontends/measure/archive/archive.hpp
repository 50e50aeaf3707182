// SPDX-License-Identifier: BSD-3-Clause
/// Archive: a collection of runs in one SQLite file: their records byte by byte, and tables of what is in them. Local.
#pragma once

#include "archive/condition.hpp"
#include "archive/database.hpp"
#include "archive/record.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace measure::tool::archive {

/// What a user says of a run; the record itself never changes.
struct Marks {
    std::optional<std::string> label{};
    std::optional<std::string> note{};
    std::optional<std::string> machine{};
    std::vector<std::string> tags{};
    std::vector<std::string> untags{};
};

/// A run as the archive knows it.
struct RunEntry {
    std::int64_t row = 0;
    std::string hash{};  ///< SHA-256 of its bytes, hexadecimal: its name
    std::string suite{};
    std::string program{};
    std::string started{};
    std::string mpi{};  ///< empty: without MPI
    std::string machine{};
    std::string kernel{};
    std::int64_t ranks = 0;
    std::int64_t points = 0;
    std::string status{};
    std::string label{};
    std::string note{};
    std::vector<std::string> tags{};
    /// The first digits of its name, which commands take for all of it.
    [[nodiscard]] std::string id() const { return hash.substr(0, 10); }
};

/// A point as the archive knows it.
struct PointEntry {
    std::string run{};  ///< hash
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
    Cell low{};   ///< the interval that belongs to the value, see interval_of
    Cell high{};  ///< likewise
    std::string verdict{};
    std::string flags{};  ///< separated by blanks
};

/// What adding a run did.
struct Addition {
    enum class What {
        added,     ///< it was not there
        known,     ///< the same bytes are there
        replaced,  ///< an earlier state of the run was there, all of which is in this one
        older,     ///< a later state of the run is there, which has all of this one
        differs,   ///< added, although the archive has a run with the same run line: `other`
    };
    What what = What::added;
    std::string id{};     ///< of the run that the archive has now
    std::string other{};  ///< of the one that was there
};

/// As a word: "added", "known".
[[nodiscard]] std::string_view name(Addition::What what) noexcept;

class Archive {
public:
    /// Version of the tables; a file has it as `user_version`.
    static constexpr int schema = 1;

    /// One that exists, for reading. \throws measure::UsageError where it does not, or is none of ours
    [[nodiscard]] static Archive reading(std::string const& path);
    /// One that exists, for changing.
    [[nodiscard]] static Archive changing(std::string const& path);
    /// One that is made where there is none.
    [[nodiscard]] static Archive creating(std::string const& path);

    /// What follows is done wholly or not at all.
    [[nodiscard]] Transaction transaction() { return Transaction{database_}; }
    [[nodiscard]] Database& database() noexcept { return database_; }

    Addition add(ArchivedRun const& run, Marks const& marks);
    void mark(std::int64_t run, Marks const& marks);
    void remove(std::int64_t run);

    [[nodiscard]] std::string const& path() const noexcept { return database_.path(); }

    /// The run that an ID of at least four digits means. \throws measure::UsageError where there is none, or several
    [[nodiscard]] RunEntry find(std::string const& id) const;
    /// The runs for which all conditions hold, those on points of one and the same point; oldest start first.
    [[nodiscard]] std::vector<RunEntry> runs(std::vector<Condition> const& conditions = {}) const;
    /// The points for which all conditions hold: by run as above, then as they stand in the record.
    [[nodiscard]] std::vector<PointEntry> points(std::vector<Condition> const& conditions) const;
    /// The bytes that were added. \throws std::runtime_error where they are no longer what they were
    [[nodiscard]] std::string content(RunEntry const& run) const;
    /// Damages, a line each; empty where there is none.
    [[nodiscard]] std::vector<std::string> damages() const;

private:
    explicit Archive(Database database) : database_{std::move(database)} {}
    void check_schema() const;
    [[nodiscard]] SearchTerms search(std::vector<Condition> const& conditions) const;
    [[nodiscard]] std::vector<RunEntry> entries(Statement& rows) const;
    /// The run that the archive has under the same run line, with what is to be done about it.
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
