// SPDX-License-Identifier: BSD-3-Clause
#include "archive/site_folder.hpp"

#include "program/cli/values.hpp"
#include "program/runtime/files.hpp"
#include "program/runtime/output_file.hpp"
#include "shared/sha256.hpp"

#include <measure/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <optional>

namespace measure::tool::archive {

namespace {

namespace fs = std::filesystem;
using measure::UsageError;

constexpr std::string_view list_head = "# files of a site of measure archive";
constexpr std::size_t hash_digits = 64;

bool stays_inside(std::string_view name) {
    bool const plain = std::all_of(name.begin(), name.end(), [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '.' || c == '/';
    });
    return plain && !name.empty() && !name.starts_with('/') && name.find("..") == std::string_view::npos;
}

/// The hash of an existing file; nullopt if it does not exist. Anything other than a file gives a text that equals no
/// hash.
std::optional<std::string> hash_of(fs::path const& path) {
    std::error_code error;
    auto const status = fs::symlink_status(path, error);
    if (!fs::exists(status))
        return std::nullopt;
    return fs::is_regular_file(status) ? sha256_of_file(path.string()) : "no file";
}

FileList old_list(fs::path const& path) {
    std::error_code error;
    if (!fs::exists(path, error))
        return {};
    return file_list_from(program::file_text(path.string()), path.string());
}

void make_folders(fs::path const& top, std::vector<SiteFile> const& files) {
    std::error_code error;
    fs::create_directories(top, error);
    for (auto const& file : files)
        if (!error)
            fs::create_directories((top / file.name).parent_path(), error);
    if (error || !fs::is_directory(top))
        throw UsageError(fmt::format("cannot make the folder '{}': {}", top.string(),
                                     error ? error.message() : "a file has this name"));
}

void refuse_strangers(fs::path const& top, FileList const& wanted, FileList const& old) {
    std::error_code error;
    for (auto const& [name, hashes] : wanted)
        if (!old.contains(name) && fs::exists(fs::symlink_status(top / name, error))) {
            auto const there = hash_of(top / name);
            if (!there || !hashes.contains(*there))
                throw UsageError(
                    fmt::format("'{}' exists and does not belong to an earlier site; choose another folder",
                                (top / name).string()));
        }
}

/// \return number of removed files
std::size_t remove_stale(fs::path const& top, FileList const& wanted, FileList const& old, program::Session& session) {
    std::size_t removed = 0;
    for (auto const& [name, hashes] : old) {
        auto const there = wanted.contains(name) ? std::nullopt : hash_of(top / name);
        if (!there)
            continue;
        if (hashes.contains(*there)) {
            std::error_code error;
            removed += static_cast<std::size_t>(fs::remove(top / name, error));
            fs::remove((top / name).parent_path(), error);  // fails unless it is empty
        } else {
            session.warn(fmt::format("'{}' no longer belongs to the site; it is kept because it was changed",
                                     (top / name).string()));
        }
    }
    return removed;
}

}  // namespace

FileList file_list_from(std::string_view text, std::string const& path) {
    if (!text.starts_with(list_head))
        throw UsageError(fmt::format("'{}' is not the file list of an earlier site; choose another folder", path));
    FileList list;
    for (auto const& line : program::split(text, '\n')) {
        bool const is_entry = line.size() > hash_digits + 2 && line[0] != '#' && line.substr(hash_digits, 2) == "  ";
        if (auto const name = is_entry ? line.substr(hash_digits + 2) : ""; stays_inside(name))
            list[name].insert(line.substr(0, hash_digits));
    }
    return list;
}

std::string file_list_text(FileList const& list) {
    auto text = fmt::format("{}\n", list_head);
    for (auto const& [name, hashes] : list)
        for (auto const& hash : hashes)
            text += fmt::format("{}  {}\n", hash, name);
    return text;
}

FolderChanges write_folder(std::string const& folder, std::vector<SiteFile> const& files, program::Session& session) {
    fs::path const top{folder};
    auto const old = old_list(top / list_name);
    FileList wanted;
    for (auto const& file : files)
        wanted[file.name].insert(sha256(file.text));
    make_folders(top, files);
    refuse_strangers(top, wanted, old);
    // The combined list lets a later run recognise the site even if writing is interrupted.
    auto both = old;
    for (auto const& [name, hashes] : wanted)
        both[name].insert(hashes.begin(), hashes.end());
    program::write_file(session.world(), top / list_name, file_list_text(both));
    FolderChanges changes;
    for (auto const& file : files) {
        static_cast<void>(session.meet());
        if (auto const there = hash_of(top / file.name); there && wanted[file.name].contains(*there))
            continue;
        // A site has thousands of files. If a power failure loses one, the next run notices and writes it again.
        program::write_file(session.world(), top / file.name, file.text, program::Reaches::file_system);
        ++changes.written;
    }
    changes.removed = remove_stale(top, wanted, old, session);
    program::write_file(session.world(), top / list_name, file_list_text(wanted));
    return changes;
}

}  // namespace measure::tool::archive
