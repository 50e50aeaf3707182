// SPDX-License-Identifier: BSD-3-Clause
#include "measure/error.hpp"
#include "measure/journal.hpp"
#include "support/catch.hpp"

#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>

using measure::Journal;
using measure::JournalExtent;
using measure::JournalRun;
using measure::JournalState;
using measure::remaining;
using measure::replay;
using State = measure::JournalUnit::State;

namespace {

std::string const run_line = "RUN r1 1 procs=4 config=ab12 out=result.txt date=2025-01-31T10:00:00Z\n";

JournalRun run() { return {"r1", 1, 4, "ab12", "result.txt", "2025-01-31T10:00:00Z"}; }

/// A temporary file that the destructor removes.
class ScratchFile {
public:
    ScratchFile() {
        int const descriptor = mkstemp(path_.data());
        REQUIRE(descriptor >= 0);
        ::close(descriptor);
    }
    ~ScratchFile() { std::filesystem::remove(path_); }
    ScratchFile(ScratchFile const&) = delete;
    ScratchFile& operator=(ScratchFile const&) = delete;

    [[nodiscard]] std::string const& path() const { return path_; }
    [[nodiscard]] std::string text() const {
        std::ifstream file{path_};
        return {std::istreambuf_iterator<char>{file}, {}};
    }

private:
    std::string path_ = (std::filesystem::temp_directory_path() / "journal_test_XXXXXX").string();
};

}  // namespace

TEST_CASE("an empty journal has no run", "[journal]") {
    auto const state = replay("");
    CHECK_FALSE(state.run);
    CHECK_FALSE(state.unfinished());
    CHECK(state.intact == 0);
}

TEST_CASE("a replay finds started, finished and crashed units", "[journal]") {
    std::string const text = run_line + "BEGIN A\n"
                                        "POINT A 8 4.31e-07\n"
                                        "DONE A offset=100 record=40\n"
                                        "BEGIN B\n"
                                        "CRASH B 1\n"
                                        "SKIP C offset=120 record=50 needs 4 ranks\n"
                                        "BEGIN D\n"
                                        "INTERRUPT D\n"
                                        "BEGIN E\n";
    auto const state = replay(text);
    REQUIRE(state.run);
    CHECK(*state.run == run());
    CHECK(state.unfinished());
    REQUIRE(state.units.size() == 5);
    CHECK(state.find("A")->state == State::done);
    CHECK(state.find("B")->state == State::crashed);
    CHECK(state.find("B")->crashes == 1);
    CHECK(state.find("C")->state == State::skipped);
    CHECK(state.find("C")->reason == "needs 4 ranks");
    CHECK(state.find("D")->state == State::interrupted);
    CHECK(state.find("E")->state == State::open);
    CHECK(state.find("F") == nullptr);
    CHECK(state.open() == std::vector<std::string>{"E"});
    CHECK(state.extent == JournalExtent{120, 50});
}

TEST_CASE("END finishes a run, and only the last run counts", "[journal]") {
    auto const first = run_line + "BEGIN A\nDONE A offset=7 record=0\nEND r1\n";
    CHECK(replay(first).ended);
    CHECK_FALSE(replay(first).unfinished());

    auto const second = replay(first + "RUN r2 1 procs=2 config=cd out=x date=d\n");
    CHECK(second.run->id == "r2");
    CHECK(second.unfinished());
    CHECK(second.units.empty());
    CHECK(second.extent == JournalExtent{});
}

TEST_CASE("an incomplete last line is ignored wherever it was cut", "[journal]") {
    auto const whole = run_line + "BEGIN A\n";
    std::string const last = "DONE A offset=1234 record=5678";
    for (std::size_t length = 0; length <= last.size(); ++length) {
        auto const state = replay(whole + last.substr(0, length));
        CHECK(state.intact == whole.size());
        CHECK(state.find("A")->state == State::open);
        CHECK(state.extent == JournalExtent{});
    }
    CHECK(replay(whole + last + "\n").find("A")->state == State::done);
}

TEST_CASE("an invalid last line is treated as incomplete even if it ends with a newline", "[journal]") {
    auto const whole = run_line + "BEGIN A\n";
    for (std::string const torn : {"DONE A offset=1", "DONE A", "DON", "", "CRASH A x", "DONE A offset=1 record=2 x"}) {
        auto const state = replay(whole + torn + "\n");
        CHECK(state.intact == whole.size());
        CHECK(state.find("A")->state == State::open);
    }
}

TEST_CASE("an invalid earlier line is refused with its number", "[journal]") {
    CHECK_THROWS_WITH(replay(run_line + "HELLO A\nBEGIN A\n"), "journal, line 2: unknown event 'HELLO'");
    CHECK_THROWS_WITH(replay("BEGIN A\n" + run_line), "journal, line 1: 'BEGIN' before the first RUN");
    CHECK_THROWS_WITH(replay(run_line + "BEGIN A B\n" + run_line), "journal, line 2: more fields than expected");
    CHECK_THROWS_WITH(replay(run_line + "DONE A offset=-1 record=0\nBEGIN B\n"),
                      "journal, line 2: '-1' is not a count");
    CHECK_THROWS_WITH(replay(run_line + "DONE A record=0 offset=1\nBEGIN B\n"),
                      "journal, line 2: 'record=0' found where offset= is expected");
    CHECK_THROWS_WITH(replay(run_line + "END r2\nBEGIN B\n"), "journal, line 2: END of another run");
    CHECK_THROWS_AS(replay(run_line + "BEGIN A%2\nBEGIN B\n"), measure::UsageError);
}

TEST_CASE("a run can only be resumed with the settings it was started with", "[journal]") {
    auto now = run();
    now.id = "r2";
    now.date = "2025-02-01T10:00:00Z";
    CHECK_FALSE(measure::difference(run(), now));
    CHECK(measure::fingerprint("") == "cbf29ce484222325");
    CHECK(measure::fingerprint("a") == "af63dc4c8601ec8c");  // the published FNV-1a value
    now.configuration = "ff00";
    CHECK(measure::difference(run(), now) == "configuration ab12 in the journal, ff00 now");
    now.processes = 2;
    CHECK(measure::difference(run(), now) == "4 processes in the journal, 2 now");
    now.format = 2;
    CHECK(measure::difference(run(), now) == "format 1 in the journal, 2 now");
}

TEST_CASE("after a crash the untried units come first and the crashed ones last, fewest crashes first (SKaMPI paper)",
          "[journal]") {
    std::vector<std::string> const units{"A", "B", "C", "D", "E"};
    auto const state = replay(run_line + "BEGIN A\nDONE A offset=1 record=0\n"
                                         "BEGIN B\nCRASH B 1\nBEGIN B\nCRASH B 2\n"
                                         "BEGIN C\nCRASH C 1\n"
                                         "BEGIN D\nINTERRUPT D\n");
    CHECK(remaining(state, units) == std::vector<std::string>{"D", "E", "C", "B"});
    CHECK(remaining(JournalState{}, units) == units);
}

TEST_CASE("a unit during which the process died counts as crashed", "[journal]") {
    std::vector<std::string> const units{"A", "B", "C"};
    CHECK(remaining(replay(run_line + "BEGIN A\n"), units) == std::vector<std::string>{"B", "C", "A"});
}

TEST_CASE("skipped and abandoned units are not retried", "[journal]") {
    std::vector<std::string> const units{"A", "B"};
    CHECK(remaining(replay(run_line + "SKIP A offset=1 record=0 why\nABANDON B offset=2 record=0\n"), units).empty());
}

TEST_CASE("a replay reads what a journal writes", "[journal]") {
    ScratchFile const file;
    {
        Journal journal{file.path(), JournalState{}};
        journal.run(run());
        journal.begin("MPI Bcast 100%");
        journal.point("MPI Bcast 100%", "8 4.31e-07");
        journal.done("MPI Bcast 100%", {100, 40});
        journal.skip("Ssend", {120, 50}, "needs\n4 ranks");
        journal.begin("Reduce");
        journal.crash("Reduce", 1);
        journal.abandon("Reduce", {130, 60});
        journal.interrupt("Scan");
    }
    CHECK(file.text() == run_line + "BEGIN MPI%20Bcast%20100%25\n"
                                    "POINT MPI%20Bcast%20100%25 8 4.31e-07\n"
                                    "DONE MPI%20Bcast%20100%25 offset=100 record=40\n"
                                    "SKIP Ssend offset=120 record=50 needs%0A4 ranks\n"
                                    "BEGIN Reduce\n"
                                    "CRASH Reduce 1\n"
                                    "ABANDON Reduce offset=130 record=60\n"
                                    "INTERRUPT Scan\n");
    auto const state = replay(file.text());
    CHECK(*state.run == run());
    CHECK(state.find("MPI Bcast 100%")->state == State::done);
    CHECK(state.find("Ssend")->reason == "needs\n4 ranks");
    CHECK(state.find("Reduce")->state == State::abandoned);
    CHECK(state.find("Reduce")->crashes == 1);
    CHECK(state.find("Scan")->state == State::interrupted);
    CHECK(state.intact == file.text().size());
}

TEST_CASE("a journal continues after its intact part", "[journal]") {
    ScratchFile const file;
    std::ofstream{file.path()} << run_line << "BEGIN A\nDONE A off";
    {
        Journal journal{file.path(), replay(file.text())};
        Journal moved = std::move(journal);
        moved.crash("A", 1);
        moved.end("r1");
    }
    CHECK(file.text() == run_line + "BEGIN A\nCRASH A 1\nEND r1\n");
}

TEST_CASE("a journal that cannot be written is an error", "[journal]") {
    CHECK_THROWS_AS((Journal{"/nonexistent/directory/journal", JournalState{}}), std::system_error);
    ScratchFile const file;
    Journal journal{file.path(), JournalState{}};
    CHECK_THROWS_AS(journal.begin(""), measure::UsageError);
    CHECK(file.text().empty());
}
