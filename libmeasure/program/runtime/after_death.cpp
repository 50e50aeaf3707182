// SPDX-License-Identifier: BSD-3-Clause
#include "program/runtime/after_death.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <spawn.h>
#include <string>
#include <system_error>

namespace program {

namespace fs = std::filesystem;

namespace {

/// The other ranks of a job that is killed may need a moment to end.
constexpr char const* script = R"(read -r line || { sleep 1; exec "$@"; })";

/// Descriptors above stderr, which the shell is to have none of: a launcher waits for the end of its pipes.
std::vector<int> open_descriptors() {
    std::vector<int> found;
    std::error_code none;
    for (auto const& entry : fs::directory_iterator("/proc/self/fd", none))
        if (int const number = std::atoi(entry.path().filename().c_str()); number > STDERR_FILENO)
            found.push_back(number);
    return found;
}

/// Without what launchers tell ranks.
std::vector<std::string> environment() {
    std::vector<std::string> kept;
    for (char const* const name : {"PATH", "HOME", "TMPDIR", "LD_LIBRARY_PATH"})
        if (char const* const value = std::getenv(name))
            kept.push_back(std::string{name} + "=" + value);
    return kept;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> all;
    for (std::string& text : texts)
        all.push_back(text.data());
    all.push_back(nullptr);
    return all;
}

/// \param input  of the shell \return its process; -1: it cannot be started
pid_t start_shell(std::vector<std::string> command, int input) {
    command.insert(command.begin(), {"sh", "-c", script, "sh"});
    auto variables = environment();
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawnattr_init(&attributes);
    ::posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
    for (int const output : {STDOUT_FILENO, STDERR_FILENO})
        ::posix_spawn_file_actions_addopen(&actions, output, "/dev/null", O_WRONLY, 0);
    for (int const other : open_descriptors())
        ::posix_spawn_file_actions_addclose(&actions, other);
    sigset_t none;
    sigemptyset(&none);
    ::posix_spawnattr_setsigmask(&attributes, &none);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK);
    pid_t shell = -1;
    if (::posix_spawn(&shell, "/bin/sh", &actions, &attributes, pointers(command).data(), pointers(variables).data()) !=
        0)
        shell = -1;
    ::posix_spawnattr_destroy(&attributes);
    ::posix_spawn_file_actions_destroy(&actions);
    return shell;
}

}  // namespace

AfterDeath::AfterDeath(std::vector<std::string> command) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
        return;
    shell_ = start_shell(std::move(command), ends[0]);
    ::close(ends[0]);
    call_off_ = ends[1];
}

AfterDeath::~AfterDeath() {
    if (call_off_ < 0)
        return;
    // A shell that is gone would raise SIGPIPE here.
    struct sigaction ignore {};
    struct sigaction before {};
    ignore.sa_handler = SIG_IGN;
    ::sigaction(SIGPIPE, &ignore, &before);
    static_cast<void>(!::write(call_off_, "\n", 1));
    ::sigaction(SIGPIPE, &before, nullptr);
    ::close(call_off_);
    if (shell_ > 0)
        ::waitpid(shell_, nullptr, 0);
}

std::string own_program() {
    std::error_code error;
    auto const path = fs::read_symlink("/proc/self/exe", error);
    return error ? std::string{} : path.string();
}

}  // namespace program
