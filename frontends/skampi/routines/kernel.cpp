// SPDX-License-Identifier: BSD-3-Clause
/// Communication kernels: the exchanges of applications between computations, as one operation of all processes.
#include "skampi/routines/tables.hpp"

#include <array>
#include <cstdint>

namespace skampi {
namespace {

std::byte* block(Frame const& f, std::byte* buffer, std::size_t i) noexcept {
    return buffer + static_cast<measure::Bytes>(i) * f.block;
}

/// Exchanges data with both neighbours in each dimension of a periodic grid. A message has the number of its direction
/// as tag. It arrives from the opposite direction, whose number differs in the last bit.
int halo(Frame& f) {
    auto const& a = f.arguments;
    int code = MPI_SUCCESS;
    std::size_t next = 0;
    for (std::size_t d = 0; d < f.neighbours.size(); ++d)
        code = worse(code, MPI_Irecv(block(f, f.receive, d), a.count, a.type, f.neighbours[d], static_cast<int>(d ^ 1U),
                                     a.comm, &f.requests[next++]));
    for (std::size_t d = 0; d < f.neighbours.size(); ++d)
        code = worse(code, MPI_Isend(block(f, f.send, d), a.count, a.type, f.neighbours[d], static_cast<int>(d), a.comm,
                                     &f.requests[next++]));
    return worse(code, MPI_Waitall(static_cast<int>(next), f.requests.data(), MPI_STATUSES_IGNORE));
}

/// The communication of one step of the conjugate gradient method: a halo exchange and two dot products.
int conjugate_gradients(Frame& f) {
    int code = halo(f);
    for (int product = 0; product < 2; ++product)
        code = worse(code, MPI_Allreduce(&f.scalars[0], &f.scalars[1], 1, MPI_DOUBLE, MPI_SUM, f.arguments.comm));
    return code;
}

/// Transposes a matrix that is distributed by rows: `rows` rows of n c elements on this process become c rows of n
/// `rows` elements.
template <class Element>
int transpose_of(Frame& f) {
    auto const& a = f.arguments;
    auto const n = static_cast<std::size_t>(a.size);
    auto const rows = static_cast<std::size_t>(f.rows);
    std::size_t const columns = static_cast<std::size_t>(a.count) / rows;
    std::size_t const elements = rows * columns;
    auto const* const matrix = reinterpret_cast<Element const*>(f.send);
    auto* const result = reinterpret_cast<Element*>(f.receive);
    auto* const packed = reinterpret_cast<Element*>(f.scratch.data());
    Element* const arrived = packed + n * elements;
    for (std::size_t j = 0; j < n; ++j)
        for (std::size_t r = 0; r < rows; ++r)
            for (std::size_t c = 0; c < columns; ++c)
                packed[j * elements + c * rows + r] = matrix[r * n * columns + j * columns + c];
    int const code = MPI_Alltoall(packed, a.count, a.type, arrived, a.count, a.type, a.comm);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t c = 0; c < columns; ++c)
            for (std::size_t r = 0; r < rows; ++r)
                result[c * n * rows + i * rows + r] = arrived[i * elements + c * rows + r];
    return code;
}

int transpose(Frame& f) {
    if (f.arguments.count == 0)
        return MPI_SUCCESS;
    switch (f.element) {
    case 1:
        return transpose_of<std::uint8_t>(f);
    case 2:
        return transpose_of<std::uint16_t>(f);
    case 4:
        return transpose_of<std::uint32_t>(f);
    default:
        return transpose_of<std::uint64_t>(f);
    }
}

constexpr Routine line(std::string_view id, std::string_view text, std::string_view element, Together calls) {
    return {.id = id,
            .pattern = Pattern::kernel,
            .variations = "LN",
            .origin = "new",
            .defaults = "",
            .text = text,
            .element = element,
            .calls = calls};
}

using bodies::Extent;
constexpr bodies::Shape blocks{Extent::each, Extent::each};

constexpr std::array kernels{
    line("Halo_2D", "exchange of m bytes with each of four neighbours on a periodic grid", "MPI_BYTE",
         {.call = &halo, .content = Content::neighbours, .dimensions = 2}),
    line("Halo_3D", "exchange of m bytes with each of six neighbours on a periodic grid", "MPI_BYTE",
         {.call = &halo, .content = Content::neighbours, .dimensions = 3}),
    line("Transpose", "transposition of a matrix distributed by rows: m bytes for each pair, packed and unpacked",
         "MPI_DOUBLE", {.call = &transpose, .shape = blocks, .content = Content::transposed, .scratch = Extent::each}),
    line("CG_iteration", "exchange of m bytes with each of four neighbours, then two global sums of one number",
         "MPI_BYTE", {.call = &conjugate_gradients, .content = Content::neighbours, .dimensions = 2}),
};

}  // namespace

std::span<Routine const> kernel_routines() noexcept { return kernels; }

}  // namespace skampi
