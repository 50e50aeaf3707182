// SPDX-License-Identifier: BSD-3-Clause
#include "measure/environment.hpp"

#include "core/affinity.hpp"
#include "core/hash.hpp"
#include "core/mpi_state.hpp"
#include "core/number_text.hpp"
#include "measure/mpi_error.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <mpi.h>
#include <sys/utsname.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <map>

namespace measure {

namespace detail {

std::string short_library_name(std::string_view full) {
    auto const line = full.substr(0, full.find_first_of(std::string_view{"\n\0", 2}));
    constexpr std::string_view blanks = " \t:,";
    auto const word_at = [&](std::size_t begin) {
        begin = std::min(line.find_first_not_of(blanks, begin), line.size());
        return line.substr(begin, line.find_first_of(blanks, begin) - begin);
    };

    if (line.starts_with("Open MPI v"))
        return fmt::format("Open MPI {}", word_at(std::string_view{"Open MPI v"}.size()));
    // Lines such as "MPICH Version:\t4.0.2", "MVAPICH2 Version      :\t2.3.7"
    constexpr std::string_view label = " Version";
    if (auto const at = line.find(label); at != std::string_view::npos && at == line.find(' '))
        return fmt::format("{} {}", line.substr(0, at), word_at(at + label.size()));
    return std::string{line};
}

namespace {

/// Ranks of one host during collection.
struct HostRanks {
    std::string name;
    std::string cpu;
    std::string mask{};
    std::vector<int> ranks{};  ///< ascending
};

void unite(std::string& mask, std::string const& more) {
    mask.resize(std::max(mask.size(), more.size()));
    for (std::size_t i = 0; i < more.size(); ++i)
        mask[i] = static_cast<char>(mask[i] | more[i]);
}

int count_bits(std::string const& mask) {
    int bits = 0;
    for (char const c : mask)
        bits += std::popcount(static_cast<unsigned char>(c));
    return bits;
}

}  // namespace

std::vector<Host> group_by_host(std::span<RankPlace const> places) {
    std::vector<HostRanks> groups;
    std::map<std::string_view, std::size_t> index;
    for (std::size_t rank = 0; rank < places.size(); ++rank) {
        auto const& place = places[rank];
        auto const [found, is_new] = index.try_emplace(place.host, groups.size());
        if (is_new)
            groups.push_back({.name = place.host, .cpu = place.cpu});
        auto& group = groups[found->second];
        unite(group.mask, place.mask);
        group.ranks.push_back(static_cast<int>(rank));
    }

    std::vector<Host> hosts;
    for (auto const& group : groups)
        hosts.push_back({.name = group.name,
                         .ranks = rank_ranges(group.ranks),
                         .cores = std::max(count_bits(group.mask), 1),
                         .cpu = group.cpu.empty() ? std::nullopt : std::optional{group.cpu}});
    return hosts;
}

namespace {

/// The set bits of a mask, as ranges.
std::string units_of(std::string const& mask) {
    std::vector<int> units;
    for (std::size_t i = 0; i < mask.size(); ++i)
        for (int bit = 0; bit < 8; ++bit)
            if ((static_cast<unsigned>(static_cast<unsigned char>(mask[i])) >> static_cast<unsigned>(bit) & 1U) != 0)
                units.push_back(static_cast<int>(i) * 8 + bit);
    return rank_ranges(units);
}

}  // namespace

std::string binding_of(std::span<RankPlace const> places) {
    std::vector<std::string_view> names;
    std::map<std::string_view, std::vector<std::string>> by_host;
    for (auto const& place : places) {
        if (place.mask.empty())
            return {};
        if (!by_host.contains(place.host))
            names.push_back(place.host);
        by_host[place.host].push_back(units_of(place.mask));
    }
    std::vector<std::string> hosts;
    for (auto const& name : names) {
        auto& units = by_host[name];
        if (std::all_of(units.begin(), units.end(), [&](auto const& some) { return some == units.front(); }))
            units.resize(1);
        if (auto text = fmt::format("{}", fmt::join(units, "|"));
            std::find(hosts.begin(), hosts.end(), text) == hosts.end())
            hosts.push_back(std::move(text));
    }
    auto const text = fmt::format("{}", fmt::join(hosts, "; "));
    constexpr std::size_t longest = 160;
    return text.size() <= longest ? text : fmt::format("{} .. {:016x}", text.substr(0, longest), fnv1a(text));
}

std::optional<Campaign> campaign_from(std::string_view text) {
    auto const colon = text.rfind(':');
    if (colon == std::string_view::npos || colon == 0)
        return std::nullopt;
    Campaign campaign{.id = std::string{text.substr(0, colon)}};
    campaign.launch = detail::number_from<int>(text.substr(colon + 1)).value_or(0);
    return campaign.launch < 1 ? std::nullopt : std::optional{campaign};
}

std::vector<std::string> shared_machines(std::span<RankPlace const> places) {
    struct Machine {
        std::string mask{};
        std::vector<std::string> hosts{};
        int ranks = 0;
    };
    std::map<std::string_view, Machine> machines;
    for (auto const& place : places) {
        if (place.boot.empty())
            continue;
        auto& machine = machines[place.boot];
        unite(machine.mask, place.mask);
        ++machine.ranks;
        if (std::find(machine.hosts.begin(), machine.hosts.end(), place.host) == machine.hosts.end())
            machine.hosts.push_back(place.host);
    }

    std::vector<std::string> texts;
    for (auto const& [boot, machine] : machines)
        if (machine.hosts.size() > 1)
            texts.push_back(
                fmt::format("hosts {} are containers on one machine: no network connects them, and their {} "
                            "ranks share {} processing units",
                            fmt::join(machine.hosts, ", "), machine.ranks, count_bits(machine.mask)));
    return texts;
}

namespace {

/// Current content of a file. Empty if it does not exist, cannot be read or is larger than 1 MiB. Only regular files
/// are read: a pipe or a device may block.
std::optional<std::string> content_of(std::string const& path) {
    constexpr std::uintmax_t longest = std::uintmax_t{1} << 20U;
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error))
        return std::nullopt;
    auto const size = std::filesystem::file_size(path, error);
    if (error || size > longest)
        return std::nullopt;
    std::ifstream file{path, std::ios::binary};
    if (!file)
        return std::nullopt;
    std::string content(static_cast<std::size_t>(size), '\0');
    file.read(content.data(), static_cast<std::streamsize>(content.size()));
    if (file.bad())
        return std::nullopt;
    content.resize(static_cast<std::size_t>(file.gcount()));
    return content;
}

/// Whether a variable names an output file. Such a file may exist from an earlier launch with different content.
bool names_output(std::string name) {
    constexpr std::array<std::string_view, 10> signs{"_log",       "output", "stats", "profile", "show_mca_params",
                                                     "monitoring", "dump",   "trace", "_dbg",    "verbose"};
    std::transform(name.begin(), name.end(), name.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return std::any_of(signs.begin(), signs.end(), [&](auto sign) { return name.find(sign) != std::string::npos; });
}

/// The text without leading and trailing blanks.
std::string_view bare(std::string_view text) {
    constexpr std::string_view blanks = " \t\r";
    text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
    return text.substr(0, text.find_last_not_of(blanks) + 1);
}

/// Removes and returns the part up to the next separator.
std::string_view next_part(std::string_view& text, std::string_view separators) {
    auto const end = std::min(text.find_first_of(separators), text.size());
    auto const part = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return part;
}

}  // namespace

std::vector<Setting> with_contents(std::vector<Setting> const& settings) {
    std::vector<Setting> all;
    for (auto const& setting : settings) {
        all.push_back(setting);
        // A word such as "tcp" is not a file name, even if such a file exists.
        if (setting.value.find_first_of("./") == std::string::npos || names_output(setting.name))
            continue;
        if (auto const content = content_of(setting.value))
            all.push_back({setting.name + " (content)", fmt::format("{:016x}", fnv1a(*content))});
    }
    return all;
}

std::vector<Setting> parameters_in(std::string_view files) {
    std::map<std::string, std::string> all;
    while (!files.empty()) {
        auto const path = std::string{next_part(files, ",:")};
        auto const content = content_of(path);
        if (!content)
            continue;
        auto const file_name = std::filesystem::path{path}.filename().string();
        std::map<std::string, std::string> of_file;
        for (std::string_view rest = *content; !rest.empty();) {
            auto const line = bare(next_part(rest, "\n"));
            auto const equals = std::min(line.find('='), line.size());
            if (line.empty() || line.front() == '#')
                continue;
            auto const value = line.substr(std::min(equals + 1, line.size()));
            of_file[fmt::format("{}: {}", file_name, bare(line.substr(0, equals)))] = bare(value);
        }
        // Existing entries are kept: the first file takes precedence.
        all.merge(of_file);
    }
    std::vector<Setting> settings;
    for (auto const& [name, value] : all)
        settings.push_back({name, value});
    return settings;
}

}  // namespace detail

namespace {

/// First line of a file; empty if the file cannot be read or the line is empty.
std::optional<std::string> first_line(char const* path) {
    std::ifstream file{path};
    std::string line;
    if (!std::getline(file, line) || line.empty())
        return std::nullopt;
    return line;
}

std::string cpu_model() {
    std::ifstream file{"/proc/cpuinfo"};
    for (std::string line; std::getline(file, line);)
        if (line.starts_with("model name"))
            if (auto const at = line.find(": "); at != std::string::npos)
                return line.substr(at + 2);
    return {};
}

/// The mask as bytes without trailing zeros, because the root gathers the masks of thousands of ranks.
std::string affinity_bytes() {
    auto const mask = detail::affinity_mask();
    std::string bytes{reinterpret_cast<char const*>(mask.data()), mask.size() * sizeof(cpu_set_t)};
    bytes.erase(bytes.find_last_not_of('\0') + 1);
    return bytes;
}

/// Places of all ranks on the root; empty on other ranks.
std::vector<detail::RankPlace> places_of(Comm const& comm) {
    auto const names = comm.gather(comm.host_name());
    auto const masks = comm.gather(affinity_bytes());
    auto const models = comm.gather(cpu_model());
    auto const boots = comm.gather(first_line("/proc/sys/kernel/random/boot_id").value_or(""));
    std::vector<detail::RankPlace> places;
    for (std::size_t rank = 0; rank < names.size(); ++rank)
        places.push_back({.host = names[rank], .mask = masks[rank], .cpu = models[rank], .boot = boots[rank]});
    return places;
}

TimerInfo worst_timer(Comm const& comm, AnyTimer const& timer) {
    TimerInfo info = calibrate(timer);
    comm.broadcast(info.frequency);
    comm.broadcast(info.nominal);
    std::array const mine{info.resolution, info.granularity, info.overhead, info.overhead_p99};
    std::array<double, 5> worst{static_cast<double>(info.backward)};
    std::transform(mine.begin(), mine.end(), worst.begin() + 1, [](seconds t) { return t.count(); });
    comm.reduce_max(worst);
    comm.broadcast(worst);
    info.backward = static_cast<std::int64_t>(worst[0]);
    info.resolution = seconds{worst[1]};
    info.granularity = seconds{worst[2]};
    info.overhead = seconds{worst[3]};
    info.overhead_p99 = seconds{worst[4]};
    return info;
}

/// The shared library of MPI; empty if MPI is linked statically. Looks up the profiling name, because tools that wrap
/// MPI define the other one.
std::optional<std::filesystem::path> library_path() {
    Dl_info info{};
    std::error_code error;
    if (::dladdr(reinterpret_cast<void const*>(&PMPI_Get_library_version), &info) == 0 || info.dli_fname == nullptr)
        return std::nullopt;
    auto path = std::filesystem::canonical(info.dli_fname, error);
    if (error || path == std::filesystem::canonical("/proc/self/exe", error))
        return std::nullopt;
    return path;
}

/// File name and hash of a library.
std::optional<std::string> library_file(std::filesystem::path const& path) {
    std::ifstream file{path, std::ios::binary};
    std::vector<char> block(std::size_t{1} << 20U);
    std::uint64_t hash = 0;
    while (file.read(block.data(), static_cast<std::streamsize>(block.size())) || file.gcount() > 0)
        hash = detail::fnv1a_words(hash, {block.data(), static_cast<std::size_t>(file.gcount())});
    return file.eof() ? std::optional{fmt::format("{} {:016x}", path.filename().string(), hash)} : std::nullopt;
}

/// Folder of Open MPI's system-wide parameter files, guessed from outside: /etc/openmpi for a distribution package,
/// otherwise etc below the installation folder.
std::filesystem::path open_mpi_folder(std::optional<std::filesystem::path> const& library) {
    if (char const* const folder = std::getenv("OPAL_SYSCONFDIR"))
        return folder;
    if (char const* const prefix = std::getenv("OPAL_PREFIX"))
        return std::filesystem::path{prefix} / "etc";
    if (!library || library->string().starts_with("/usr/lib"))
        return "/etc/openmpi";
    return library->parent_path().parent_path() / "etc";
}

/// Parameter files of Open MPI in descending order of precedence.
std::string open_mpi_files(std::optional<std::filesystem::path> const& library) {
    auto const folder = open_mpi_folder(library);
    auto const overriding = (folder / "openmpi-mca-params-override.conf").string();
    if (char const* const files = std::getenv("OMPI_MCA_mca_base_param_files"))
        return fmt::format("{},{}", overriding, files);
    char const* const home = std::getenv("HOME");
    return fmt::format("{},{}/.openmpi/mca-params.conf,{}", overriding, home != nullptr ? home : "",
                       (folder / "openmpi-mca-params.conf").string());
}

std::vector<Setting> settings_of(std::span<detail::RankPlace const> places, std::string_view library_name) {
    std::vector<std::string> variables;
    for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable)
        variables.emplace_back(*variable);
    auto settings = settings_among(variables);
    auto const library = library_path();
    if (library_name.starts_with("Open MPI"))
        for (auto& parameter : detail::parameters_in(open_mpi_files(library)))
            settings.push_back(std::move(parameter));
    settings = detail::with_contents(settings);
    if (auto binding = detail::binding_of(places); !binding.empty())
        settings.push_back({"binding", std::move(binding)});
    if (auto file = library ? library_file(*library) : std::nullopt)
        settings.push_back({"library_file", std::move(*file)});
    std::sort(settings.begin(), settings.end(), [](Setting const& a, Setting const& b) { return a.name < b.name; });
    return settings;
}

std::string utc_now() {
    time_t const now = time(nullptr);
    tm parts{};
    gmtime_r(&now, &parts);
    std::array<char, 32> text{};
    strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
    return text.data();
}

std::optional<std::string> kernel() {
    utsname names{};
    if (uname(&names) != 0)
        return std::nullopt;
    return fmt::format("{} {}", names.sysname, names.release);
}

std::string compiler() {
#if defined(__clang__)
    return fmt::format("clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#elif defined(__GNUC__)
    return fmt::format("gcc {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#else
    return "unknown";
#endif
}

std::string mpi_library() {
    std::string text(MPI_MAX_LIBRARY_VERSION_STRING, '\0');
    int length = 0;
    check(MPI_Get_library_version(text.data(), &length), "MPI_Get_library_version");
    text.resize(static_cast<std::size_t>(length));
    return detail::short_library_name(text);
}

std::string mpi_standard() {
    int major = 0;
    int minor = 0;
    check(MPI_Get_version(&major, &minor), "MPI_Get_version");
    return fmt::format("{}.{}", major, minor);
}

}  // namespace

Environment environment(Comm const& comm, AnyTimer const& timer) {
    detail::need_mpi(comm);
    Environment e;
    e.started = utc_now();
    e.ranks = comm.size();
    auto const places = places_of(comm);
    e.hosts = detail::group_by_host(places);
    e.timer = worst_timer(comm, timer);
    e.oversubscribed = comm.oversubscribed();
    if (!comm.is_root())
        return e;
    if (!comm.is_solo()) {
        e.mpi_library = mpi_library();
        e.mpi_standard = mpi_standard();
        // The hosts of a simulator share one machine intentionally.
        if (!e.mpi_library->starts_with("SMPI"))
            e.warnings = detail::shared_machines(places);
        e.mpi_settings = settings_of(places, *e.mpi_library);
    }
    if (char const* const campaign = std::getenv("MEASURE_CAMPAIGN")) {
        e.campaign = detail::campaign_from(campaign);
        if (!e.campaign)
            e.warnings.push_back(
                fmt::format("MEASURE_CAMPAIGN='{}' is not of the form ID:LAUNCH and is ignored", campaign));
    }
    e.kernel = kernel();
    e.clocksource = first_line("/sys/devices/system/clocksource/clocksource0/current_clocksource");
    e.governor = first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
    e.compiler = compiler();
    return e;
}

}  // namespace measure
