// SPDX-License-Identifier: BSD-3-Clause
#include "tune/library.hpp"

#include <measure/error.hpp>

#include <array>
#include <dlfcn.h>
#include <utility>

namespace measure_tool::tune {

Tools::Tools() {
    int provided = MPI_THREAD_SINGLE;
    if (MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS)
        throw measure::UsageError("this MPI library has no control variables (MPI_T): its algorithms cannot be chosen");
}

Tools::~Tools() { MPI_T_finalize(); }

Variable::Variable(MPI_T_cvar_handle handle, std::string description) noexcept
    : handle_{handle}, description_{std::move(description)} {}

Variable::Variable(Variable&& other) noexcept
    : handle_{std::exchange(other.handle_, MPI_T_CVAR_HANDLE_NULL)}, description_{std::move(other.description_)} {}

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
    Variable variable{handle, description.data()};
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

Collective collective_of(std::string_view name, Variable& variable) {
    Collective result{.name = std::string{name}, .variable = variable_of(name)};
    auto found = names_in(variable.description());
    result.unknown = std::move(found.unknown);
    result.algorithms = std::move(found.known);
    for (auto& algorithm : result.algorithms)
        algorithm.is_writable = variable.write(algorithm.value) && variable.read() == algorithm.value;
    variable.write(0);
    return result;
}

std::string library_file() {
    Dl_info info{};
    // The address of a function, as dladdr wants it.
    if (::dladdr(reinterpret_cast<void const*>(&MPI_Barrier), &info) == 0 || info.dli_fname == nullptr)
        return {};
    return info.dli_fname;
}

}  // namespace measure_tool::tune
