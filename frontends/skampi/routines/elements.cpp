// SPDX-License-Identifier: BSD-3-Clause
#include "skampi/routines/elements.hpp"

#include "program/cli/values.hpp"

#include <algorithm>
#include <array>

namespace skampi {
namespace {

template <class T>
T const* find(std::span<T const> table, std::string_view name) {
    std::string const wanted = program::lower(name);
    auto const found =
        std::find_if(table.begin(), table.end(), [&](T const& entry) { return program::lower(entry.name) == wanted; });
    return found == table.end() ? nullptr : &*found;
}

template <class T>
constexpr measure::Bytes size_of = static_cast<measure::Bytes>(sizeof(T));

}  // namespace

std::span<Datatype const> datatypes() {
    using enum Datatype::Kind;
    // Not at namespace scope, because the handles of some MPI libraries are addresses that are known only after
    // loading.
    static std::array const table{
        Datatype{"MPI_BYTE", 1, byte, MPI_BYTE},
        Datatype{"MPI_CHAR", 1, byte, MPI_CHAR},
        Datatype{"MPI_SIGNED_CHAR", 1, integer, MPI_SIGNED_CHAR},
        Datatype{"MPI_UNSIGNED_CHAR", 1, integer, MPI_UNSIGNED_CHAR},
        Datatype{"MPI_SHORT", size_of<short>, integer, MPI_SHORT},
        Datatype{"MPI_UNSIGNED_SHORT", size_of<short>, integer, MPI_UNSIGNED_SHORT},
        Datatype{"MPI_INT", size_of<int>, integer, MPI_INT},
        Datatype{"MPI_UNSIGNED", size_of<int>, integer, MPI_UNSIGNED},
        Datatype{"MPI_LONG", size_of<long>, integer, MPI_LONG},
        Datatype{"MPI_UNSIGNED_LONG", size_of<long>, integer, MPI_UNSIGNED_LONG},
        Datatype{"MPI_LONG_LONG", size_of<long long>, integer, MPI_LONG_LONG},
        Datatype{"MPI_UNSIGNED_LONG_LONG", size_of<long long>, integer, MPI_UNSIGNED_LONG_LONG},
        Datatype{"MPI_FLOAT", size_of<float>, real, MPI_FLOAT},
        Datatype{"MPI_DOUBLE", size_of<double>, real, MPI_DOUBLE},
    };
    return table;
}

std::span<Reduction const> reductions() {
    using enum Reduction::Kind;
    static std::array const table{
        Reduction{"MPI_SUM", arithmetic, MPI_SUM}, Reduction{"MPI_PROD", arithmetic, MPI_PROD},
        Reduction{"MPI_MAX", arithmetic, MPI_MAX}, Reduction{"MPI_MIN", arithmetic, MPI_MIN},
        Reduction{"MPI_LAND", logical, MPI_LAND},  Reduction{"MPI_LOR", logical, MPI_LOR},
        Reduction{"MPI_LXOR", logical, MPI_LXOR},  Reduction{"MPI_BAND", bitwise, MPI_BAND},
        Reduction{"MPI_BOR", bitwise, MPI_BOR},    Reduction{"MPI_BXOR", bitwise, MPI_BXOR},
    };
    return table;
}

Datatype const* find_datatype(std::string_view name) { return find(datatypes(), name); }
Reduction const* find_reduction(std::string_view name) { return find(reductions(), name); }

bool is_defined(Reduction const& reduction, Datatype const& type) noexcept {
    switch (type.kind) {
    case Datatype::Kind::byte:
        // MPI_CHAR is a printable character, for which MPI defines no reduction.
        return reduction.kind == Reduction::Kind::bitwise && type.handle != MPI_CHAR;
    case Datatype::Kind::integer:
        return true;
    case Datatype::Kind::real:
        return reduction.kind == Reduction::Kind::arithmetic;
    }
    return false;
}

}  // namespace skampi
