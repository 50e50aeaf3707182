// SPDX-License-Identifier: BSD-3-Clause
/// Database: an SQLite file with value types: connection, statements with rows, transaction. Local.
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

/// A value in a row, or for a placeholder of a statement.
using Cell = std::variant<std::nullptr_t, std::int64_t, double, std::string>;

/// A missing text becomes null.
[[nodiscard]] Cell cell(std::optional<std::string> const& text);
/// A missing or non-finite number becomes null.
[[nodiscard]] Cell cell(std::optional<double> const& number);

/// Raw bytes. SQLite would treat a string in a Cell as text.
struct Bytes {
    std::string_view content;
};

/// A compiled statement. Its rows are read one after another; texts may contain any bytes.
class Statement {
public:
    /// Sets all placeholders, beginning with the first, and restarts the rows. \throws as Database
    Statement& bind(std::vector<Cell> const& cells);
    /// Sets one placeholder. \param place  counts from 1
    Statement& bind(int place, Bytes bytes);
    /// Moves to the next row. \return false after the last row
    [[nodiscard]] bool next();
    /// Runs a statement that has no rows.
    void run() { static_cast<void>(next()); }

    [[nodiscard]] int columns() const;
    [[nodiscard]] std::string name(int column) const;
    [[nodiscard]] Cell at(int column) const;
    [[nodiscard]] std::string text(int column) const;  ///< empty if null
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

/// A connection to a file. It waits up to 30 s while another process is writing.
///
/// SQLite errors are reported in one line that begins with the name of the file. The exception is measure::UsageError
/// if the file is unsuitable (not a database, not readable or writable, damaged, wrong SQL), and std::runtime_error if
/// an operation on it fails (disk full, lock never released, broken disk).
class Database {
public:
    enum class Opens { existing, created };
    Database(std::string path, Opens opens);

    [[nodiscard]] std::string const& path() const noexcept { return path_; }
    /// Runs one or more statements and ignores their rows.
    void execute(char const* sql);
    /// \param sql  one statement
    [[nodiscard]] Statement prepare(std::string_view sql) const { return {connection_.get(), path_, sql}; }
    /// Makes the connection read-only and prevents it from opening other files, whatever a statement asks for.
    void only_read();
    /// The ID of the last row inserted.
    [[nodiscard]] std::int64_t last_id() const;

private:
    struct Close {
        void operator()(sqlite3* connection) const noexcept;
    };
    std::string path_;
    std::unique_ptr<sqlite3, Close> connection_;
};

/// Applies everything up to `commit`, or nothing. Takes the write lock when it begins.
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
