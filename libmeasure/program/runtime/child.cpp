// SPDX-License-Identifier: BSD-3-Clause
#include "program/runtime/child.hpp"

#include "analysis/core/number_text.hpp"
#include "analysis/core/text.hpp"
#include "program/runtime/file_guard.hpp"
#include "program/runtime/signals.hpp"
#include "program/runtime/tree.hpp"

#include <measure/error.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <map>
#include <optional>
#include <poll.h>
#include <spawn.h>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace program {

namespace {

using Clock = measure::SteadyClock;

constexpr int cannot_start = 127;
constexpr std::chrono::milliseconds look{50};
constexpr std::chrono::seconds time_to_end{3};

/// What the program begins with: its folder, no input, its output, a group of its own, SIGXFSZ as by default.
class Beginning {
public:
    explicit Beginning(Child const& child) {
        ::posix_spawnattr_init(&attributes_);
        // This program ignores it, and what is ignored is inherited: a limit on the size of files ends others.
        ::sigset_t limit;
        ::sigemptyset(&limit);
        ::sigaddset(&limit, SIGXFSZ);
        ::posix_spawnattr_setsigdefault(&attributes_, &limit);
        ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
        ::posix_spawnattr_setpgroup(&attributes_, 0);
        ::posix_spawn_file_actions_init(&actions_);
        ::posix_spawn_file_actions_addchdir_np(&actions_, child.folder.c_str());
        if (!child.inherits || ::isatty(STDIN_FILENO) == 1)
            ::posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
        if (child.inherits)
            return;
        if (child.log.empty()) {
            ::posix_spawn_file_actions_addopen(&actions_, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
            return;
        }
        ::posix_spawn_file_actions_addopen(&actions_, STDOUT_FILENO, child.log.c_str(), O_WRONLY | O_CREAT | O_APPEND,
                                           0666);
        ::posix_spawn_file_actions_adddup2(&actions_, STDOUT_FILENO, STDERR_FILENO);
    }
    ~Beginning() {
        ::posix_spawn_file_actions_destroy(&actions_);
        ::posix_spawnattr_destroy(&attributes_);
    }
    Beginning(Beginning const&) = delete;
    Beginning& operator=(Beginning const&) = delete;

    /// \return the process, or nothing with errno set
    std::optional<pid_t> start(std::vector<std::string> words) const {
        std::vector<char*> pointers;
        for (std::string& word : words)
            pointers.push_back(word.data());
        pointers.push_back(nullptr);
        pid_t process = 0;
        errno = ::posix_spawnp(&process, pointers[0], &actions_, &attributes_, pointers.data(), environ);
        if (errno != 0)
            return std::nullopt;
        return process;
    }

private:
    posix_spawnattr_t attributes_{};
    posix_spawn_file_actions_t actions_{};
};

/// While it exists, the child ends with this process, however that ends.
class Guarded {
public:
    explicit Guarded(pid_t process) { file_guard::child(process); }
    ~Guarded() { file_guard::child(0); }
    Guarded(Guarded const&) = delete;
    Guarded& operator=(Guarded const&) = delete;
};

/// Waits for the end of a child; a signal ends the wait as well. Where the system has no descriptors of processes, the
/// end is seen after the whole time.
class EndOf {
public:
    explicit EndOf([[maybe_unused]] pid_t process) {
#ifdef SYS_pidfd_open
        descriptor_ = static_cast<int>(::syscall(SYS_pidfd_open, process, 0));
#endif
    }
    ~EndOf() {
        if (descriptor_ >= 0)
            ::close(descriptor_);
    }
    EndOf(EndOf const&) = delete;
    EndOf& operator=(EndOf const&) = delete;

    /// Without a descriptor of the process (Linux before 5.3) it looks every millisecond.
    void wait(std::chrono::milliseconds most) const {
        if (descriptor_ < 0)
            most = std::chrono::milliseconds{1};
        ::pollfd watched{.fd = descriptor_, .events = POLLIN, .revents = 0};
        ::poll(&watched, 1, static_cast<int>(most.count()));
    }

private:
    int descriptor_ = -1;
};

int code_of(int status) { return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status); }

/// The exit code once the process has ended.
std::optional<int> ended(pid_t process) {
    int status = 0;
    pid_t const found = ::waitpid(process, &status, WNOHANG);
    if (found == process)
        return code_of(status);
    return found < 0 && errno != EINTR ? std::optional{cannot_start} : std::nullopt;
}

/// Children of the process, and theirs.
std::vector<pid_t> descendants(pid_t process) {
    std::multimap<pid_t, pid_t> children;
    Tree const tree;
    for (std::string const& entry : tree.entries("/proc"))
        if (auto const id = measure::detail::number_from<pid_t>(entry))
            if (auto const status = tree.text(fmt::format("/proc/{}/status", *id)))
                if (auto const parent = measure::detail::number_from<pid_t>(field(*status, "PPid").value_or("")))
                    children.emplace(*parent, *id);
    std::vector<pid_t> found{process};
    for (std::size_t i = 0; i < found.size(); ++i)
        for (auto [at, last] = children.equal_range(found[i]); at != last; ++at)
            found.push_back(at->second);
    found.erase(found.begin());
    return found;
}

/// Sends the signal, and kills the child and its descendants where that does not end it in time. A launcher may lose a
/// signal that comes while it starts. Each of its proxies has another session, which a signal to the launcher's group
/// does not reach.
void end(pid_t process, int signal) {
    ::kill(process, signal);
    auto const limit = Clock::now() + time_to_end;
    while (!ended(process)) {
        if (Clock::now() >= limit) {
            for (pid_t const each : descendants(process))
                ::kill(each, SIGKILL);
            ::kill(-process, SIGKILL);
        }
        std::this_thread::sleep_for(look);
    }
}

bool lacks_room(int error) { return error == EAGAIN || error == ENOMEM || error == EMFILE || error == ENFILE; }

bool is_program(std::string const& path) {
    struct stat status {};
    return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && ::access(path.c_str(), X_OK) == 0;
}

}  // namespace

bool has_program(std::string_view name) {
    char const* const path = std::getenv("PATH");
    if (path == nullptr)
        return false;
    for (std::string const& folder : measure::detail::split(path, ':'))
        if (is_program(fmt::format("{}/{}", folder.empty() ? "." : folder, name)))
            return true;
    return false;
}

int run_child(Child const& child) {
    auto const begin = Clock::now();
    auto const process = Beginning{child}.start(child.command);
    if (!process && child.is_needed && lacks_room(errno))
        throw std::runtime_error(fmt::format("cannot start '{}': {}", child.command.front(), std::strerror(errno)));
    if (!process)
        return cannot_start;
    Guarded const guarded{*process};
    EndOf const end_of_child{*process};
    for (;;) {
        if (auto const code = ended(*process))
            return *code;
        if (int const flag = stop_flag().load(); flag != 0) {
            end(*process, flag == stop_failed ? SIGTERM : flag);
            // What it has left is to be kept, and waiting for it has taken most of the time.
            put_off_exit();
            throw measure::Interrupted(flag);
        }
        if (child.limit.count() > 0 && Clock::now() - begin > child.limit) {
            end(*process, SIGTERM);
            return timed_out;
        }
        end_of_child.wait(look);
    }
}

}  // namespace program
