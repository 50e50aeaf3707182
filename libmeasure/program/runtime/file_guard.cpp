// SPDX-License-Identifier: BSD-3-Clause
#include "program/runtime/file_guard.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <poll.h>
#include <spawn.h>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace program::file_guard {

namespace {

/// Reads the lines +PATH, -PATH, =, which forgets all paths, and !CHILD, without a number where there is none any more;
/// the end of its input is the end of this process.
constexpr char const* script = R"(child=
descendants() {
  for each in $(grep -ls "^PPid:[[:space:]]*$1\$" /proc/[0-9]*/status); do
    each=${each#/proc/}
    echo "${each%/status}"
    descendants "${each%/status}"
  done
}
while IFS= read -r line; do
  path=${line#?}
  case $line in
  +*) set -- "$@" "$path" ;;
  -*) for each do shift; [ "$each" = "$path" ] || set -- "$@" "$each"; done ;;
  !*) child=$path ;;
  *) set -- ;;
  esac
done
if [ -n "$child" ]; then
  kill -s TERM -- "$child"
  for second in 1 2 3; do kill -s 0 -- "-$child" || break; sleep 1; done
  kill -s KILL -- $(descendants "$child") "-$child"
fi
[ $# = 0 ] || { rm -f -- "$@"; rmdir -- "$@"; })";

/// Of this process, above stderr.
std::vector<int> open_descriptors() {
    std::vector<int> found;
    std::error_code none;
    for (auto const& entry : std::filesystem::directory_iterator("/proc/self/fd", none))
        if (int const number = std::atoi(entry.path().filename().c_str()); number > STDERR_FILENO)
            found.push_back(number);
    return found;
}

/// What the guard begins with: a session of its own, no signal blocked, its input, what it holds, and nothing else of
/// this process: a launcher waits for the end of its pipes.
class Beginning {
public:
    /// \param held  stays open; -1: nothing
    Beginning(int input, int held) {
        ::sigset_t none;
        ::sigemptyset(&none);
        ::posix_spawnattr_init(&attributes_);
        ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK);
        ::posix_spawnattr_setsigmask(&attributes_, &none);
        ::posix_spawn_file_actions_init(&actions_);
        ::posix_spawn_file_actions_adddup2(&actions_, input, STDIN_FILENO);
        for (int const output : {STDOUT_FILENO, STDERR_FILENO})
            ::posix_spawn_file_actions_addopen(&actions_, output, "/dev/null", O_WRONLY, 0);
        // To the same number: that takes close-on-exec away.
        if (held >= 0)
            ::posix_spawn_file_actions_adddup2(&actions_, held, held);
        for (int const other : open_descriptors())
            if (other != held)
                ::posix_spawn_file_actions_addclose(&actions_, other);
    }
    Beginning(Beginning const&) = delete;
    Beginning& operator=(Beginning const&) = delete;
    ~Beginning() {
        ::posix_spawn_file_actions_destroy(&actions_);
        ::posix_spawnattr_destroy(&attributes_);
    }

    [[nodiscard]] bool start() const {
        std::string shell = "/bin/sh";
        std::string option = "-c";
        std::string words = script;
        char* const arguments[] = {shell.data(), option.data(), words.data(), nullptr};
        ::pid_t process = 0;
        return ::posix_spawn(&process, shell.c_str(), &actions_, &attributes_, arguments, environ) == 0;
    }

private:
    posix_spawnattr_t attributes_{};
    posix_spawn_file_actions_t actions_{};
};

/// Where the guard reads, -1: there is none.
int start(int held) noexcept try {
    std::array<int, 2> ends{-1, -1};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
        return -1;
    bool const started = Beginning{ends[1], held}.start();
    ::close(ends[1]);
    if (started)
        return ends[0];
    ::close(ends[0]);
    return -1;
} catch (std::exception const&) {
    return -1;
}

/// The guards' inputs, in the order in which they began; -1: none. The newest is told of what comes, all of what goes.
std::array<std::atomic<int>, 4> guards{-1, -1, -1, -1};
std::atomic<std::size_t> guard_count{0};

/// A guard that is gone is no signal.
void tell(std::size_t guard, std::string_view text) noexcept {
    if (int const there = guards[guard].load(); there >= 0)
        static_cast<void>(::send(there, text.data(), text.size(), MSG_NOSIGNAL));
}

void tell_all(std::string_view text) noexcept {
    for (std::size_t i = 0; i < guard_count; ++i)
        tell(i, text);
}

/// At the end of this process guards end too, and what they hold is free for others (umount) when it is over.
struct Ending {
    Ending() = default;
    Ending(Ending const&) = delete;
    Ending& operator=(Ending const&) = delete;
    ~Ending() {
        constexpr int longest = 2000;  // ms
        for (std::size_t i = 0; i < guard_count; ++i)
            ::shutdown(guards[i].load(), SHUT_WR);
        for (std::size_t i = 0; i < guard_count; ++i)
            if (::pollfd over{.fd = guards[i].load(), .events = POLLIN, .revents = 0}; over.fd >= 0)
                ::poll(&over, 1, longest);
    }
};

std::string line(char what, std::string const& text) { return std::string(1, what).append(text).append("\n"); }

bool is_line(std::string const& path) { return path.find('\n') == std::string::npos; }

void need_guard() noexcept {
    if (guard_count == 0)
        hold(-1);
}

}  // namespace

void add(std::string const& path) noexcept {
    need_guard();
    if (is_line(path))
        tell(guard_count - 1, line('+', path));
}

void hold(int descriptor) noexcept {
    static Ending const at_exit;
    std::size_t const next = guard_count;
    if (next == guards.size())
        return;
    guards[next] = start(descriptor);
    guard_count = next + 1;
}

void remove(std::string const& path) noexcept {
    if (is_line(path))
        tell_all(line('-', path));
}

void remove_all() noexcept { tell_all("=\n"); }

void child(::pid_t process) noexcept {
    need_guard();
    if (process > 0)
        tell(guard_count - 1, line('!', std::to_string(process)));
    else
        tell_all("!\n");
}

}  // namespace program::file_guard
