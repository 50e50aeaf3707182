// SPDX-License-Identifier: BSD-3-Clause
#include "archive/database.hpp"

#include <measure/error.hpp>

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <sqlite3.h>
#include <stdexcept>
#include <utility>

namespace measure::tool::archive {

namespace {

constexpr int patience_ms = 30000;

std::string in_words(int code, std::string const& message) {
    switch (code) {
    case SQLITE_NOTADB:
        return "not an archive, because it is not an SQLite database";
    case SQLITE_CORRUPT:
        return fmt::format("the archive is damaged ({})", message);
    case SQLITE_CANTOPEN:
        return fmt::format("cannot be opened ({})", message);
    case SQLITE_READONLY:
        return "cannot be written; the file or its folder is read-only";
    case SQLITE_PERM:
    case SQLITE_AUTH:
        return fmt::format("is not allowed ({})", message);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return fmt::format("locked by another process for more than {} s", patience_ms / 1000);
    case SQLITE_FULL:
        return "no space is left on the disk";
    case SQLITE_TOOBIG:
        return "a record exceeds SQLite's limit of 1 GB";
    default:
        return message;
    }
}

[[noreturn]] void fail(std::string const& path, int code, std::string const& message) {
    auto const line = fmt::format("'{}': {}", path, in_words(code & 0xff, message));
    switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_FULL:
    case SQLITE_IOERR:
    case SQLITE_NOMEM:
    case SQLITE_INTERNAL:
        throw std::runtime_error(line);
    default:
        throw measure::UsageError(line);
    }
}

/// SQLite's message. If a disk error occurred or the file cannot be opened, the system's message is appended.
std::string message_of(sqlite3* connection, int code) {
    std::string const message = sqlite3_errmsg(connection);
    bool const of_system = (code & 0xff) == SQLITE_IOERR || (code & 0xff) == SQLITE_CANTOPEN;
    int const error = of_system ? sqlite3_system_errno(connection) : 0;
    return error == 0 ? message : fmt::format("{}: {}", message, std::strerror(error));
}

void check(sqlite3* connection, std::string const& path, int code) {
    if (code != SQLITE_OK)
        fail(path, code, message_of(connection, code));
}

/// Protects paths that SQLite would interpret as something other than a file.
std::string as_file(std::string const& path) {
    return path.starts_with(':') || path.starts_with("file:") ? "./" + path : path;
}

/// Rejects devices and pipes, for which SQLite reports only an I/O error.
void refuse_device(std::string const& path) {
    std::error_code error;
    auto const status = std::filesystem::status(path, error);
    if (std::filesystem::is_other(status))
        throw measure::UsageError(fmt::format("'{}': not an archive, because it is not a regular file", path));
}

int refuse_other_files(void*, int action, char const*, char const*, char const*, char const*) {
    return action == SQLITE_ATTACH || action == SQLITE_DETACH || action == SQLITE_PRAGMA ? SQLITE_DENY : SQLITE_OK;
}

}  // namespace

Cell cell(std::optional<std::string> const& text) { return text ? Cell{*text} : Cell{nullptr}; }
Cell cell(std::optional<double> const& number) {
    return number && std::isfinite(*number) ? Cell{*number} : Cell{nullptr};
}

void Statement::Free::operator()(sqlite3_stmt* statement) const noexcept { sqlite3_finalize(statement); }

Statement::Statement(sqlite3* connection, std::string const& path, std::string_view sql)
    : connection_{connection}, path_{path} {
    sqlite3_stmt* statement = nullptr;
    char const* rest = nullptr;
    check(connection, path,
          sqlite3_prepare_v2(connection, sql.data(), static_cast<int>(sql.size()), &statement, &rest));
    statement_.reset(statement);
    auto const left = sql.substr(static_cast<std::size_t>(rest - sql.data()));
    if (statement == nullptr || left.find_first_not_of("; \t\n") != std::string_view::npos)
        fail(path, SQLITE_ERROR, "not a single SQL statement");
}

Statement& Statement::bind(std::vector<Cell> const& cells) {
    sqlite3_reset(statement_.get());
    int place = 0;
    for (auto const& value : cells) {
        ++place;
        int const code = std::visit(
            [&](auto const& v) {
                using T = std::remove_cvref_t<decltype(v)>;
                if constexpr (std::is_same_v<T, std::nullptr_t>)
                    return sqlite3_bind_null(statement_.get(), place);
                else if constexpr (std::is_same_v<T, std::int64_t>)
                    return sqlite3_bind_int64(statement_.get(), place, v);
                else if constexpr (std::is_same_v<T, double>)
                    return sqlite3_bind_double(statement_.get(), place, v);
                else
                    return sqlite3_bind_text64(statement_.get(), place, v.data(), v.size(), SQLITE_TRANSIENT,
                                               SQLITE_UTF8);
            },
            value);
        check(connection_, path_, code);
    }
    return *this;
}

Statement& Statement::bind(int place, Bytes bytes) {
    check(connection_, path_,
          sqlite3_bind_blob64(statement_.get(), place, bytes.content.data(), bytes.content.size(), SQLITE_TRANSIENT));
    return *this;
}

bool Statement::next() {
    int const code = sqlite3_step(statement_.get());
    if (code == SQLITE_ROW)
        return true;
    if (code == SQLITE_DONE)
        return false;
    std::string const message = message_of(connection_, code);
    sqlite3_reset(statement_.get());
    fail(path_, code, message);
}

int Statement::columns() const { return sqlite3_column_count(statement_.get()); }
std::string Statement::name(int column) const { return sqlite3_column_name(statement_.get(), column); }
std::int64_t Statement::integer(int column) const { return sqlite3_column_int64(statement_.get(), column); }
bool Statement::only_reads() const { return sqlite3_stmt_readonly(statement_.get()) != 0; }

std::string Statement::text(int column) const {
    auto const* const begin = static_cast<char const*>(sqlite3_column_blob(statement_.get(), column));
    auto const size = static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column));
    return begin == nullptr ? std::string{} : std::string{begin, size};
}

Cell Statement::at(int column) const {
    switch (sqlite3_column_type(statement_.get(), column)) {
    case SQLITE_NULL:
        return nullptr;
    case SQLITE_INTEGER:
        return integer(column);
    case SQLITE_FLOAT:
        return sqlite3_column_double(statement_.get(), column);
    default:
        return text(column);
    }
}

void Database::Close::operator()(sqlite3* connection) const noexcept { sqlite3_close_v2(connection); }

Database::Database(std::string path, Opens opens) : path_{std::move(path)} {
    refuse_device(path_);
    sqlite3* connection = nullptr;
    // Open for writing even if nothing will be written: SQLite must undo what a killed process left unfinished.
    int const flags = SQLITE_OPEN_READWRITE | (opens == Opens::created ? SQLITE_OPEN_CREATE : 0);
    int const code = sqlite3_open_v2(as_file(path_).c_str(), &connection, flags, nullptr);
    connection_.reset(connection);
    check(connection, path_, code);
    sqlite3_extended_result_codes(connection, 0);
    sqlite3_busy_timeout(connection, patience_ms);
    execute("PRAGMA foreign_keys = ON");
}

void Database::execute(char const* sql) {
    check(connection_.get(), path_, sqlite3_exec(connection_.get(), sql, nullptr, nullptr, nullptr));
}

void Database::only_read() {
    execute("PRAGMA query_only = ON");
    check(connection_.get(), path_, sqlite3_set_authorizer(connection_.get(), refuse_other_files, nullptr));
}

std::int64_t Database::last_id() const { return sqlite3_last_insert_rowid(connection_.get()); }

Transaction::Transaction(Database& database) : database_{database} { database_.execute("BEGIN IMMEDIATE"); }

Transaction::~Transaction() {
    if (!open_)
        return;
    try {
        database_.execute("ROLLBACK");
    } catch (std::exception const&) {
        // SQLite rolls back on its own after a severe error.
    }
}

void Transaction::commit() {
    database_.execute("COMMIT");
    open_ = false;
}

}  // namespace measure::tool::archive
