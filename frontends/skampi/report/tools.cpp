// SPDX-License-Identifier: BSD-3-Clause
#include "report/tools.hpp"

#include "frontend/values.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <spawn.h>

namespace skampi::report {

namespace {

bool is_program(std::string const& path) {
    struct stat status {};
    return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && ::access(path.c_str(), X_OK) == 0;
}

/// What the program begins with: its folder, no input, its output in the log.
class Beginning {
public:
    Beginning(std::string const& folder, std::string const& log) {
        ::posix_spawn_file_actions_init(&actions_);
        ::posix_spawn_file_actions_addchdir_np(&actions_, folder.c_str());
        ::posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
        ::posix_spawn_file_actions_addopen(&actions_, STDOUT_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0666);
        ::posix_spawn_file_actions_adddup2(&actions_, STDOUT_FILENO, STDERR_FILENO);
    }
    ~Beginning() { ::posix_spawn_file_actions_destroy(&actions_); }
    Beginning(Beginning const&) = delete;
    Beginning& operator=(Beginning const&) = delete;
    [[nodiscard]] posix_spawn_file_actions_t const* get() const noexcept { return &actions_; }

private:
    posix_spawn_file_actions_t actions_{};
};

}  // namespace

bool has_program(std::string_view name) {
    char const* const path = std::getenv("PATH");
    if (path == nullptr)
        return false;
    for (std::string const& folder : frontend::split(path, ':'))
        if (is_program(fmt::format("{}/{}", folder.empty() ? "." : folder, name)))
            return true;
    return false;
}

int run_program(std::vector<std::string> const& command, std::string const& folder, std::string const& log) {
    constexpr int cannot_start = 127;
    std::vector<std::string> words = command;
    std::vector<char*> pointers;
    for (std::string& word : words)
        pointers.push_back(word.data());
    pointers.push_back(nullptr);
    Beginning const beginning{folder, log};
    pid_t process = 0;
    if (::posix_spawnp(&process, pointers[0], beginning.get(), nullptr, pointers.data(), environ) != 0)
        return cannot_start;
    int status = 0;
    while (::waitpid(process, &status, 0) < 0)
        if (errno != EINTR)
            return cannot_start;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace skampi::report
