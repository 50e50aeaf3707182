// SPDX-License-Identifier: BSD-3-Clause
/// Begins and ends recording: at MPI_Init and MPI_Finalize, or at any other end of the process.
#include "call_names.hpp"
#include "core/write_signals.hpp"
#include "profile/recorder.hpp"
#include "profile/wrap.hpp"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <string_view>

namespace measure::profile {

namespace {

struct Life {
    void* recorder = nullptr;  ///< handle of the recorder library
    void* begun = nullptr;     ///< object returned by measure_profile_begin
    std::array<char, 4096> record{};
    std::array<char, 4096> part{};  ///< file of the table if it is not joined; the table itself or its later copy
    bool is_mapped = false;         ///< the table is already mapped to that file
    int uses = 0;                   ///< open uses of MPI: sessions, and the time from MPI_Init to MPI_Finalize
    bool is_over = false;           ///< the record was created
};
constinit Life life{};

/// Serialises begins and ends of sessions, which may happen in several threads at the same time.
class OneAtATime {
public:
    OneAtATime() noexcept { ::pthread_mutex_lock(&mutex_); }
    ~OneAtATime() { ::pthread_mutex_unlock(&mutex_); }
    OneAtATime(OneAtATime const&) = delete;
    OneAtATime& operator=(OneAtATime const&) = delete;

private:
    static constinit inline ::pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
};

bool is_set(char const* variable) noexcept {
    char const* const value = std::getenv(variable);
    return value != nullptr && *value != '\0' && std::strcmp(value, "0") != 0;
}

/// Prints one line with a single write, so that it is not mixed with other output. \param why  may be empty
void complain(char const* text, char const* why = "") noexcept {
    std::array<char, 1024> line{};
    int const n =
        std::snprintf(line.data(), line.size(), "measure profile: %s%s%s\n", text, *why != '\0' ? ": " : "", why);
    if (n > 0)
        static_cast<void>(::write(STDERR_FILENO, line.data(), std::min(line.size() - 1, static_cast<std::size_t>(n))) <
                          0);
}

/// Finds the library with MPI wherever it is loaded: interpreters load it without making its symbols visible.
void* hidden_mpi() noexcept {
    void* found = nullptr;
    ::dl_iterate_phdr(
        [](::dl_phdr_info* info, std::size_t, void* result) {
            if (info->dlpi_name == nullptr || *info->dlpi_name == '\0')
                return 0;
            void* const library = ::dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD | RTLD_LOCAL);
            if (library == nullptr)
                return 0;
            if (::dlsym(library, "PMPI_Comm_size") == nullptr) {
                ::dlclose(library);
                return 0;
            }
            *static_cast<void**>(result) = library;
            return 1;
        },
        &found);
    return found;
}

template <class F>
bool find_own(F*& function, char const* name) noexcept {
    void* const address = find_next(name);
    function = reinterpret_cast<F*>(address);
    return address != nullptr;
}

/// Finds the functions for the agreement between ranks, recorded or not.
bool find_few() noexcept {
    return find_own(own.comm_rank, "PMPI_Comm_rank") && find_own(own.comm_size, "PMPI_Comm_size") &&
           find_own(own.iallreduce, "PMPI_Iallreduce") && find_own(own.test, "PMPI_Test");
}

bool find_all() noexcept {
    return find_few() && find_own(own.barrier, "PMPI_Barrier") && find_own(own.bcast, "PMPI_Bcast") &&
           find_own(own.comm_remote_size, "PMPI_Comm_remote_size") &&
           find_own(own.comm_test_inter, "PMPI_Comm_test_inter") && find_own(own.type_size, "PMPI_Type_size_x") &&
           find_own(own.get_elements, "PMPI_Get_elements_x") && find_own(own.win_get_group, "PMPI_Win_get_group") &&
           find_own(own.file_get_group, "PMPI_File_get_group") && find_own(own.file_f2c, "PMPI_File_f2c") &&
           find_own(own.group_size, "PMPI_Group_size") && find_own(own.group_free, "PMPI_Group_free") &&
#ifdef OPEN_MPI
           find_own(own.comm_f2c, "PMPI_Comm_f2c") && find_own(own.message_f2c, "PMPI_Message_f2c") &&
           find_own(own.op_f2c, "PMPI_Op_f2c") && find_own(own.request_f2c, "PMPI_Request_f2c") &&
           find_own(own.type_f2c, "PMPI_Type_f2c") && find_own(own.win_f2c, "PMPI_Win_f2c") &&
#endif
           find_own(own.topo_test, "PMPI_Topo_test") && find_own(own.cartdim_get, "PMPI_Cartdim_get") &&
           find_own(own.graph_neighbors_count, "PMPI_Graph_neighbors_count") &&
           find_own(own.dist_graph_neighbors_count, "PMPI_Dist_graph_neighbors_count");
}

/// Maps zeroed memory for a table. If the command has created a folder for all ranks of this host, the table is a file
/// in it, which survives the process; otherwise it is anonymous memory.
RankTable* make_table(int rank) noexcept {
    char const* const folder = std::getenv("MEASURE_PROFILE_PARTS");
    detail::WriteSignalsBlocked const blocked;
    int file = -1;
    if (folder != nullptr && *folder != '\0') {
        std::snprintf(life.part.data(), life.part.size(), "%s/%d.%d.part", folder, rank, static_cast<int>(::getpid()));
        file = ::open(life.part.data(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        auto const first = static_cast<::off_t>(offsetof(RankTable, thread) + sizeof(ThreadTable));
        if (file >= 0 && (::ftruncate(file, sizeof(RankTable)) != 0 || ::posix_fallocate(file, 0, first) != 0)) {
            ::close(file);
            ::unlink(life.part.data());
            file = -1;
        }
    }
    life.is_mapped = file >= 0;
    state.part = file;
    void* const memory = ::mmap(nullptr, sizeof(RankTable), PROT_READ | PROT_WRITE,
                                (life.is_mapped ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS) | MAP_NORESERVE, file, 0);
    if (!life.is_mapped)
        std::snprintf(life.part.data(), life.part.size(), "%s.%d.%d.part", life.record.data(), rank,
                      static_cast<int>(::getpid()));
    return memory == MAP_FAILED ? nullptr : static_cast<RankTable*>(memory);
}

bool write_all(int file, void const* data, std::size_t bytes, std::size_t at) noexcept {
    auto const* from = static_cast<char const*>(data);
    while (bytes > 0) {
        ::ssize_t const n = ::pwrite(file, from, bytes, static_cast<::off_t>(at));
        if (n <= 0)
            return false;
        from += n;
        at += static_cast<std::size_t>(n);
        bytes -= static_cast<std::size_t>(n);
    }
    return true;
}

/// Involuntary context switches since the process began.
std::uint64_t preemptions() noexcept {
    ::rusage use{};
    return ::getrusage(RUSAGE_SELF, &use) == 0 ? static_cast<std::uint64_t>(use.ru_nivcsw) : 0;
}

/// Called at the begin and end of recording. Between the calls, `preempted` holds the count at the begin.
void count_preemptions() noexcept { state.table->preempted = preemptions() - state.table->preempted; }

/// Notes the end of recording.
void stop() noexcept {
    state.table->end = monotonic();
    count_preemptions();
}

/// Writes the table of a rank that is not in a record to a file. Safe in a signal handler.
void leave_part() noexcept {
    RankTable const& table = *state.table;
    if (life.is_mapped)
        return;
    detail::WriteSignalsBlocked const blocked;
    int const file = ::open(life.part.data(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666);
    bool good =
        file >= 0 && ::ftruncate(file, sizeof table) == 0 && write_all(file, &table, offsetof(RankTable, thread), 0);
    for (std::uint32_t i = 0; good && i < table.threads.load(std::memory_order_relaxed); ++i) {
        ThreadTable const& thread = table.thread[i];
        auto const at =
            static_cast<std::size_t>(reinterpret_cast<char const*>(&thread) - reinterpret_cast<char const*>(&table));
        std::size_t const bytes = offsetof(ThreadTable, entry) + thread.entries * sizeof(Entry);
        good = write_all(file, &thread, bytes, at);
    }
    if (file >= 0)
        ::close(file);
    if (!good)
        complain("the data of a rank cannot be written");
}

/// Ends recording without a record. \return whether it was still active
bool end_early(Ending how, int signal = 0) noexcept {
    if (state.table == nullptr || state.table->process != ::getpid() || state.table->ending.load() != Ending::none ||
        !state.on.exchange(false))
        return false;
    stop();
    state.table->signal = signal;
    state.table->ending = how;
    leave_part();
    return true;
}

/// Signals that end a process without a handler for them. Handlers of the application stay installed.
constexpr std::array ending_signals{SIGHUP,  SIGINT,  SIGQUIT, SIGILL,  SIGABRT, SIGBUS,  SIGFPE,
                                    SIGUSR1, SIGSEGV, SIGUSR2, SIGPIPE, SIGALRM, SIGTERM, SIGXCPU};

void on_signal(int signal) {
    end_early(Ending::signalled, signal);
    ::raise(signal);  // the default action follows, because the handler is removed at its first use
}

void handle_signals() noexcept {
    for (int const signal : ending_signals) {
        struct ::sigaction old {};
        if (::sigaction(signal, nullptr, &old) != 0 || (old.sa_flags & SA_SIGINFO) != 0 || old.sa_handler != SIG_DFL)
            continue;
        struct ::sigaction own_action {};
        own_action.sa_handler = on_signal;
        own_action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_ONSTACK;
        ::sigemptyset(&own_action.sa_mask);
        ::sigaction(signal, &own_action, nullptr);
    }
}

void note_modules(RankTable& table) noexcept {
    table.modules = 0;
    ::dl_iterate_phdr(
        [](::dl_phdr_info* info, std::size_t, void* to) {
            auto& all = *static_cast<RankTable*>(to);
            if (all.modules == all.module.size())
                return 1;
            Module& module = all.module[all.modules];
            module = {.begin = ~std::uint64_t{0}, .end = 0, .base = info->dlpi_addr};
            for (int i = 0; i < info->dlpi_phnum; ++i)
                if (auto const& part = info->dlpi_phdr[i]; part.p_type == PT_LOAD) {
                    module.begin = std::min<std::uint64_t>(module.begin, info->dlpi_addr + part.p_vaddr);
                    module.end = std::max<std::uint64_t>(module.end, info->dlpi_addr + part.p_vaddr + part.p_memsz);
                }
            if (info->dlpi_name != nullptr && *info->dlpi_name != '\0')
                std::snprintf(module.path.data(), module.path.size(), "%s", info->dlpi_name);
            else if (all.modules == 0 && ::readlink("/proc/self/exe", module.path.data(), module.path.size() - 1) < 0)
                module.path[0] = '\0';
            ++all.modules;
            return 0;
        },
        &table);
}

/// Whether a file belongs to MPI: "libmpi.so.40", "libmpichfort.so.12", "libmpi_usempif08.so.40", "libpmpi.so.12".
bool is_mpi_library(char const* path) noexcept {
    char const* const slash = std::strrchr(path, '/');
    std::string_view const name = slash != nullptr ? slash + 1 : path;
    return name.starts_with("libmpi") || name.starts_with("libpmpi");
}

/// Notes the libraries that `application_site` skips.
void note_mpi_libraries(RankTable const& table) noexcept {
    std::size_t found = 0;
    for (std::size_t i = 0; i < table.modules && found < state.mpi_libraries.size(); ++i)
        if (Module const& module = table.module[i]; is_mpi_library(module.path.data()))
            state.mpi_libraries[found++] = {module.begin, module.end};
}

void note_command(RankTable& table) noexcept {
    int const file = ::open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return;
    static_cast<void>(::read(file, table.command.data(), table.command.size() - 2) < 0);
    ::close(file);
}

/// Rank of the process in MPI_COMM_WORLD, and the number of ranks.
struct Place {
    int rank = 0;
    int world = 1;
};

/// Whether this process is the first one on its host that waits for the same record. \param socket  open as long as the
/// process waits
bool speaks_for_host(int socket) noexcept {
    // An abstract socket name, which disappears with the socket. It ends with the end of the path, to distinguish
    // records.
    ::sockaddr_un name{};
    name.sun_family = AF_UNIX;
    constexpr std::string_view mark = "measure_profile ";
    char* const to = std::copy(mark.begin(), mark.end(), name.sun_path + 1);
    std::string_view const record{life.record.data()};
    auto const room = static_cast<std::size_t>(std::end(name.sun_path) - to);
    std::copy_n(record.end() - std::min(room, record.size()), std::min(room, record.size()), to);
    return ::bind(socket, reinterpret_cast<::sockaddr const*>(&name), sizeof name) == 0 || errno != EADDRINUSE;
}

/// Waits for the other ranks without a timeout, but prints a message after 10 s.
void wait_for_all(MPI_Request request, Place place) noexcept {
    constexpr std::uint64_t millisecond = 1'000'000;
    // The delays differ, so that usually the lowest rank of a host prints the message.
    std::uint64_t const patience = (10'000 + 2 * static_cast<std::uint64_t>(std::min(place.rank, 1000))) * millisecond;
    std::uint64_t const begin = monotonic();
    bool is_late = false;
    int socket = -1;
    for (int done = 0; own.test(&request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && done == 0;) {
        std::uint64_t const waited = monotonic() - begin;
        if (!is_late && waited > patience) {
            is_late = true;
            socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
            std::array<char, 64> text{};
            std::snprintf(text.data(), text.size(), "rank %d has waited 10 s for other ranks in MPI_Init", place.rank);
            if (speaks_for_host(socket))
                complain(text.data(), "all ranks need LD_PRELOAD and MEASURE_PROFILE* in their environment (Open MPI: "
                                      "mpirun -x LD_PRELOAD -x MEASURE_PROFILE)");
        }
        ::timespec const pause{.tv_sec = 0, .tv_nsec = static_cast<long>(std::min(waited / 8, millisecond))};
        ::nanosleep(&pause, nullptr);
    }
    if (socket >= 0)
        ::close(socket);
}

/// Combined answers of all ranks.
struct Answers {
    int no = 0;   ///< lowest rank with the answer no; the number of ranks if there is no such rank
    int yes = 0;  ///< lowest rank with the answer yes; the number of ranks if there is no such rank
};

/// Collective over MPI_COMM_WORLD. Ranks without the library never call this, so the other ranks wait.
Answers answers(bool is_yes, Place place) noexcept {
    std::array<int, 2> const mine{is_yes ? place.world : place.rank, is_yes ? place.rank : place.world};
    std::array<int, 2> all{0, place.world};
    MPI_Request request = MPI_REQUEST_NULL;
    if (own.iallreduce(mine.data(), all.data(), 2, MPI_INT, MPI_MIN, MPI_COMM_WORLD, &request) == MPI_SUCCESS)
        wait_for_all(request, place);
    return {.no = all[0], .yes = all[1]};
}

constexpr char const* nothing_at_all = "nothing is recorded";
constexpr char const* parts_only = "there is no common record, only one part per rank";

void complain_of(int rank, char const* reason, char const* what_follows = parts_only) noexcept {
    std::array<char, 96> text{};
    std::snprintf(text.data(), text.size(), "rank %d: %s", rank, what_follows);
    complain(text.data(), reason);
}

/// The lowest rank with an error prints its reason. Collective. \return whether no rank has an error
bool are_all_fine(bool is_fine, char const* reason, Place place) noexcept {
    int const no = answers(is_fine, place).no;
    if (no == place.rank)
        complain_of(no, reason);
    return no == place.world;
}

/// Loads the recorder from this library's folder and lets it describe the run, on all ranks or on none. Collective.
void begin_record(Order const& order, Place place) noexcept {
    std::array<char, 4096> path{};
    ::Dl_info here{};
    if (::dladdr(reinterpret_cast<void*>(&begin_record), &here) != 0 && here.dli_fname != nullptr) {
        char const* const slash = std::strrchr(here.dli_fname, '/');
        int const folder = slash != nullptr ? static_cast<int>(slash - here.dli_fname + 1) : 0;
        std::snprintf(path.data(), path.size(), "%.*slibmeasure_profile_recorder.so", folder, here.dli_fname);
    }
    std::array<char, 512> said{};
    life.recorder = ::dlopen(path.data(), RTLD_NOW | RTLD_LOCAL);
    if (life.recorder == nullptr)
        std::snprintf(said.data(), said.size(), "%s", ::dlerror());
    if (!are_all_fine(life.recorder != nullptr, said.data(), place))
        return;
    auto* const begin = reinterpret_cast<Begin*>(::dlsym(life.recorder, "measure_profile_begin"));
    double hertz = 0;
    void* const begun = begin(&order, &hertz, said.data(), said.size());
    if (!are_all_fine(begun != nullptr, said.data(), place))
        return;
    life.begun = begun;
    // Calls of an open session have already been timed with the clock.
    if (hertz > 0 && !state.on) {
        state.tsc = true;
        state.scale = static_cast<std::uint64_t>(1e9 / hertz * 4294967296.0 + 0.5);
        std::snprintf(state.table->timer.data(), state.table->timer.size(), "tsc");
    }
}

/// Options of the recording.
struct Settings {
    std::array<char, 32> timer{"monotonic"};
    bool counts_only = false;
    bool waits = false;
    bool sites = false;
};

Settings asked_for() noexcept {
    Settings settings{.counts_only = is_set("MEASURE_PROFILE_COUNTS_ONLY"),
                      .waits = is_set("MEASURE_PROFILE_WAITING"),
                      .sites = is_set("MEASURE_PROFILE_SITES")};
    if (char const* const timer = std::getenv("MEASURE_PROFILE_TIMER"); timer != nullptr && *timer != '\0')
        std::snprintf(settings.timer.data(), settings.timer.size(), "%s", timer);
    return settings;
}

void take(Settings const& settings) noexcept {
    state.table->counts_only = state.counts_only = settings.counts_only;
    state.table->waits = state.waits = settings.waits;
    state.table->sites = state.sites = settings.sites;
}

/// Creates the table of this process. \return whether there was enough memory
bool make_ready(Place place) noexcept {
    char const* const path = std::getenv("MEASURE_PROFILE");
    // The application may change its working directory.
    if (*path == '/' || ::getcwd(life.record.data(), life.record.size() / 2) == nullptr)
        life.record[0] = '\0';
    std::size_t const used = std::strlen(life.record.data());
    std::snprintf(life.record.data() + used, life.record.size() - used, "%s%s", used > 0 ? "/" : "", path);
    state.table = make_table(place.rank);
    if (state.table == nullptr)
        return false;
    RankTable& table = *state.table;
    table.rank = place.rank;
    table.world = place.world;
    table.process = ::getpid();
    table.bytes = sizeof table;
    table.names = names_mark();
    table.started = std::time(nullptr);
    take(asked_for());
    ::cpu_set_t cores{};
    table.usable_cores = ::sched_getaffinity(0, sizeof cores, &cores) == 0 ? CPU_COUNT(&cores) : 1;
    ::gethostname(table.host.data(), table.host.size() - 1);
    std::snprintf(table.timer.data(), table.timer.size(), "monotonic");
    note_command(table);
    note_modules(table);
    note_mpi_libraries(table);
    if (state.sites)
        prepare_sites();
    handle_signals();
    // A child's calls would be counted as calls of this process.
    ::pthread_atfork(nullptr, nullptr, [] { state.on = false; });
    return true;
}

constexpr char const* not_asked_for =
    "MEASURE_PROFILE is not set; all ranks need it (Open MPI: mpirun -x MEASURE_PROFILE)";

/// Reason why this process is not recorded; empty if it is recorded and has a table.
char const* why_not(Place place) noexcept {
    char const* const path = std::getenv("MEASURE_PROFILE");
    if (path == nullptr || *path == '\0' || life.is_over)
        return not_asked_for;
    if (state.table != nullptr)
        return "";
    if (!find_all())
        return "the MPI library lacks functions required for recording";
    return make_ready(place) ? "" : "not enough memory for the profile";
}

/// Begins recording, or continues it if all earlier uses of MPI had ended.
void start() noexcept {
    if (state.on)
        return;
    RankTable& table = *state.table;
    if (table.ending != Ending::none && !life.is_mapped)
        ::unlink(life.part.data());
    table.magic = RankTable::mark;
    count_preemptions();
    if (table.begin == 0)
        table.begin = monotonic();
    table.end = 0;
    table.ending = Ending::none;
    state.on = true;
}

/// Ends one use of MPI. After the last use, the table is left as a part, because another use may follow.
void end_use() noexcept {
    OneAtATime const alone;
    if (life.uses == 0 || --life.uses > 0 || state.table == nullptr || state.table->process != ::getpid())
        return;
    note_modules(*state.table);
    end_early(Ending::finalized);
}

/// Called after MPI_Init. Collective over MPI_COMM_WORLD, including ranks that are not recorded.
void begin() noexcept {
    Place place;
    char const* reason = "";
    {
        OneAtATime const alone;
        ++life.uses;
        if (!find_few())
            return;
        own.comm_rank(MPI_COMM_WORLD, &place.rank);
        own.comm_size(MPI_COMM_WORLD, &place.world);
        reason = why_not(place);
    }
    Answers const recorded = answers(*reason == '\0', place);
    bool const is_any = recorded.yes < place.world;
    bool const are_all = recorded.no == place.world;
    if (recorded.no == place.rank && (is_any || reason != not_asked_for))
        complain_of(place.rank, reason, is_any ? parts_only : nothing_at_all);
    if (*reason != '\0')
        return;
    // Ranks with different settings would wait for each other, so rank 0 decides. If some ranks are not recorded, no
    // rank waits.
    Settings settings = asked_for();
    if (are_all)
        own.bcast(&settings, sizeof settings, MPI_BYTE, 0, MPI_COMM_WORLD);
    else
        settings.waits = false;
    take(settings);
    if (are_all) {
        begin_record({.path = life.record.data(), .timer = settings.timer.data(), .table = state.table}, place);
        own.barrier(MPI_COMM_WORLD);
    }
    OneAtATime const alone;
    start();
}

#if MPI_VERSION >= 4
/// Called after MPI_Session_init. There is no communicator of all ranks, so each process leaves a part for
/// `measure profile`.
void begin_in(MPI_Session session) noexcept {
    OneAtATime const alone;
    ++life.uses;
    decltype(&PMPI_Group_from_session_pset) group_of = nullptr;
    decltype(&PMPI_Group_rank) rank_in = nullptr;
    MPI_Group group = MPI_GROUP_NULL;
    Place place;
    if (!find_own(group_of, "PMPI_Group_from_session_pset") || !find_own(rank_in, "PMPI_Group_rank") ||
        !find_own(own.group_size, "PMPI_Group_size") || !find_own(own.group_free, "PMPI_Group_free") ||
        group_of(session, "mpi://WORLD", &group) != MPI_SUCCESS)
        return;
    rank_in(group, &place.rank);
    own.group_size(group, &place.world);
    own.group_free(&group);
    char const* const reason = why_not(place);
    if (*reason == '\0')
        start();
    else if (reason != not_asked_for)
        complain_of(place.rank, reason, nothing_at_all);
}
#endif

/// Called before MPI_Finalize. Collective over MPI_COMM_WORLD.
void end() noexcept {
    if (life.begun == nullptr)
        return end_use();
    if (!state.on.exchange(false) || state.table->process != ::getpid())
        return;
    life.is_over = true;
    RankTable& table = *state.table;
    stop();
    table.ending = Ending::finalized;
    note_modules(table);
    detail::WriteSignalsBlocked const blocked;
    std::array<char, 1024> said{};
    reinterpret_cast<End*>(::dlsym(life.recorder, "measure_profile_end"))(life.begun, said.data(), said.size());
    if (said[0] != '\0' && table.rank == 0)
        complain(said.data());
    // `measure profile` joins the parts that are not in a record.
    if (life.is_mapped && said[0] == '\0')
        ::unlink(life.part.data());
}

[[gnu::destructor]] void at_exit() { end_early(Ending::exited); }

/// Calls a function that initialises MPI, then begins recording. \return the code of the function
template <class Next>
int begins(Next next) noexcept {
    ++thread.depth;
    int const code = next();
    if (thread.depth == 1 && code == MPI_SUCCESS)
        begin();
    --thread.depth;
    return code;
}
template <class Next>
int ends(Next next) noexcept {
    if (++thread.depth == 1)
        end();
    int const code = next();
    --thread.depth;
    return code;
}

/// Fortran may omit the error code. Errors then end the process, unless the error handler of the program returns.
int code_of(int const* error) noexcept { return error != nullptr ? *error : MPI_SUCCESS; }

}  // namespace

void* find_next(char const* name) noexcept {
    if (void* const found = ::dlsym(RTLD_NEXT, name))
        return found;
    static constinit void* library = nullptr;
    if (library == nullptr)
        library = hidden_mpi();
    return library != nullptr ? ::dlsym(library, name) : nullptr;
}

extern "C" {

MEASURE_PROFILE_PUBLIC int MPI_Init(int* argc, char*** argv) {
    static constinit decltype(&MPI_Init) found = nullptr;
    return begins([&] { return next_of(found, "MPI_Init")(argc, argv); });
}

MEASURE_PROFILE_PUBLIC int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
    static constinit decltype(&MPI_Init_thread) found = nullptr;
    return begins([&] { return next_of(found, "MPI_Init_thread")(argc, argv, required, provided); });
}

MEASURE_PROFILE_PUBLIC int MPI_Finalize() {
    static constinit decltype(&MPI_Finalize) found = nullptr;
    return ends([] { return next_of(found, "MPI_Finalize")(); });
}

#if MPI_VERSION >= 4
MEASURE_PROFILE_PUBLIC int MPI_Session_init(MPI_Info info, MPI_Errhandler handler, MPI_Session* session) {
    static constinit decltype(&MPI_Session_init) found = nullptr;
    ++thread.depth;
    int const code = next_of(found, "MPI_Session_init")(info, handler, session);
    if (thread.depth == 1 && code == MPI_SUCCESS)
        begin_in(*session);
    --thread.depth;
    return code;
}

MEASURE_PROFILE_PUBLIC int MPI_Session_finalize(MPI_Session* session) {
    static constinit decltype(&MPI_Session_finalize) found = nullptr;
    if (++thread.depth == 1)
        end_use();
    int const code = next_of(found, "MPI_Session_finalize")(session);
    --thread.depth;
    return code;
}
#endif

// The Fortran bindings that call the PMPI functions, see calls.py.
#define MEASURE_PROFILE_FORTRAN(init, init_thread, finalize, abort)                                                    \
    MEASURE_PROFILE_PUBLIC void init(int* error) {                                                                     \
        static constinit decltype(&init) found = nullptr;                                                              \
        begins([&] { return next_of(found, #init)(error), code_of(error); });                                          \
    }                                                                                                                  \
    MEASURE_PROFILE_PUBLIC void init_thread(int* required, int* provided, int* error) {                                \
        static constinit decltype(&init_thread) found = nullptr;                                                       \
        begins([&] { return next_of(found, #init_thread)(required, provided, error), code_of(error); });               \
    }                                                                                                                  \
    MEASURE_PROFILE_PUBLIC void finalize(int* error) {                                                                 \
        static constinit decltype(&finalize) found = nullptr;                                                          \
        ends([&] { return next_of(found, #finalize)(error), code_of(error); });                                        \
    }                                                                                                                  \
    MEASURE_PROFILE_PUBLIC void abort(MPI_Fint* comm, int* code, int* error) {                                         \
        static constinit decltype(&abort) found = nullptr;                                                             \
        end_early(Ending::aborted);                                                                                    \
        next_of(found, #abort)(comm, code, error);                                                                     \
    }
#if defined(MPICH_VERSION)
MEASURE_PROFILE_FORTRAN(mpi_init_f08_, mpi_init_thread_f08_, mpi_finalize_f08_, mpi_abort_f08_)
#elif defined(OPEN_MPI)
MEASURE_PROFILE_FORTRAN(mpi_init_, mpi_init_thread_, mpi_finalize_, mpi_abort_)
MEASURE_PROFILE_FORTRAN(ompi_init_f, ompi_init_thread_f, ompi_finalize_f, ompi_abort_f)
#endif

MEASURE_PROFILE_PUBLIC int MPI_Abort(MPI_Comm comm, int code) {
    static constinit decltype(&MPI_Abort) found = nullptr;
    end_early(Ending::aborted);
    return next_of(found, "MPI_Abort")(comm, code);
}

}  // extern "C"

}  // namespace measure::profile
