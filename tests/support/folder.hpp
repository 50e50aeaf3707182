// SPDX-License-Identifier: BSD-3-Clause
/// Folder: a temporary folder for one test.
#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <string>

namespace test {

/// Is removed after the test with all its contents.
class Folder {
public:
    Folder() : path_{std::filesystem::temp_directory_path() / fmt::format("measure_test.{}", ::getpid())} {
        std::filesystem::create_directories(path_);
    }
    ~Folder() { std::filesystem::remove_all(path_); }
    Folder(Folder const&) = delete;
    Folder& operator=(Folder const&) = delete;
    [[nodiscard]] std::filesystem::path const& path() const { return path_; }
    [[nodiscard]] std::string file(std::string const& name) const { return (path_ / name).string(); }

private:
    std::filesystem::path path_;
};

}  // namespace test
