// SPDX-License-Identifier: BSD-3-Clause
#include "program/runtime/main.hpp"

#include "program/runtime/agreement.hpp"
#include "program/runtime/command.hpp"
#include "program/runtime/crash_report.hpp"
#include "program/runtime/files.hpp"
#include "program/runtime/finalize_drain.hpp"
#include "program/runtime/signals.hpp"
#include "program/runtime/stderr_line.hpp"
#include "program/runtime/temporary_file.hpp"
#include "program/runtime/watchdog.hpp"

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <optional>
#include <thread>

namespace program {
namespace {

/// Time that a failed rank waits for the others to leave the run too.
constexpr measure::seconds patience{5};

/// Time for the launcher to forward the output before a rank aborts.
constexpr std::chrono::milliseconds before_abort{100};

/// While it is true, this program never calls exit. MPI libraries do: an error on an internal communicator leads to
/// MPI_Abort, which may call exit.
std::atomic<bool> is_running{false};

void at_exit() {
    if (!is_running.exchange(false))
        return;
    crash_report::ended_by_exit();
    unlink_temporary_files();
}

/// How this rank's part of the run ended.
struct Attempted {
    int code = 0;
    std::vector<std::string> lines{};  ///< printable lines for stderr
    bool threw = false;
    std::optional<Ending> ending{};  ///< set if the rank was dismissed
};

/// The root's command line on every rank.
std::vector<std::string> shared(measure::Comm const& world, std::vector<std::string> const& own) {
    std::string joined;
    for (std::string const& argument : own)
        joined.append(argument).push_back('\0');
    world.broadcast(joined);
    std::vector<std::string> arguments;
    for (std::size_t begin = 0; begin < joined.size();) {
        std::size_t const end = joined.find('\0', begin);
        arguments.push_back(joined.substr(begin, end - begin));
        begin = end + 1;
    }
    return arguments;
}

class Run {
public:
    Run(measure::Comm const& world, Suite const& suite, Watchdog& watchdog)
        : world_{world}, suite_{suite}, watchdog_{watchdog}, agreement_{world} {}

    int operator()(std::vector<std::string> const& own_command) {
        crash_report::introduce(suite_.program, world_.rank());
        is_running = true;
        Attempted const mine = attempt(own_command);
        if (!world_.is_root())
            watchdog_.suspend();
        auto const ending = mine.ending ? mine.ending
                                        : agreement_.leave(mine.code, !mine.lines.empty(),
                                                           mine.threw ? std::optional{patience} : std::nullopt);
        if (!ending)
            abandon(mine);
        is_running = false;
        std::string const lines = agreement_.to_root(fmt::format("{}", fmt::join(mine.lines, "\n")), *ending);
        int code = world_.is_root() ? finish(ending->code, spoken(ending->code, lines)) : ending->code;
        world_.broadcast(code);
        return code;
    }

private:
    Attempted attempt(std::vector<std::string> const& own_command);
    void execute(std::vector<std::string> const& own_command);
    Attempted from_session();
    Attempted from_interruption(int value);
    Attempted failed(int code, std::string const& text) const {
        return {.code = code, .lines = {error_line(suite_, text)}, .threw = true};
    }
    std::string spoken(int code, std::string lines) const;
    int finish(int code, std::string const& lines);
    [[noreturn]] void abandon(Attempted const& mine);

    measure::Comm const& world_;
    Suite const& suite_;
    Watchdog& watchdog_;
    Agreement agreement_;
    std::optional<Session> session_;
};

Attempted Run::attempt(std::vector<std::string> const& own_command) {
    try {
        execute(own_command);
        return from_session();
    } catch (Dismissed const& dismissed) {
        return {.ending = dismissed.ending()};
    } catch (measure::Interrupted const& interrupted) {
        return from_interruption(interrupted.value());
    } catch (ParseErrors const& faults) {
        return {.code = 2, .lines = error_lines(suite_, faults), .threw = true};
    } catch (measure::UsageError const& error) {
        return failed(2, error.what());
    } catch (std::bad_alloc const&) {
        return failed(1, "out of memory");
    } catch (measure::MpiError const& error) {
        return failed(1, one_line(error.what()));
    } catch (std::exception const& error) {
        return failed(1, measure::error_text(error));
    } catch (...) {
        return failed(1, "unknown exception");
    }
}

void Run::execute(std::vector<std::string> const& own_command) {
    std::vector<std::string> const words = shared(world_, own_command);
    Command command{suite_, {words.begin() + (words.empty() ? 0 : 1), words.end()}};
    if (!command.question().empty()) {
        if (world_.is_root())
            fmt::print("{}", command.answer());
        return;
    }
    auto const& common = command.common();
    if (!common.config.empty() && !common.json.empty() && is_same_path(common.json, common.config))
        throw measure::UsageError(fmt::format("--json: '{}' is the file of --config", common.json));
    if (suite_.common.config && command.parser().given("--config"))
        command.parser().configure(common.config, read_file(world_, common.config));
    command.check({.ranks = world_.size(), .leaves_files = true});
    session_.emplace(world_, agreement_, watchdog_, suite_, common, words);
    command.prepared().run(*session_);
}

Attempted Run::from_session() {
    if (!session_)
        return {};
    auto const [code, failure] = session_->result();
    if (failure.empty())
        return {.code = code};
    Attempted outcome = failed(code, failure);
    outcome.threw = false;
    return outcome;
}

Attempted Run::from_interruption(int value) {
    if (value != stop_failed)
        return failed(128 + value, fmt::format("interrupted by {}", crash_report::signal_name(value)));
    Attempted outcome = from_session();
    outcome.code = 1;
    outcome.threw = true;
    return outcome;
}

/// Ensures that a failure has an error line even if the rank that knows the reason has left the run or is lost.
std::string Run::spoken(int code, std::string lines) const {
    if (code == 1 && lines.empty())
        lines = fmt::format("{}: error: the run failed on a rank that could not report the reason", suite_.program);
    return lines;
}

/// Ends the run on the root after the code is agreed. \return the exit code
int Run::finish(int code, std::string const& lines) {
    if (session_)
        session_->text().flush();
    if (!lines.empty())
        stderr_text(lines + '\n');
    try {
        if (session_)
            session_->end(code, lines.substr(0, lines.find('\n')));
        return code;
    } catch (std::exception const& error) {
        stderr_line(fmt::format("{}: error: cannot end the record: {}", suite_.program, error.what()));
        return 1;
    }
}

/// Aborts, because the other ranks are inside MPI and cannot leave the run.
void Run::abandon(Attempted const& mine) {
    is_running = false;
    std::string const lines = spoken(1, fmt::format("{}", fmt::join(mine.lines, "\n")));
    if (world_.is_root())
        static_cast<void>(finish(1, lines));
    else
        stderr_text(lines + '\n');
    unlink_temporary_files();
    std::this_thread::sleep_for(before_abort);
    MPI_Abort(MPI_COMM_WORLD, 1);
    std::abort();
}

/// The exit code is agreed and all output is written: a hang from here on does not change the result.
void finalize(Watchdog& watchdog, measure::seconds wait, int code) {
    std::fflush(stdout);
    std::this_thread::sleep_for(wait);
    watchdog.over(code);
    put_off_exit();
    MPI_Finalize();
}

}  // namespace

int run_main(int argc, char** argv, Suite const& suite) {
    std::vector<std::string> const command{argv, argv + argc};
    static bool const listens = std::atexit(at_exit) == 0;
    static_cast<void>(listens);
    if (!suite.uses_mpi) {
        SignalHandlers const signals;
        Watchdog watchdog;
        measure::Comm const solo = measure::Comm::solo();
        return Run{solo, suite, watchdog}(command);
    }
    int initialised = 0;
    MPI_Initialized(&initialised);
    if (initialised == 0) {
        int const level = suite.thread_level ? suite.thread_level(command) : MPI_THREAD_SINGLE;
        int provided = 0;
        if (level != MPI_THREAD_SINGLE)
            MPI_Init_thread(&argc, &argv, level, &provided);
        else
            MPI_Init(&argc, &argv);
    }
    SignalHandlers const signals;
    Watchdog watchdog;
    int code = 0;
    measure::seconds wait{0};
    {
        measure::Comm const world{MPI_COMM_WORLD};
        code = Run{world, suite, watchdog}(command);
        wait = drain_before_finalize(world);
    }
    if (initialised == 0)
        finalize(watchdog, wait, code);
    return code;
}

}  // namespace program
