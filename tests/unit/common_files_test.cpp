// SPDX-License-Identifier: BSD-3-Clause
#include "program/runtime/child.hpp"
#include "program/runtime/file_lock.hpp"
#include "program/runtime/files.hpp"
#include "program/runtime/output_file.hpp"
#include "program/runtime/stderr_line.hpp"
#include "program/runtime/temporary_file.hpp"
#include "program/runtime/temporary_folder.hpp"
#include "support/catch.hpp"
#include "support/full_at_last.hpp"

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <stdlib.h>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fs = std::filesystem;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;
using measure::Comm;
using program::OutputFile;
using program::TemporaryFile;

namespace {

/// A temporary folder that is removed with its contents.
struct Folder {
    fs::path path = fs::temp_directory_path() / ("common_files_test." + std::to_string(::getpid()));
    Folder() { fs::create_directories(path); }
    ~Folder() { fs::remove_all(path); }
    [[nodiscard]] std::string file(std::string const& name) const { return (path / name).string(); }
};

void put(std::string const& path, std::string_view text) { std::ofstream{path} << text; }

std::string content(std::string const& path) {
    std::ifstream file{path};
    return {std::istreambuf_iterator<char>{file}, {}};
}

OutputFile whole(std::string const& path) { return {path, "-o", program::Appears::when_whole}; }

OutputFile as_written(std::string const& path, std::string const& option) {
    return {path, option, program::Appears::as_written};
}

/// Another process that has opened an output. It is killed at the end.
class Other {
public:
    Other(std::string const& path, bool is_whole) {
        std::array<int, 2> ready{};
        if (::pipe(ready.data()) != 0 || (id_ = ::fork()) < 0)
            throw std::runtime_error("no other process");
        if (id_ == 0) {
            auto const file = is_whole ? whole(path) : as_written(path, "-o");
            static_cast<void>(::write(ready[1], "x", 1) == 1);
            for (;;)
                ::pause();
        }
        ::close(ready[1]);
        char c = 0;
        bool const has_opened = ::read(ready[0], &c, 1) == 1;
        ::close(ready[0]);
        if (!has_opened)
            throw std::runtime_error("the other process has failed");
    }
    Other(Other const&) = delete;
    Other& operator=(Other const&) = delete;
    ~Other() {
        ::kill(id_, SIGKILL);
        ::waitpid(id_, nullptr, 0);
    }

private:
    ::pid_t id_ = -1;
};

}  // namespace

TEST_CASE("text written to an output file can be read back and replaces the old content", "[common][files]") {
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
    CHECK(content(folder.file("a")) == "one\ntwo\n");
}

TEST_CASE("a file per rank has the rank as a suffix of its name", "[common][files]") {
    Folder const folder;
    auto log = program::open_file_per_rank(Comm::solo(), folder.file("log"));
    log.stream() << "x";
    log.flush();
    CHECK(content(folder.file("log.0")) == "x");
}

TEST_CASE("an output file that was never opened discards its text", "[common][files]") {
    program::OutputFile file;
    file.stream() << "nothing";
    CHECK_NOTHROW(file.flush());
}

TEST_CASE("an empty file is read as empty text", "[common][files]") {
    Folder const folder;
    program::HeldOutputs const forgets_what_was_read;
    put(folder.file("empty"), "");
    CHECK(program::read_file(Comm::solo(), folder.file("empty")).empty());
}

TEST_CASE("a file that only the root needs is read there, and its faults keep their line numbers", "[common][files]") {
    Folder const folder;
    program::HeldOutputs const forgets_what_was_read;
    auto const file = folder.file("in");
    put(file, "good\nbad\nbad\n");
    std::vector<std::string> lines;
    auto const read = [&](std::string const& text) {
        program::read_lines(text, file, [&](std::string const& line) {
            if (line == "bad")
                throw measure::UsageError("is bad");
            lines.push_back(line);
        });
    };
    std::size_t faults = 0;
    try {
        program::read_on_root(Comm::solo(), file, program::Limit::line, read);
    } catch (program::ParseErrors const& errors) {
        faults = errors.faults().size();
    }
    CHECK(faults == 2);
    CHECK(lines == std::vector<std::string>{"good"});
    CHECK_THROWS_WITH(program::read_on_root(Comm::solo(), "/nonexistent/x", program::Limit::file, read),
                      "cannot read '/nonexistent/x': No such file or directory");
}

TEST_CASE("an unusable file is a usage error that states the reason", "[common][files]") {
    CHECK_THROWS_WITH(program::read_file(Comm::solo(), "/nonexistent/x"),
                      "cannot read '/nonexistent/x': No such file or directory");
    CHECK_THROWS_WITH(program::open_file(Comm::solo(), "/nonexistent/x"),
                      "cannot write '/nonexistent/x': No such file or directory");
    CHECK_THROWS_AS(program::read_file(Comm::solo(), "/"), measure::UsageError);
    CHECK_THROWS_AS(program::open_file(Comm::solo(), "/"), measure::UsageError);
}

TEST_CASE("output that does not fit on the device is an error on flush", "[common][files]") {
    program::OutputFile file = program::open_file(Comm::solo(), "/dev/full");
    file.stream() << "x";
    CHECK_THROWS_WITH(file.flush(), "cannot write '/dev/full': No space left on device");
}

TEST_CASE("a temporary file is removed with its last owner", "[common][files]") {
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
    program::TemporaryFolder const other{"common_files_test"};
    TemporaryFile const inside{other.file("x")};
    std::ofstream{inside.path()} << "x";
    std::ofstream{a.path()} << "x";
    std::ofstream{b.path()} << "x";
    std::ofstream{folder.file("c")} << "x";
    program::unlink_temporary_files();
    CHECK_FALSE(fs::exists(a.path()));
    CHECK_FALSE(fs::exists(b.path()));
    CHECK(fs::exists(folder.file("c")));
    CHECK_FALSE(fs::exists(other.file("")));
}

TEST_CASE("a temporary folder is private to its user and is removed with its contents", "[common][files]") {
    std::string path;
    {
        program::TemporaryFolder const folder{"common_files_test"};
        program::TemporaryFolder const second{"common_files_test"};
        path = folder.file("a");
        CHECK(path != second.file("a"));
        put(path, "x");
        struct ::stat status {};
        CHECK(::stat(folder.file("").c_str(), &status) == 0);
        CHECK((status.st_mode & 0777) == 0700);
    }
    CHECK_FALSE(fs::exists(fs::path{path}.parent_path()));
}

TEST_CASE("a path too long for a signal handler is refused", "[common][files]") {
    CHECK_THROWS_AS(TemporaryFile(std::string(1024, 'x')), std::length_error);
}

TEST_CASE("names too long for temporary files are refused before a file is created", "[common][files]") {
    std::string const longest(program::TemporaryFile::longest_path - 5, 'x');
    CHECK_NOTHROW(program::check_length("-file: x", longest, 5));
    CHECK_THROWS_AS(program::check_length("-file: x", longest, 6), measure::UsageError);
    CHECK_THROWS_WITH(program::check_length("-file: x", longest, 6), "-file: x: File name too long");
    Folder const folder;
    std::string deep = folder.file(std::string(200, 'd'));
    while (deep.size() < 1000)
        deep += "/" + std::string(200, 'd');
    fs::create_directories(deep);
    auto const lock = deep + "/" + std::string(100, 'l');
    CHECK_THROWS_WITH((program::LockFile{lock, "-file"}), ContainsSubstring("File name too long"));
    CHECK(fs::is_empty(deep));
}

TEST_CASE("a file that appears only when complete keeps its old content until then", "[common][files]") {
    Folder const folder;
    auto const path = folder.file("x.dat");
    {
        auto dropped = whole(path);
        dropped.stream() << "1 2\n";
        CHECK(fs::exists(path + ".part"));
    }
    CHECK_FALSE(fs::exists(path));
    CHECK_FALSE(fs::exists(path + ".part"));
    put(path, "old\n");
    auto kept = whole(path);
    kept.stream() << "1 2\n";
    kept.flush();
    CHECK(content(path) == "old\n");
    kept.finish();
    CHECK(content(path) == "1 2\n");
    CHECK_FALSE(fs::exists(path + ".part"));
    CHECK_THROWS_WITH(whole(folder.file("")), ContainsSubstring("Is a directory"));
    CHECK_THROWS_WITH(whole(folder.file("none/x")),
                      "-o: cannot write '" + folder.file("none/x") + "': No such file or directory");
}

TEST_CASE("rows of an interrupted run stay in the .part file", "[common][files]") {
    Folder const folder;
    auto const path = folder.file("rows");
    std::ofstream{path} << "old\n";
    auto const rows = [&] { return OutputFile{path, "-o", program::Appears::part_stays}; };
    {
        // Nothing was written, so no file stays.
        auto const file = rows();
        CHECK(file.unfinished().empty());
    }
    CHECK_FALSE(fs::exists(path + ".part"));
    {
        auto file = rows();
        file.stream() << "1\n";
        file.flush();
        CHECK(fs::equivalent(file.unfinished(), path + ".part"));
        program::unlink_temporary_files();  // as in a signal handler
        CHECK(content(path + ".part") == "1\n");
        file.stream() << "2\n";
    }
    CHECK(content(path + ".part") == "1\n2\n");
    CHECK(content(path) == "old\n");
    {
        // A refused launch leaves the .part file unchanged.
        auto const file = rows();
    }
    CHECK(content(path + ".part") == "1\n2\n");
    auto file = rows();
    file.stream() << "3\n";
    file.finish();
    file.finish();
    CHECK(file.unfinished().empty());
    CHECK(content(path) == "3\n");
    CHECK_FALSE(fs::exists(path + ".part"));
}

TEST_CASE("an existing file with the name of the .part file stays until text is written", "[common][files]") {
    Folder const folder;
    program::HeldOutputs const forgets_what_was_read;
    put(folder.file("thesis"), "of years\n");
    fs::create_symlink("thesis", folder.file("page.part"));
    CHECK_THROWS_WITH(whole(folder.file("page")), ContainsSubstring("page.part' is a symbolic link"));
    CHECK(content(folder.file("thesis")) == "of years\n");
    CHECK(fs::is_symlink(folder.file("page.part")));
    // An input may have this name, whether it is read before or after.
    auto const path = folder.file("x");
    put(path + ".part", "of a killed run\n");
    {
        auto const refused = whole(path);
        CHECK_THROWS_WITH(program::note_input(path + ".part"), ContainsSubstring("is an input"));
    }
    CHECK(content(path + ".part") == "of a killed run\n");
    {
        auto taken = whole(path);
        taken.stream() << "1 2\n";
        taken.flush();
        CHECK(content(path + ".part") == "1 2\n");
        taken.stream() << "3\n";
    }
    CHECK_FALSE(fs::exists(path + ".part"));
    put(path + ".part", "longer than what comes\n");
    auto file = whole(path);
    file.stream() << "1 2\n";
    file.finish();
    CHECK(content(path) == "1 2\n");
    CHECK_FALSE(fs::exists(path + ".part"));
    put(path + ".part", "x");
    program::note_input(path + ".part");
    CHECK_THROWS_WITH(whole(folder.file("./x")), ContainsSubstring("is the file of -o"));
    file = {};
    CHECK_THROWS_WITH(whole(path), ContainsSubstring("is an input"));
    CHECK(content(path + ".part") == "x");
}

TEST_CASE("an error reported only when a file is closed is detected, and the old file stays", "[common][files]") {
    Folder const folder;
    auto const path = folder.file("x");
    put(path, "old\n");
    struct Full {
        Full() { test::is_full_at_last = true; }
        ~Full() { test::is_full_at_last = false; }
    };
    {
        auto file = whole(path);
        file.stream() << "new\n";
        Full const full;
        CHECK_THROWS_WITH(file.finish(), "cannot write '" + path + "': Disk quota exceeded");
    }
    CHECK(content(path) == "old\n");
    CHECK_FALSE(fs::exists(path + ".part"));
    Full const full;
    auto record = as_written(folder.file("r"), "-o");
    record.stream() << "a\n";
    record.flush();
    CHECK_THROWS_WITH(record.sync(), ContainsSubstring("Disk quota exceeded"));
    CHECK_THROWS_WITH(record.finish(), ContainsSubstring("Disk quota exceeded"));
    // For many files only the result of close(2) is checked.
    program::write_file(Comm::solo(), path, "new\n", program::Reaches::file_system);
    CHECK(content(path) == "new\n");
}

TEST_CASE("a device is written directly, and a symbolic link stays", "[common][files]") {
    Folder const folder;
    auto const link = folder.file("link");
    fs::create_symlink("/dev/null", link);
    auto to_null = whole(link);
    to_null.stream() << "1 2\n";
    to_null.finish();
    CHECK(fs::is_symlink(link));
    CHECK_FALSE(fs::exists(link + ".part"));
    fs::remove(link);
    fs::create_symlink("/dev/full", link);
    auto full = whole(link);
    full.stream() << "1 2\n";
    CHECK_THROWS_WITH(full.finish(), ContainsSubstring("No space left on device"));
    fs::remove(link);
    // A link to a file that does not exist yet, relative to the folder of the link.
    fs::create_symlink("target", link);
    auto through = whole(link);
    through.stream() << "3 4\n";
    through.finish();
    CHECK(fs::is_symlink(link));
    CHECK(content(folder.file("target")) == "3 4\n");
    fs::remove(link);
    fs::create_symlink("link", link);
    CHECK_THROWS_WITH(whole(link), ContainsSubstring("Too many levels of symbolic links"));
    CHECK_THROWS_WITH(whole(folder.file(std::string(256, 'x'))), ContainsSubstring("File name too long"));
}

TEST_CASE("the parent of a linked folder is the parent of its target", "[common][files]") {
    Folder const folder;
    fs::create_directories(folder.file("far/deep"));
    fs::create_directories(folder.file("here"));
    fs::create_directory_symlink(folder.file("far/deep"), folder.file("here/link"));
    put(folder.file("here/a"), "old");
    auto output = whole(folder.file("here/link/../a"));
    output.stream() << "new\n";
    output.finish();
    CHECK(content(folder.file("here/a")) == "old");
    CHECK(content(folder.file("far/a")) == "new\n");
    // Two names of a file that does not exist yet.
    auto const late = whole(folder.file("far/b"));
    CHECK_THROWS_WITH(whole(folder.file("here/link/../b")), ContainsSubstring("is the file of -o"));
}

TEST_CASE("two outputs may share a device but not a file", "[common][files]") {
    Folder const folder;
    auto const first = as_written("/dev/null", "--json");
    CHECK_NOTHROW(as_written("/dev/null", "-o"));
    auto const path = folder.file("a");
    auto const record = as_written(path, "--json");
    auto const is_used = "' is the file of --json";
    CHECK_THROWS_WITH(as_written(path, "-o"), "-o: '" + path + is_used);
    CHECK_THROWS_WITH(whole(folder.file("./a")), "-o: '" + folder.file("./a") + is_used);
    fs::create_hard_link(path, folder.file("hard"));
    fs::create_symlink("a", folder.file("soft"));
    CHECK_THROWS_WITH(whole(folder.file("hard")), ContainsSubstring(is_used));
    CHECK_THROWS_WITH(whole(folder.file("soft")), ContainsSubstring(is_used));
    // Names of files that do not exist yet.
    auto const late = whole(folder.file("b"));
    CHECK_THROWS_WITH(as_written(folder.file("b"), "-l"), "-l: '" + folder.file("b") + "' is the file of -o");
}

TEST_CASE("an input is never overwritten", "[common][files]") {
    Folder const folder;
    program::HeldOutputs const forgets_what_was_read;
    put(folder.file("in"), "x");
    fs::create_hard_link(folder.file("in"), folder.file("hard"));
    CHECK(program::read_file(Comm::solo(), folder.file("in")) == "x");
    CHECK_THROWS_WITH(as_written(folder.file("hard"), "-o"), "-o: '" + folder.file("hard") + "' is an input");
    CHECK_THROWS_WITH(whole(folder.file("in")), ContainsSubstring("is an input"));
    CHECK(content(folder.file("in")) == "x");
    put(folder.file("out"), "y");
    auto const out = as_written(folder.file("out"), "-o");
    CHECK_THROWS_WITH(program::read_file(Comm::solo(), folder.file("out")), ContainsSubstring("is an input"));
}

TEST_CASE("a refused launch leaves files unchanged", "[common][files]") {
    Folder const folder;
    put(folder.file("old"), "old");
    {
        program::HeldOutputs const held;
        auto old = as_written(folder.file("old"), "-o");
        auto fresh = as_written(folder.file("new"), "-l");
        old.stream() << "text";
        old.flush();
        fresh.stream() << "text";
        fresh.flush();
        CHECK(content(folder.file("old")) == "old");
        CHECK(fs::exists(folder.file("new")));
    }
    CHECK(content(folder.file("old")) == "old");
    CHECK_FALSE(fs::exists(folder.file("new")));
    program::HeldOutputs held;
    auto old = as_written(folder.file("old"), "-o");
    old.stream() << "a";
    held.begin();
    old.stream() << "b";
    old.flush();
    CHECK(content(folder.file("old")) == "ab");
    auto const later = as_written(folder.file("later"), "-l");
    CHECK(fs::exists(folder.file("later")));
}

TEST_CASE("a file can be continued", "[common][files]") {
    Folder const folder;
    put(folder.file("a"), "12345");
    {
        auto file = as_written(folder.file("a"), "-o");
        CHECK(file.begin(3));
        file.stream() << "x";
        file.flush();
    }
    CHECK(content(folder.file("a")) == "123x");
    auto file = as_written(folder.file("a"), "-o");
    CHECK_FALSE(file.begin(5));
    CHECK(content(folder.file("a")).empty());
}

TEST_CASE("two processes do not write the same file", "[common][files]") {
    Folder const folder;
    auto const path = folder.file("a");
    put(path, "old");
    fs::create_hard_link(path, folder.file("hard"));
    for (bool const is_whole : {false, true}) {
        Other const other{is_whole ? path + ".new" : path, is_whole};
        auto const taken = [&](std::string const& name) {
            return "-o: cannot write '" + name + "': another run is writing it";
        };
        if (is_whole) {
            CHECK_THROWS_WITH(whole(path + ".new"), taken(path + ".new"));
            CHECK_THROWS_WITH(as_written(path + ".new", "-o"), taken(path + ".new"));
            CHECK_FALSE(fs::exists(path + ".new"));
            continue;
        }
        CHECK_THROWS_WITH(as_written(path, "-o"), taken(path));
        CHECK_THROWS_WITH(whole(folder.file("hard")), taken(folder.file("hard")));
        CHECK(content(path) == "old");
    }
    // The locks end with their processes, and a file left by a killed process is taken over.
    CHECK_NOTHROW(as_written(path, "-o"));
    CHECK(fs::exists(path + ".new.part"));
    {
        auto file = whole(path + ".new");
        file.stream() << "new";
        CHECK_NOTHROW(file.finish());
    }
    CHECK(content(path + ".new") == "new");
    CHECK_FALSE(fs::exists(path + ".new.part"));
}

TEST_CASE("a lock file exists as long as its owner", "[common][files]") {
    Folder const folder;
    auto const path = folder.file("lock");
    {
        program::LockFile const lock{path, "no"};
        CHECK(lock.obstacle().empty());
        CHECK_THROWS_WITH((program::LockFile{path, "-p: cannot use 'x'"}),
                          StartsWith("-p: cannot use 'x': another run is writing it: ") &&
                              ContainsSubstring(", process " + std::to_string(::getpid()) + " on "));
        CHECK(fs::exists(path));
    }
    CHECK_FALSE(fs::exists(path));
    fs::create_symlink("a", path);
    CHECK_THROWS_WITH((program::LockFile{path, "no"}), ContainsSubstring("Too many levels of symbolic links"));
}

TEST_CASE("a child gets its own environment variables, and those of the program stay unchanged", "[common][files]") {
    Folder const folder;
    auto const log = (folder.path / "log").string();
    ::setenv("COMMON_FILES_TEST_A", "own", 1);
    ::setenv("COMMON_FILES_TEST_AB", "inherited", 1);
    CHECK(program::run_child({.command = {"sh", "-c", "env | grep ^COMMON_FILES_TEST_ | sort"},
                              .environment = {{"COMMON_FILES_TEST_A", "other"}, {"COMMON_FILES_TEST_C", ""}},
                              .log = log}) == 0);
    CHECK(program::file_text(log) ==
          "COMMON_FILES_TEST_A=other\nCOMMON_FILES_TEST_AB=inherited\nCOMMON_FILES_TEST_C=\n");
    CHECK(std::getenv("COMMON_FILES_TEST_A") == std::string{"own"});
    ::unsetenv("COMMON_FILES_TEST_A");
    ::unsetenv("COMMON_FILES_TEST_AB");
}

TEST_CASE("an endless input is refused", "[common][files][not_quick]") {
    CHECK_THROWS_WITH(program::file_text("/dev/zero"), "cannot read '/dev/zero': it is a device");
    CHECK(program::file_text("/dev/null").empty());
    Folder const folder;
    auto const path = folder.file("large");
    put(path, "x\n");
    fs::resize_file(path, 64U << 20);
    CHECK(program::file_text(path).size() == 64U << 20);
    fs::resize_file(path, (64U << 20) + 1);
    CHECK_THROWS_WITH(program::file_text(path), "cannot read '" + path + "': it has more than 64 MiB");
    // The first line "x\n" does not count towards the length of the next line.
    CHECK(program::file_text(path, program::Limit::line).size() == (64U << 20) + 1);
    fs::resize_file(path, (64U << 20) + 3);
    CHECK_THROWS_WITH(program::file_text(path, program::Limit::line),
                      "cannot read '" + path + "': a line has more than 64 MiB");
}

TEST_CASE("text for a terminal contains no control sequences", "[common][files]") {
    using program::printable;
    CHECK(printable("plain 'text' of ~ 7 \xc2\xb5s, \xe2\x82\xac, \xf0\x9f\x98\x80") ==
          "plain 'text' of ~ 7 \xc2\xb5s, \xe2\x82\xac, \xf0\x9f\x98\x80");
    CHECK(printable(std::string_view{"a\x1b[31m\0b", 8}) == "a\\x1b[31m\\x00b");
    CHECK(printable("a\nb\tc\rd\x7f") == "a\\nb\\tc\\rd\\x7f");
    // C1 as UTF-8, a single byte, an overlong form, a surrogate, above U+10FFFF, a truncated character.
    CHECK(printable("\xc2\x9b") == "\\xc2\\x9b");
    CHECK(printable("\xc2\xa0") == "\xc2\xa0");
    CHECK(printable("\xff") == "\\xff");
    CHECK(printable("\xc0\xaf") == "\\xc0\\xaf");
    CHECK(printable("\xed\xa0\x80") == "\\xed\\xa0\\x80");
    CHECK(printable("\xf4\x90\x80\x80") == "\\xf4\\x90\\x80\\x80");
    CHECK(printable("\xe2\x82") == "\\xe2\\x82");
}

TEST_CASE("in columns, one character replaces each control character", "[common][files]") {
    using program::masked;
    CHECK(masked("a\x1b[31m \xc2\xb5s") == "a?[31m \xc2\xb5s");
    CHECK(masked("\n\xc2\x9b\xff\x7f") == "????");
}

TEST_CASE("different spellings of a path are the same path", "[common][files]") {
    CHECK(program::is_same_path("a/../x.prot", "./x.prot"));
    CHECK_FALSE(program::is_same_path("x.prot", "a/x.prot"));
}
