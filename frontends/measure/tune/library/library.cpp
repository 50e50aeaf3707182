// SPDX-License-Identifier: BSD-3-Clause
#include "tune/library/library.hpp"

#include <measure/environment.hpp>
#include <measure/error.hpp>

#include <array>
#include <dlfcn.h>
#include <utility>

namespace measure::tool::tune {

Tools::Tools() {
    int provided = MPI_THREAD_SINGLE;
    if (MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS)
        throw measure::UsageError("this MPI library has no control variables (MPI_T): its algorithms cannot be chosen");
}

Tools::~Tools() { MPI_T_finalize(); }

namespace {

NamesFound names_of(MPI_T_enum values) {
    NamesFound names;
    int count = 0;
    std::array<char, 256> text{};
    int length = text.size();
    if (MPI_T_enum_get_info(values, &count, text.data(), &length) != MPI_SUCCESS)
        return names;
    for (int i = 0; i < count; ++i) {
        int value = 0;
        length = text.size();
        if (MPI_T_enum_get_item(values, i, &value, text.data(), &length) == MPI_SUCCESS)
            names.known.push_back({value == 0 ? std::string{default_name} : text.data(), value});
    }
    return names;
}

}  // namespace

Variable::Variable(MPI_T_cvar_handle handle, NamesFound names) noexcept : handle_{handle}, names_{std::move(names)} {}

Variable::Variable(Variable&& other) noexcept
    : handle_{std::exchange(other.handle_, MPI_T_CVAR_HANDLE_NULL)}, names_{std::move(other.names_)} {}

Variable::~Variable() {
    if (handle_ != MPI_T_CVAR_HANDLE_NULL)
        MPI_T_cvar_handle_free(&handle_);
}

std::optional<Variable> Variable::find(std::string const& name) {
    int index = -1;
    if (MPI_T_cvar_get_index(name.c_str(), &index) != MPI_SUCCESS)
        return std::nullopt;
    std::array<char, 256> own_name{};
    std::array<char, 8192> description{};
    int name_length = own_name.size();
    int length = description.size();
    int verbosity = 0;
    int bind = MPI_T_BIND_NO_OBJECT;
    int scope = 0;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_T_enum values = MPI_T_ENUM_NULL;
    if (MPI_T_cvar_get_info(index, own_name.data(), &name_length, &verbosity, &type, &values, description.data(),
                            &length, &bind, &scope) != MPI_SUCCESS ||
        type != MPI_INT || bind != MPI_T_BIND_NO_OBJECT)
        return std::nullopt;
    MPI_T_cvar_handle handle = MPI_T_CVAR_HANDLE_NULL;
    int count = 0;
    if (MPI_T_cvar_handle_alloc(index, nullptr, &handle, &count) != MPI_SUCCESS)
        return std::nullopt;
    Variable variable{handle, values == MPI_T_ENUM_NULL ? names_in(description.data()) : names_of(values)};
    if (count != 1)
        return std::nullopt;
    return variable;
}

std::optional<int> Variable::read() const noexcept {
    int value = 0;
    if (MPI_T_cvar_read(handle_, &value) != MPI_SUCCESS)
        return std::nullopt;
    return value;
}

Collective collective_of(LibraryFamily family, std::string_view name, Variable& variable) {
    Collective result{.name = std::string{name},
                      .variable = variable_of(family, name),
                      .algorithms = variable.names().known,
                      .unknown = variable.names().unknown};
    for (auto& algorithm : result.algorithms)
        algorithm.is_writable = variable.write(algorithm.value) && variable.read() == algorithm.value;
    variable.write(0);
    return result;
}

std::string library_name() {
    std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> full{};
    int length = 0;
    MPI_Get_library_version(full.data(), &length);
    return measure::detail::short_library_name({full.data(), static_cast<std::size_t>(length)});
}

std::string library_file() {
    Dl_info info{};
    // dladdr takes the address of any function of the library.
    if (::dladdr(reinterpret_cast<void const*>(&MPI_Barrier), &info) == 0 || info.dli_fname == nullptr)
        return {};
    return info.dli_fname;
}

}  // namespace measure::tool::tune
