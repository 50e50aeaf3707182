// SPDX-License-Identifier: BSD-3-Clause
#include "program/runtime/files.hpp"
#include "program/runtime/result_file.hpp"
#include "program/runtime/temporary_file.hpp"
#include "support/catch.hpp"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

namespace fs = std::filesystem;
using measure::Comm;
using program::TemporaryFile;

namespace {

/// A folder of its own that is removed with everything in it.
struct Folder {
    fs::path path = fs::temp_directory_path() / ("common_files_test." + std::to_string(::getpid()));
    Folder() { fs::create_directories(path); }
    ~Folder() { fs::remove_all(path); }
    [[nodiscard]] std::string file(std::string const& name) const { return (path / name).string(); }
};

}  // namespace

TEST_CASE("what is written to an output file is read back, and an old file is replaced", "[common][files]") {
    Folder const folder;
    Comm const solo = Comm::solo();
    std::ofstream{folder.file("a")} << "something that was longer before\n";
    {
        program::OutputFile file = program::open_file(solo, folder.file("a"));
        file.stream() << "one\n";
        program::OutputFile moved = std::move(file);
        moved.stream() << "two\n";
        moved.flush();
    }
    CHECK(program::read_file(solo, folder.file("a")) == "one\ntwo\n");
}

TEST_CASE("a file per rank has the rank behind its name", "[common][files]") {
    Folder const folder;
    program::open_file_per_rank(Comm::solo(), folder.file("log")).stream() << "x";
    CHECK(program::read_file(Comm::solo(), folder.file("log.0")) == "x");
}

TEST_CASE("an output file that was never opened drops what is written", "[common][files]") {
    program::OutputFile file;
    file.stream() << "nothing";
    CHECK_NOTHROW(file.flush());
}

TEST_CASE("an empty file is read as an empty text", "[common][files]") {
    Folder const folder;
    std::ofstream{folder.file("empty")}.flush();
    CHECK(program::read_file(Comm::solo(), folder.file("empty")).empty());
}

TEST_CASE("a file that cannot be used is the user's fault and is named with the reason", "[common][files]") {
    CHECK_THROWS_WITH(program::read_file(Comm::solo(), "/nonexistent/x"),
                      "cannot read '/nonexistent/x': No such file or directory");
    CHECK_THROWS_WITH(program::open_file(Comm::solo(), "/nonexistent/x"),
                      "cannot write '/nonexistent/x': No such file or directory");
    CHECK_THROWS_AS(program::read_file(Comm::solo(), "/"), measure::UsageError);
    CHECK_THROWS_AS(program::open_file(Comm::solo(), "/"), measure::UsageError);
}

TEST_CASE("output that does not fit on the device is an error when it is flushed", "[common][files]") {
    program::OutputFile file = program::open_file(Comm::solo(), "/dev/full");
    file.stream() << "x";
    CHECK_THROWS_WITH(file.flush(), "cannot write '/dev/full': No space left on device");
}

TEST_CASE("a temporary file is gone with its last owner", "[common][files]") {
    Folder const folder;
    std::ofstream{folder.file("t")} << "x";
    {
        TemporaryFile first{folder.file("t")};
        TemporaryFile const second = std::move(first);
        CHECK(second.path() == folder.file("t"));
        CHECK(fs::exists(folder.file("t")));
    }
    CHECK_FALSE(fs::exists(folder.file("t")));
}

TEST_CASE("all temporary files are unlinked at once when a signal ends the program", "[common][files]") {
    Folder const folder;
    TemporaryFile const a{folder.file("a")};
    TemporaryFile const b{folder.file("b")};
    std::ofstream{a.path()} << "x";
    std::ofstream{b.path()} << "x";
    std::ofstream{folder.file("c")} << "x";
    program::unlink_temporary_files();
    CHECK_FALSE(fs::exists(a.path()));
    CHECK_FALSE(fs::exists(b.path()));
    CHECK(fs::exists(folder.file("c")));
}

TEST_CASE("a path that a signal handler could not hold is refused", "[common][files]") {
    CHECK_THROWS_AS(TemporaryFile(std::string(1024, 'x')), std::length_error);
}

TEST_CASE("a result file has its name once it is kept", "[common][files]") {
    Folder const folder;
    auto const path = folder.file("x.dat");
    {
        program::ResultFile dropped{Comm::solo(), path};
        dropped.stream() << "1 2\n";
        CHECK(fs::exists(path + ".part"));
    }
    CHECK_FALSE(fs::exists(path));
    CHECK_FALSE(fs::exists(path + ".part"));
    program::ResultFile kept{Comm::solo(), path};
    kept.stream() << "1 2\n";
    kept.keep();
    std::ifstream file{path};
    std::string line;
    std::getline(file, line);
    CHECK(line == "1 2");
    CHECK_FALSE(fs::exists(path + ".part"));
    CHECK_THROWS_AS((program::ResultFile{Comm::solo(), folder.file("")}), measure::UsageError);
    CHECK_THROWS_AS((program::ResultFile{Comm::solo(), folder.file("none/x")}), measure::UsageError);
}

TEST_CASE("what is no file is written to as it is", "[common][files]") {
    Folder const folder;
    auto const link = folder.file("link");
    fs::create_symlink("/dev/null", link);
    program::ResultFile to_link{Comm::solo(), link};
    to_link.stream() << "1 2\n";
    to_link.keep();
    CHECK(fs::is_symlink(link));
    CHECK_FALSE(fs::exists(link + ".part"));
    fs::remove(link);
    fs::create_symlink("/dev/full", link);
    program::ResultFile full{Comm::solo(), link};
    full.stream() << "1 2\n";
    CHECK_THROWS_WITH(full.keep(), Catch::Matchers::ContainsSubstring("No space left"));
}

TEST_CASE("paths are the same however they are written", "[common][files]") {
    CHECK(program::is_same_path("a/../x.prot", "./x.prot"));
    CHECK_FALSE(program::is_same_path("x.prot", "a/x.prot"));
}
