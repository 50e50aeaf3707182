// SPDX-License-Identifier: BSD-3-Clause
#include "pmb/operations/elements.hpp"

#include <measure/mpi_error.hpp>

#include <array>
#include <utility>

namespace pmb {

namespace {

using measure::Bytes;
using measure::check;

/// For reductions MPI treats a signed character as a number, but not MPI_CHAR.
MPI_Datatype basic(ElementType type) {
    std::array const types{MPI_BYTE, MPI_SIGNED_CHAR, MPI_INT, MPI_FLOAT, MPI_DOUBLE};
    return types[static_cast<std::size_t>(type)];
}

/// Adds `count` elements of any type that consists of numbers T, with a distance of `step` numbers.
template <class T, int step>
void add(void* in, void* in_out, int* count, MPI_Datatype* type) {
    int size = 0;
    MPI_Type_size(*type, &size);
    std::int64_t const numbers = std::int64_t{*count} * size / static_cast<std::int64_t>(sizeof(T));
    auto const* const from = static_cast<T const*>(in);
    auto* const to = static_cast<T*>(in_out);
    for (std::int64_t i = 0; i < numbers; ++i)
        to[step * i] = static_cast<T>(to[step * i] + from[step * i]);
}

template <int step>
MPI_User_function* addition(ElementType type) {
    switch (type) {
    case ElementType::byte:
    case ElementType::character:
        return add<signed char, step>;
    case ElementType::integer:
        return add<int, step>;
    case ElementType::real32:
        return add<float, step>;
    case ElementType::real64:
        return add<double, step>;
    }
    return nullptr;
}

}  // namespace

Elements::Elements(ElementType type, Packing packing, Bytes length)
    : type_{basic(type)}, count_{length / size_of(type)}, extent_{size_of(type)} {
    if (!packing.resized && !packing.vector)
        return;
    if (packing.resized) {
        MPI_Datatype made = MPI_DATATYPE_NULL;
        extent_ *= 2;
        check(MPI_Type_create_resized(type_, 0, static_cast<MPI_Aint>(extent_), &made), "MPI_Type_create_resized");
        become(made);
    }
    if (packing.vector) {
        MPI_Datatype made = MPI_DATATYPE_NULL;
        check(MPI_Type_vector(measure::to_int(count_, "elements of a message"), 1, 1, type_, &made), "MPI_Type_vector");
        become(made);
        extent_ *= std::exchange(count_, 1);
    }
    check(MPI_Type_commit(&type_), "MPI_Type_commit");
    check(MPI_Op_create(packing.resized ? addition<2>(type) : addition<1>(type), 1, &sum_), "MPI_Op_create");
}

void Elements::become(MPI_Datatype made) {
    if (std::exchange(is_derived_, true))
        MPI_Type_free(&type_);
    type_ = made;
}

Elements::~Elements() {
    if (sum_ != MPI_SUM)
        MPI_Op_free(&sum_);
    if (is_derived_)
        MPI_Type_free(&type_);
}

}  // namespace pmb
