// SPDX-License-Identifier: BSD-3-Clause
#include "program/runtime/child.hpp"

#include "analysis/core/number_text.hpp"
#include "analysis/core/text.hpp"
#include "program/runtime/signals.hpp"
#include "program/runtime/tree.hpp"

#include <measure/error.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <map>
#include <optional>
#include <poll.h>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace program {

namespace {

using Clock = measure::SteadyClock;

constexpr int cannot_start = 127;
constexpr std::chrono::milliseconds look{50};
constexpr std::chrono::seconds time_to_end{3};

/// "NAME=VALUE" for each variable of a child's environment.
std::vector<std::string> environment_of(Child const& child) {
    std::vector<std::string> all;
    for (auto const& [name, value] : child.environment)
        all.push_back(fmt::format("{}={}", name, value));
    auto const is_given = [&](std::string_view variable) {
        return std::any_of(child.environment.begin(), child.environment.end(),
                           [&](auto const& given) { return variable.substr(0, variable.find('=')) == given.first; });
    };
    for (char const* const* own = environ; *own != nullptr; ++own)
        if (!is_given(*own))
            all.emplace_back(*own);
    return all;
}

/// The null-terminated array that exec takes for arguments and environment. \param texts  must outlive the result
std::vector<char*> pointers_to(std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    for (std::string& text : texts)
        pointers.push_back(text.data());
    pointers.push_back(nullptr);
    return pointers;
}

/// Opens a file under the given descriptor number.
bool open_as(int descriptor, char const* path, int flags) {
    int const file = ::open(path, flags, 0666);
    return file == descriptor || (file >= 0 && ::dup2(file, descriptor) >= 0 && ::close(file) == 0);
}

/// Restores the default action of handled signals. Ignored signals stay ignored.
void forget_handlers() {
    for (int signal = 1; signal <= SIGRTMAX; ++signal) {
        struct sigaction action {};
        if (::sigaction(signal, nullptr, &action) == 0 && action.sa_handler != SIG_IGN)
            ::signal(signal, SIG_DFL);
    }
    // This program ignores SIGXFSZ. The child must not inherit that: a file size limit should end it as usual.
    ::signal(SIGXFSZ, SIG_DFL);
}

/// Runs in the new process, with signals blocked: sets folder, input, output and a separate process group, and executes
/// the program. The kernel sends it SIGTERM when its parent ends. Does not allocate. Returns only on failure.
void become(Child const& child, char* const* words, char* const* variables, pid_t parent, ::sigset_t const& mask) {
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (::getppid() != parent)
        ::_exit(128 + SIGTERM);
    forget_handlers();
    ::sigprocmask(SIG_SETMASK, &mask, nullptr);
    if (::chdir(child.folder.c_str()) != 0)
        return;
    constexpr int added = O_WRONLY | O_CREAT | O_APPEND;
    bool const has_output = child.inherits || (child.log.empty() ? open_as(STDOUT_FILENO, "/dev/null", O_WRONLY)
                                                                 : open_as(STDOUT_FILENO, child.log.c_str(), added) &&
                                                                       ::dup2(STDOUT_FILENO, STDERR_FILENO) >= 0);
    bool const keeps_input = child.inherits && ::isatty(STDIN_FILENO) != 1;
    if (has_output && (keeps_input || open_as(STDIN_FILENO, "/dev/null", O_RDONLY)))
        ::execvpe(words[0], words, variables);
}

/// Starts the child with vfork, as posix_spawn does. posix_spawn itself cannot make the kernel end the child with its
/// parent. \return the process, or empty with errno set
std::optional<pid_t> start(Child const& child) {
    auto command = child.command;
    auto environment = environment_of(child);
    auto const words = pointers_to(command);
    auto const variables = pointers_to(environment);
    pid_t const parent = ::getpid();
    ::sigset_t all;
    ::sigset_t mask;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_BLOCK, &all, &mask);
    int volatile failure = 0;
    pid_t const process = ::vfork();
    if (process == 0) {
        become(child, words.data(), variables.data(), parent, mask);
        failure = errno;
        ::_exit(cannot_start);
    }
    if (process < 0)
        failure = errno;
    ::pthread_sigmask(SIG_SETMASK, &mask, nullptr);
    if (failure == 0)
        return process;
    if (process > 0)
        ::waitpid(process, nullptr, 0);
    errno = failure;
    return std::nullopt;
}

/// Waits for the end of a child. A signal also ends the wait.
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

    /// Without process descriptors (Linux before 5.3) it waits only 1 ms, so that the caller polls.
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

/// The exit code of the process; empty while it runs.
std::optional<int> ended(pid_t process) {
    int status = 0;
    pid_t const found = ::waitpid(process, &status, WNOHANG);
    if (found == process)
        return code_of(status);
    return found < 0 && errno != EINTR ? std::optional{cannot_start} : std::nullopt;
}

/// All descendants of the process.
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

/// Sends the signal, and kills the child and its descendants if it does not end in time. A launcher may lose a signal
/// while it starts. Its proxies have their own sessions, so a signal to the launcher's process group does not reach
/// them.
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
    auto const process = start(child);
    if (!process && child.is_needed && lacks_room(errno))
        throw std::runtime_error(fmt::format("cannot start '{}': {}", child.command.front(), std::strerror(errno)));
    if (!process)
        return cannot_start;
    EndOf const end_of_child{*process};
    for (;;) {
        if (auto const code = ended(*process))
            return *code;
        if (int const flag = stop_flag().load(); flag != 0) {
            end(*process, flag == stop_failed ? SIGTERM : flag);
            // The caller still has to save the child's results, and waiting has used most of the time to exit.
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
