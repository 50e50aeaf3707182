// SPDX-License-Identifier: BSD-3-Clause
#include "bodies/datatype.hpp"

#include <measure/error.hpp>
#include <measure/mpi_error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <limits>
#include <utility>

namespace bodies {

namespace {

using measure::Bytes;
using measure::UsageError;
using Kind = TypeLayout::Kind;

constexpr Bytes real_size = sizeof(double);

/// The C structure for `structure`.
struct Particle {
    std::int32_t cell;
    double position[3];
    std::int32_t kind;
};

/// Block i of `indexed`, in doubles: the first, and the fourth to sixth of each group of eight.
constexpr std::int64_t indexed_at(std::int64_t i) { return i / 2 * 8 + i % 2 * 3; }
constexpr std::int64_t indexed_size(std::int64_t i) { return i % 2 == 0 ? 1 : 3; }

struct Word {
    std::string_view name;
    Kind kind;
    char separator;  ///< separator between two numbers; 0: at most one number
    int numbers;
};
constexpr Word words[] = {
    {"byte", Kind::byte, 0, 0},       {"double", Kind::real, 0, 0},         {"vector", Kind::vector, ':', 2},
    {"indexed", Kind::indexed, 0, 1}, {"subarray", Kind::subarray, 'x', 2}, {"struct", Kind::structure, 0, 0},
    {"resized", Kind::resized, 0, 0},
};

Word const& word_of(Kind kind) {
    return *std::find_if(std::begin(words), std::end(words), [&](Word const& w) { return w.kind == kind; });
}

/// Large enough for every use, and the product of two such numbers does not overflow.
constexpr std::int64_t largest = 1 << 24;

std::int64_t number(std::string_view name, std::string_view text) {
    std::int64_t value = 0;
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || value < 1 || value > largest)
        throw UsageError(fmt::format("'{}': '{}' is not a whole number from 1 to {}", name, text, largest));
    return value;
}

[[noreturn]] void unknown(std::string_view name) {
    throw UsageError(fmt::format(
        "'{}' is not one of byte, double, vector:BLOCK:STRIDE, indexed:N, subarray:AxB, struct, resized", name));
}

/// The stretches of payload in the repeated unit of an element.
std::vector<Stretch> stretches_of(TypeLayout const& l) {
    switch (l.kind) {
    case Kind::byte:
        return {{0, 1}};
    case Kind::real:
    case Kind::resized:
        return {{0, real_size}};
    case Kind::vector:
        return {{0, l.first * real_size}};
    case Kind::indexed: {
        std::vector<Stretch> blocks;
        for (std::int64_t i = 0; i < l.first; ++i)
            blocks.push_back({indexed_at(i) * real_size, indexed_size(i) * real_size});
        return blocks;
    }
    case Kind::subarray: {
        std::vector<Stretch> rows;
        for (std::int64_t r = 0; r < l.first; ++r)
            rows.push_back({((r + 1) * (l.second + 2) + 1) * real_size, l.second * real_size});
        return rows;
    }
    case Kind::structure:
        return {{offsetof(Particle, cell), sizeof(Particle::cell)},
                {offsetof(Particle, position), sizeof(Particle::position)},
                {offsetof(Particle, kind), sizeof(Particle::kind)}};
    }
    return {};
}

MPI_Datatype vector_of(TypeLayout const& l, std::int64_t blocks) {
    MPI_Datatype type = MPI_DATATYPE_NULL;
#if MPI_VERSION >= 4
    measure::check(MPI_Type_vector_c(blocks, l.first, l.second, MPI_DOUBLE, &type), "MPI_Type_vector_c");
#else
    measure::check(MPI_Type_vector(measure::to_int(blocks, "blocks of a vector"), static_cast<int>(l.first),
                                   static_cast<int>(l.second), MPI_DOUBLE, &type),
                   "MPI_Type_vector");
#endif
    return type;
}

MPI_Datatype indexed_of(TypeLayout const& l) {
    std::vector<int> sizes;
    std::vector<int> places;
    for (std::int64_t i = 0; i < l.first; ++i) {
        sizes.push_back(static_cast<int>(indexed_size(i)));
        places.push_back(static_cast<int>(indexed_at(i)));
    }
    MPI_Datatype type = MPI_DATATYPE_NULL;
    measure::check(MPI_Type_indexed(static_cast<int>(l.first), sizes.data(), places.data(), MPI_DOUBLE, &type),
                   "MPI_Type_indexed");
    return type;
}

MPI_Datatype subarray_of(TypeLayout const& l) {
    std::array const inner{static_cast<int>(l.first), static_cast<int>(l.second)};
    std::array const whole{inner[0] + 2, inner[1] + 2};
    std::array const corner{1, 1};
    MPI_Datatype type = MPI_DATATYPE_NULL;
    measure::check(
        MPI_Type_create_subarray(2, whole.data(), inner.data(), corner.data(), MPI_ORDER_C, MPI_DOUBLE, &type),
        "MPI_Type_create_subarray");
    return type;
}

MPI_Datatype structure_of() {
    std::array const sizes{1, 3, 1};
    std::array const places{static_cast<MPI_Aint>(offsetof(Particle, cell)),
                            static_cast<MPI_Aint>(offsetof(Particle, position)),
                            static_cast<MPI_Aint>(offsetof(Particle, kind))};
    std::array const types{MPI_INT32_T, MPI_DOUBLE, MPI_INT32_T};
    MPI_Datatype type = MPI_DATATYPE_NULL;
    measure::check(MPI_Type_create_struct(3, sizes.data(), places.data(), types.data(), &type),
                   "MPI_Type_create_struct");
    return type;
}

MPI_Datatype resized_of(MPI_Datatype old, Bytes extent) {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    measure::check(MPI_Type_create_resized(old, 0, extent, &type), "MPI_Type_create_resized");
    return type;
}

MPI_Datatype chunk_of(MPI_Datatype old, std::int64_t chunk) {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    measure::check(MPI_Type_contiguous(measure::to_int(chunk, "elements of a chunk"), old, &type),
                   "MPI_Type_contiguous");
    return type;
}

}  // namespace

std::string TypeLayout::name() const {
    auto const& word = word_of(kind);
    if (word.numbers == 0)
        return std::string{word.name};
    auto const begin = fmt::format("{}:{}", word.name, first);
    return word.numbers == 1 ? begin : fmt::format("{}{}{}", begin, word.separator, second);
}

bool TypeLayout::is_contiguous() const {
    return kind == Kind::byte || kind == Kind::real || (kind == Kind::vector && first == second) ||
           (kind == Kind::indexed && first == 1);
}

Bytes TypeLayout::unit() const {
    Bytes sum = 0;
    for (auto const& stretch : stretches_of(*this))
        sum += stretch.size;
    return sum;
}

Bytes TypeLayout::step() const {
    switch (kind) {
    case Kind::vector:
        return second * real_size;
    case Kind::subarray:
        return (first + 2) * (second + 2) * real_size;
    case Kind::structure:
        return sizeof(Particle);
    case Kind::resized:
        return 2 * real_size;
    default:
        auto const last = stretches_of(*this).back();
        return last.at + last.size;
    }
}

TypeLayout type_layout(std::string_view name) {
    auto const colon = name.find(':');
    auto const found = std::find_if(std::begin(words), std::end(words),
                                    [&](Word const& w) { return w.name == name.substr(0, colon); });
    if (found == std::end(words) || (colon == std::string_view::npos) != (found->numbers == 0))
        unknown(name);
    TypeLayout l{.kind = found->kind};
    if (found->numbers == 0)
        return l;
    auto const numbers = name.substr(colon + 1);
    auto const between = found->numbers > 1 ? numbers.find(found->separator) : std::string_view::npos;
    if (found->numbers > 1 && between == std::string_view::npos)
        unknown(name);
    l.first = number(name, numbers.substr(0, between));
    if (found->numbers > 1)
        l.second = number(name, numbers.substr(between + 1));
    if (l.kind == Kind::vector && l.second < l.first)
        throw UsageError(fmt::format("'{}': blocks overlap, because the stride is smaller than the block", name));
    // The library may count the whole array in an int.
    if (l.kind == Kind::subarray && (l.first + 2) * (l.second + 2) > std::numeric_limits<int>::max())
        throw UsageError(fmt::format("'{}': the array has more elements than an int can count", name));
    return l;
}

TypeMap::TypeMap(TypeLayout const& layout, Bytes message) : message_{message}, stretches_{stretches_of(layout)} {
    auto const unit = layout.unit();
    if (message % unit != 0)
        throw UsageError(fmt::format("{} bytes are not a multiple of {} ({} bytes)", message, layout.name(), unit));
    bool const whole = layout.kind == Kind::vector;
    repeats_ = whole ? std::max<std::int64_t>(message / unit, 1) : 1;
    step_ = layout.step();
    payload_ = repeats_ * unit;
    extent_ = whole ? (repeats_ - 1) * step_ + unit : step_;
    elements_ = message / payload_;
    Bytes sum = 0;
    for (auto const& stretch : stretches_)
        before_.push_back(std::exchange(sum, sum + stretch.size));
}

std::int64_t TypeMap::blocks() const noexcept {
    if (payload_ == extent_)
        return elements_ > 0 ? 1 : 0;
    return elements_ * repeats_ * static_cast<std::int64_t>(stretches_.size());
}

Stretch TypeMap::place(Bytes i) const noexcept {
    if (payload_ == extent_)
        return {i, message_ - i % message_};
    auto const element = i / payload_;
    auto const unit = payload_ / repeats_;
    auto const in_element = i % payload_;
    auto const in_unit = in_element % unit;
    auto const k =
        static_cast<std::size_t>(std::upper_bound(before_.begin(), before_.end(), in_unit) - before_.begin() - 1);
    Bytes const inside = in_unit - before_[k];
    return {element * extent_ + in_element / unit * step_ + stretches_[k].at + inside, stretches_[k].size - inside};
}

Datatype::Datatype(TypeLayout const& layout, Bytes message, std::int64_t chunk) : map_{layout, message}, chunk_{chunk} {
    switch (layout.kind) {
    case Kind::byte:
        break;
    case Kind::real:
        type_ = MPI_DOUBLE;
        break;
    case Kind::vector:
        replace(vector_of(layout, map_.payload() / layout.unit()));
        break;
    case Kind::indexed:
        replace(indexed_of(layout));
        break;
    case Kind::subarray:
        replace(subarray_of(layout));
        break;
    case Kind::structure:
        replace(structure_of());
        // MPI may not know the padding that the compiler adds at the end.
        replace(resized_of(type_, map_.extent()));
        break;
    case Kind::resized:
        replace(resized_of(MPI_DOUBLE, map_.extent()));
        break;
    }
    if (chunk_ > 1)
        replace(chunk_of(type_, chunk_));
    if (owned_)
        measure::check(MPI_Type_commit(&type_), "MPI_Type_commit");
}

Datatype::Datatype(Datatype&& other) noexcept
    : map_{std::move(other.map_)}, chunk_{other.chunk_}, type_{other.type_}, owned_{
                                                                                 std::exchange(other.owned_, false)} {}

Datatype::~Datatype() {
    if (owned_)
        MPI_Type_free(&type_);
}

/// Frees the old type, which MPI keeps if the new one uses it.
void Datatype::replace(MPI_Datatype made) {
    if (owned_)
        MPI_Type_free(&type_);
    type_ = made;
    owned_ = true;
}

}  // namespace bodies
