// SPDX-License-Identifier: BSD-3-Clause
/// Database: one SQLite file as values: a connection, statements with rows, a transaction. Local.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

struct sqlite3;
struct sqlite3_stmt;

namespace measure::tool::archive {

/// A value of a row, or for a place in a statement.
using Cell = std::variant<std::nullptr_t, std::int64_t, double, std::string>;

/// A missing text is null.
[[nodiscard]] Cell cell(std::optional<std::string> const& text);
/// So is a missing number, and one that is not finite.
[[nodiscard]] Cell cell(std::optional<double> const& number);

/// Bytes as they are, which a text in a Cell is not for SQLite.
struct Bytes {
    std::string_view content;
};

/// A statement that is compiled. Its rows are read one after another; texts may hold any bytes.
class Statement {
public:
    /// Values for its places from the first on; the rows begin anew. \throws as Database
    Statement& bind(std::vector<Cell> const& cells);
    /// For one place. \param place  from 1
    Statement& bind(int place, Bytes bytes);
    /// The next row. \return false where there is none
    [[nodiscard]] bool next();
    /// For statements without rows.
    void run() { static_cast<void>(next()); }

    [[nodiscard]] int columns() const;
    [[nodiscard]] std::string name(int column) const;
    [[nodiscard]] Cell at(int column) const;
    [[nodiscard]] std::string text(int column) const;  ///< empty for null
    [[nodiscard]] std::int64_t integer(int column) const;
    [[nodiscard]] bool only_reads() const;

private:
    friend class Database;
    struct Free {
        void operator()(sqlite3_stmt* statement) const noexcept;
    };
    Statement(sqlite3* connection, std::string const& path, std::string_view sql);
    sqlite3* connection_;
    std::string path_;
    std::unique_ptr<sqlite3_stmt, Free> statement_;
};

/// A connection to a file. Where another process is writing it waits for up to 30 s.
///
/// What SQLite complains of is one line that begins with the file's name: measure::UsageError where the file is not
/// what is meant (no database, not to be read or written, damaged, wrong SQL), std::runtime_error where something
/// happens to it (a full disk, a lock that is never released, a broken disk).
class Database {
public:
    enum class Opens { existing, created };
    Database(std::string path, Opens opens);

    [[nodiscard]] std::string const& path() const noexcept { return path_; }
    /// One statement or several, without rows that are wanted.
    void execute(char const* sql);
    /// \param sql  one statement
    [[nodiscard]] Statement prepare(std::string_view sql) const { return {connection_.get(), path_, sql}; }
    /// From now on nothing is changed, whatever a statement says, and no other file is opened.
    void only_read();
    /// Of the row that was put in last.
    [[nodiscard]] std::int64_t last_id() const;

private:
    struct Close {
        void operator()(sqlite3* connection) const noexcept;
    };
    std::string path_;
    std::unique_ptr<sqlite3, Close> connection_;
};

/// Everything until `commit`, or nothing. Takes the lock for writing when it begins.
class Transaction {
public:
    explicit Transaction(Database& database);
    Transaction(Transaction const&) = delete;
    Transaction& operator=(Transaction const&) = delete;
    ~Transaction();
    void commit();

private:
    Database& database_;
    bool open_ = true;
};

}  // namespace measure::tool::archive
