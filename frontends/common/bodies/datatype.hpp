// SPDX-License-Identifier: BSD-3-Clause
/// Datatypes: the layout of a message's payload in memory, and MPI's types for it.
#pragma once

#include <measure/units.hpp>

#include <mpi.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bodies {

/// A contiguous part of a type, in bytes.
struct Stretch {
    measure::Bytes at = 0;
    measure::Bytes size = 0;
    friend bool operator==(Stretch const&, Stretch const&) = default;
};

/// Description of a datatype. Derived types consist of doubles (`structure` of an int, three doubles and an int) and
/// have the lower bound 0. A value, no MPI.
struct TypeLayout {
    enum class Kind {
        byte,       ///< MPI_BYTE
        real,       ///< MPI_DOUBLE
        vector,     ///< `first` of each `second` doubles; a message is a single MPI_Type_vector
        indexed,    ///< `first` blocks of 1, 3, 1, 3, .. doubles that begin 3, 5, 3, 5, .. doubles apart
        subarray,   ///< the inner `first` x `second` doubles of an array with a border of one double
        structure,  ///< a C structure with padding: 32 bytes of payload in 40 bytes
        resized,    ///< one double in 16 bytes: one of two columns
    };
    Kind kind = Kind::byte;
    std::int64_t first = 0;
    std::int64_t second = 0;

    /// The name on a command line: "vector:1:2".
    [[nodiscard]] std::string name() const;
    [[nodiscard]] bool is_contiguous() const;
    /// The payload of a message is a multiple of this number of bytes.
    [[nodiscard]] measure::Bytes unit() const;
    /// Distance in memory between two such units, in bytes.
    [[nodiscard]] measure::Bytes step() const;
    friend bool operator==(TypeLayout const&, TypeLayout const&) = default;
};

/// The layout with that name. \throws UsageError that lists the names, or gives the number that is out of range
[[nodiscard]] TypeLayout type_layout(std::string_view name);

/// Location of the payload of messages of equal size. A value, no MPI.
class TypeMap {
public:
    /// \param message  payload of a message, in bytes, >= 0
    /// \throws UsageError if it is not a multiple of layout.unit()
    TypeMap(TypeLayout const& layout, measure::Bytes message);

    [[nodiscard]] measure::Bytes message() const noexcept { return message_; }          ///< bytes of payload
    [[nodiscard]] measure::Bytes payload() const noexcept { return payload_; }          ///< bytes of an element
    [[nodiscard]] measure::Bytes extent() const noexcept { return extent_; }            ///< extent of an element, bytes
    [[nodiscard]] std::int64_t elements() const noexcept { return elements_; }          ///< elements of a message
    [[nodiscard]] measure::Bytes span() const noexcept { return elements_ * extent_; }  ///< distance of two messages
    /// Number of contiguous stretches of a message: 1 for a contiguous message, 0 for an empty one.
    [[nodiscard]] std::int64_t blocks() const noexcept;
    /// The location of byte i of the payload of consecutive messages, and the number of bytes of its message that
    /// follow without a gap, including byte i. Requires i >= 0 and messages that are not empty.
    [[nodiscard]] Stretch place(measure::Bytes i) const noexcept;

private:
    measure::Bytes message_;
    measure::Bytes payload_ = 1;
    measure::Bytes extent_ = 1;
    std::int64_t elements_ = 0;
    std::int64_t repeats_ = 1;  ///< repetitions of the stretches in an element, `step_` bytes apart
    measure::Bytes step_ = 1;
    std::vector<Stretch> stretches_{};
    std::vector<measure::Bytes> before_{};  ///< payload before each stretch, in bytes
};

/// A committed MPI type for messages of equal size. The destructor frees it, so the object must outlive its use.
/// Move-only.
class Datatype {
public:
    /// Local. \param chunk  number of elements to join into one, which reduces the count; >= 1, divides elements()
    /// \throws UsageError for a number that does not fit MPI's int; MpiError
    Datatype(TypeLayout const& layout, measure::Bytes message, std::int64_t chunk = 1);
    Datatype(Datatype&& other) noexcept;
    Datatype& operator=(Datatype&&) = delete;
    Datatype(Datatype const&) = delete;
    Datatype& operator=(Datatype const&) = delete;
    ~Datatype();

    [[nodiscard]] TypeMap const& map() const noexcept { return map_; }
    [[nodiscard]] MPI_Datatype handle() const noexcept { return type_; }
    /// Number of elements of type `handle` in a message, and their extent in bytes.
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
