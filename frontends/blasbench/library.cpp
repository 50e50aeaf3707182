// SPDX-License-Identifier: BSD-3-Clause
#include "blasbench/library.hpp"

#include "program/cli/values.hpp"

#include <measure/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <regex>
#include <system_error>

namespace blasbench {

namespace fs = std::filesystem;
using measure::UsageError;

namespace {

constexpr std::array<std::string_view, 4> names{"ref", "openblas", "blis", "mkl"};
constexpr std::string_view unknown_product = "reference/unknown";

fs::path resolved(fs::path const& file) {
    std::error_code error;
    auto result = fs::canonical(file, error);
    return error ? file : result;
}

/// Folders whose names start with `beginning`, sorted by name.
std::vector<fs::path> folders(fs::path const& place, std::string const& beginning) {
    std::vector<fs::path> found;
    std::error_code error;
    for (auto const& entry : fs::directory_iterator{place, error})
        if (entry.path().filename().string().rfind(beginning, 0) == 0)
            found.push_back(entry.path());
    std::sort(found.begin(), found.end());
    return found;
}

std::vector<std::string_view> files_of(std::string_view name) {
    if (name == "openblas")
        return {"libopenblas.so.0"};
    if (name == "blis")
        return {"libblis.so.4"};
    return {"libmkl_rt.so.2", "libmkl_rt.so.1", "libmkl_rt.so"};
}

std::string loader_says() {
    char const* const text = dlerror();
    return text != nullptr ? text : "no reason given";
}

template <class F>
F* symbol(void* handle, std::string const& name) {
    dlerror();
    void* const found = dlsym(handle, name.c_str());
    if (found == nullptr)
        throw UsageError(loader_says());
    return reinterpret_cast<F*>(found);
}

/// The function, or nullptr if the library does not have it.
template <class F>
F* possible_symbol(void* handle, char const* name) {
    return reinterpret_cast<F*>(dlsym(handle, name));
}

template <class T>
Functions<T> functions(void* handle, char letter) {
    using F = Functions<T>;
    auto const name = [&](std::string_view routine) { return fmt::format("{}{}_", letter, routine); };
    return {symbol<typename F::Axpy>(handle, name("axpy")), symbol<typename F::Gemv>(handle, name("gemv")),
            symbol<typename F::Gemm>(handle, name("gemm")), symbol<typename F::Trsv>(handle, name("trsv")),
            symbol<typename F::Trsm>(handle, name("trsm")), symbol<typename F::Syr2k>(handle, name("syr2k"))};
}

/// The file that contains the code of a function.
std::string file_of(void* function) {
    Dl_info info{};
    return dladdr(function, &info) != 0 && info.dli_fname != nullptr ? resolved(info.dli_fname).string() : "unknown";
}

/// "3.11.0" for "libblas.so.3.11.0".
std::string version_in(std::string const& file) {
    std::smatch found;
    return std::regex_search(file, found, std::regex{R"(\.so\.(\d+(\.\d+)+)$)"}) ? found[1].str() : "unknown";
}

std::string first_version_in(std::string const& text) {
    std::smatch found;
    return std::regex_search(text, found, std::regex{R"(\d+(\.\d+)+)"}) ? found[0].str() : "unknown";
}

/// \tparam Count  the type that the library uses for the number of threads
template <class Count>
std::function<int(int)> thread_control(void* handle, char const* set, char const* get) {
    auto* const setter = possible_symbol<void(Count)>(handle, set);
    auto* const getter = possible_symbol<Count()>(handle, get);
    if (setter == nullptr || getter == nullptr)
        return {};
    return [setter, getter](int threads) {
        setter(threads);
        return static_cast<int>(getter());
    };
}

/// Asks the library for its product, version and thread functions. Throws UsageError if it uses 64-bit integers.
void identify(void* handle, Blas& blas) {
    blas.product = unknown_product;
    blas.version = version_in(blas.file);
    if (auto* const config = possible_symbol<char*()>(handle, "openblas_get_config")) {
        std::string const text = config();
        blas.product = "OpenBLAS";
        blas.version = first_version_in(text);
        if (auto* const core = possible_symbol<char*()>(handle, "openblas_get_corename"))
            blas.kernels = core();
        blas.use_threads = thread_control<int>(handle, "openblas_set_num_threads", "openblas_get_num_threads");
        if (text.find("USE64BITINT") != std::string::npos)
            throw UsageError(fmt::format("{} uses 64-bit integers; 32-bit integers are required", blas.file));
    } else if (auto* const version = possible_symbol<char*()>(handle, "bli_info_get_version_str")) {
        blas.product = "BLIS";
        blas.version = first_version_in(version());
        // BLIS's own interface always uses 64-bit integers, even if its BLAS interface does not.
        blas.use_threads =
            thread_control<std::int64_t>(handle, "bli_thread_set_num_threads", "bli_thread_get_num_threads");
    } else if (auto* const describe = possible_symbol<void(char*, int)>(handle, "MKL_Get_Version_String")) {
        std::array<char, 256> text{};
        describe(text.data(), static_cast<int>(text.size()) - 1);
        blas.product = "MKL";
        blas.version = first_version_in(text.data());
        blas.use_threads = thread_control<int>(handle, "MKL_Set_Num_Threads", "MKL_Get_Max_Threads");
    }
}

void refuse_64_bits(std::string const& file) {
    if (has_64_bit_name(file))
        throw UsageError(
            fmt::format("{} uses 64-bit integers, according to its name; 32-bit integers are required", file));
}

/// \throws UsageError with the reason, without the name of the option
Blas open_file(std::string const& name, std::string const& file) {
    refuse_64_bits(file);
    void* const handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr)
        throw UsageError(loader_says());
    Blas blas{.name = name, .real64 = functions<double>(handle, 'd'), .real32 = functions<float>(handle, 's')};
    blas.file = file_of(reinterpret_cast<void*>(blas.real64.gemm));
    refuse_64_bits(blas.file);
    identify(handle, blas);
    if (name == "ref" && (blas.product != unknown_product || is_in_vendor_folder(blas.file)))
        throw UsageError(fmt::format("{} is not the reference library but {} ({})", file,
                                     blas.product != unknown_product ? blas.product : "a vendor's", blas.file));
    return blas;
}

/// Opens the first usable file for a name. \throws UsageError with the error of the first candidate
Blas open_first(std::string const& name, Search const& search) {
    if (name == "builtin")
        return builtin();
    bool const known = std::find(names.begin(), names.end(), name) != names.end();
    std::string reason;
    for (auto const& file : known ? candidates(name, search) : std::vector{name}) {
        try {
            return open_file(name, file);
        } catch (UsageError const& error) {
            if (reason.empty())
                reason = error.what();
        }
    }
    throw UsageError(reason);
}

}  // namespace

std::span<std::string_view const> library_names() noexcept { return names; }

Search standard_search() {
    Dl_info info{};
    if (dladdr(reinterpret_cast<void*>(&std::getenv), &info) == 0 || info.dli_fname == nullptr)
        return {.folder = "/usr/lib"};
    return {.folder = resolved(info.dli_fname).parent_path().string()};
}

std::vector<std::string> candidates(std::string_view name, Search const& search) {
    fs::path const folder{search.folder};
    if (name == "ref")
        return {(folder / "blas" / "libblas.so.3").string()};
    std::vector<std::string> result;
    for (auto const file : files_of(name)) {
        result.push_back(search.loader ? std::string{file} : (folder / file).string());
        for (fs::path const& sub : folders(folder, fmt::format("{}-", name)))
            if (fs::exists(sub / file))
                result.push_back((sub / file).string());
    }
    return result;
}

bool has_64_bit_name(std::string_view file) {
    static std::regex const suffix{"(blas|blis)[a-z]*[-_]?(64|i8)|ilp64"};
    return std::regex_search(fs::path{file}.filename().string(), suffix);
}

bool is_in_vendor_folder(std::string_view file) {
    static std::regex const vendor{"(openblas|blis|atlas|mkl)([-_].*)?"};
    fs::path const folder = fs::path{file}.parent_path();
    return std::any_of(folder.begin(), folder.end(),
                       [](fs::path const& part) { return std::regex_match(part.string(), vendor); });
}

void set_threads(int threads) {
    auto const text = fmt::format("{}", threads);
    for (char const* const variable :
         {"OPENBLAS_NUM_THREADS", "BLIS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"})
        ::setenv(variable, text.c_str(), 1);
}

void check_threads(Blas const& blas, std::span<int const> threads) {
    if (!blas.use_threads)
        throw UsageError(fmt::format("--threads: {} ({}) cannot change its number of threads within a run", blas.name,
                                     blas.product));
    for (int const number : threads)
        if (int const taken = blas.use_threads(number); taken != number)
            throw UsageError(fmt::format("--threads: {} ({}) uses {} threads instead of {}", blas.name, blas.product,
                                         taken, number));
}

Blas open(std::string const& name, Search const& search) {
    try {
        return open_first(name, search);
    } catch (UsageError const& error) {
        throw UsageError(fmt::format("--blas: cannot use '{}': {}", name, error.what()));
    }
}

Blas open_default(bool vendor, Search const& search) {
    for (auto const name : names)
        if ((name != "ref") == vendor) {
            try {
                return open(std::string{name}, search);
            } catch (UsageError const&) {
                continue;
            }
        }
    if (vendor)
        throw UsageError("no vendor BLAS is installed (openblas, blis, mkl); give a path with --blas, or run "
                         "--list-blas for the available libraries");
    return builtin();
}

bool has_too_old_kernels(Blas const& blas) {
#if defined(__x86_64__)
    return blas.kernels == "Prescott" && __builtin_cpu_supports("avx2") != 0;
#else
    static_cast<void>(blas);
    return false;
#endif
}

std::string list(Search const& search) {
    std::string result;
    for (auto const name : names) {
        try {
            Blas const blas = open_first(std::string{name}, search);
            result += fmt::format("{:<9} {} {} {}\n", name, blas.product, blas.version, blas.file);
        } catch (UsageError const& error) {
            result += fmt::format("{:<9} - {}\n", name, error.what());
        }
    }
    Blas const loops = builtin();
    return result + fmt::format("{:<9} {} {}\n", loops.name, loops.product, loops.version);
}

}  // namespace blasbench
