// SPDX-License-Identifier: BSD-3-Clause
/// Datatypes: how the payload of messages lies in memory, and MPI's types for it.
#pragma once

#include <measure/units.hpp>

#include <mpi.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bodies {

/// A contiguous part of a type. Bytes.
struct Stretch {
    measure::Bytes at = 0;
    measure::Bytes size = 0;
    friend bool operator==(Stretch const&, Stretch const&) = default;
};

/// What a datatype is made of. Derived types are made of doubles (a structure of an int, three doubles, an int) and
/// have the lower bound 0. A value, no MPI.
struct TypeLayout {
    enum class Kind {
        byte,       ///< MPI_BYTE
        real,       ///< MPI_DOUBLE
        vector,     ///< `first` of each `second` doubles, all of a message in one MPI_Type_vector
        indexed,    ///< `first` blocks of 1, 3, 1, 3, .. doubles that begin 3, 5, 3, 5, .. doubles apart
        subarray,   ///< the inner `first` x `second` doubles of an array with a border of one
        structure,  ///< a C structure with padding: 32 bytes in 40
        resized,    ///< one double in 16 bytes: a column of two
    };
    Kind kind = Kind::byte;
    std::int64_t first = 0;
    std::int64_t second = 0;

    /// As on a command line: "vector:1:2".
    [[nodiscard]] std::string name() const;
    [[nodiscard]] bool is_contiguous() const;
    /// Payload is a multiple of so many bytes.
    [[nodiscard]] measure::Bytes unit() const;
    /// Bytes of memory from one of these multiples to the next.
    [[nodiscard]] measure::Bytes step() const;
    friend bool operator==(TypeLayout const&, TypeLayout const&) = default;
};

/// The layout of that name. \throws UsageError that says which there are, or which number is out of range
[[nodiscard]] TypeLayout type_layout(std::string_view name);

/// Where the payload of messages of one size lies. A value, no MPI.
class TypeMap {
public:
    /// \param message  payload of a message, >= 0, a multiple of layout.unit(). \throws UsageError where it is none
    TypeMap(TypeLayout const& layout, measure::Bytes message);

    [[nodiscard]] measure::Bytes message() const noexcept { return message_; }          ///< payload
    [[nodiscard]] measure::Bytes payload() const noexcept { return payload_; }          ///< of an element
    [[nodiscard]] measure::Bytes extent() const noexcept { return extent_; }            ///< of an element
    [[nodiscard]] std::int64_t elements() const noexcept { return elements_; }          ///< of a message
    [[nodiscard]] measure::Bytes span() const noexcept { return elements_ * extent_; }  ///< from message to message
    /// Stretches of a message, where it is not contiguous; otherwise 1, or 0 for an empty message.
    [[nodiscard]] std::int64_t blocks() const noexcept;
    /// Where byte i of the payload of messages one after another lies, and how many bytes of this message, itself
    /// included, follow without a gap. i >= 0, messages not empty
    [[nodiscard]] Stretch place(measure::Bytes i) const noexcept;

private:
    measure::Bytes message_;
    measure::Bytes payload_ = 1;
    measure::Bytes extent_ = 1;
    std::int64_t elements_ = 0;
    std::int64_t repeats_ = 1;  ///< of the stretches in an element, `step_` bytes apart
    measure::Bytes step_ = 1;
    std::vector<Stretch> stretches_{};
    std::vector<measure::Bytes> before_{};  ///< payload before each of them
};

/// MPI's type for messages of one size, committed; freed with the value, which must outlive its use. Move-only.
class Datatype {
public:
    /// Local. \param chunk  so many elements become one, so that fewer of them make a message; >= 1, divides elements()
    /// \throws UsageError for a number that does not fit MPI's int; MpiError
    Datatype(TypeLayout const& layout, measure::Bytes message, std::int64_t chunk = 1);
    Datatype(Datatype&& other) noexcept;
    Datatype& operator=(Datatype&&) = delete;
    Datatype(Datatype const&) = delete;
    Datatype& operator=(Datatype const&) = delete;
    ~Datatype();

    [[nodiscard]] TypeMap const& map() const noexcept { return map_; }
    [[nodiscard]] MPI_Datatype handle() const noexcept { return type_; }
    /// Elements of `handle` in a message, and the extent of one.
    [[nodiscard]] std::int64_t count() const noexcept { return map_.elements() / chunk_; }
    [[nodiscard]] measure::Bytes extent() const noexcept { return map_.extent() * chunk_; }

private:
    void replace(MPI_Datatype made);

    TypeMap map_;
    std::int64_t chunk_;
    MPI_Datatype type_ = MPI_BYTE;
    bool owned_ = false;
};

}  // namespace bodies
