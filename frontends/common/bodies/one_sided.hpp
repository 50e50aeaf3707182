// SPDX-License-Identifier: BSD-3-Clause
/// One-sided communication of MPI 2.2: memory, windows, and access operations, each as a type with its call.
#pragma once

#include <measure/comm.hpp>
#include <measure/mpi_error.hpp>
#include <measure/units.hpp>

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <string_view>

namespace bodies {

/// While an object exists, errors of calls without a communicator are returned. MPI 3.1 raises them on MPI_COMM_WORLD
/// and MPI 4 on MPI_COMM_SELF, whose default handlers end the program. Local. Neither copied nor moved.
class ReturnedErrors {
public:
    ReturnedErrors() {
        for (std::size_t i = 0; i < handlers_.size(); ++i) {
            MPI_Comm_get_errhandler(comms()[i], &handlers_[i]);
            MPI_Comm_set_errhandler(comms()[i], MPI_ERRORS_RETURN);
        }
    }
    ~ReturnedErrors() {
        for (std::size_t i = 0; i < handlers_.size(); ++i) {
            MPI_Comm_set_errhandler(comms()[i], handlers_[i]);
            MPI_Errhandler_free(&handlers_[i]);
        }
    }
    ReturnedErrors(ReturnedErrors const&) = delete;
    ReturnedErrors& operator=(ReturnedErrors const&) = delete;

private:
    [[nodiscard]] static std::array<MPI_Comm, 2> comms() noexcept { return {MPI_COMM_WORLD, MPI_COMM_SELF}; }
    std::array<MPI_Errhandler, 2> handlers_{};
};

/// Memory from MPI_Alloc_mem, which a library may optimise for windows. Its contents are undefined, and its pages may
/// never have been written. Move-only.
class WindowMemory {
public:
    /// Local. \param size  bytes, >= 0; for 0, one byte is allocated, so that there is an address
    /// \throws std::bad_alloc
    explicit WindowMemory(measure::Bytes size) {
        void* memory = nullptr;
        ReturnedErrors const returned;
        int const code = MPI_Alloc_mem(static_cast<MPI_Aint>(size > 0 ? size : 1), MPI_INFO_NULL, &memory);
        // If memory is exhausted, MPICH 4.0.2 reports success with an address just above null.
        if (code != MPI_SUCCESS || reinterpret_cast<std::uintptr_t>(memory) < lowest_address)
            throw std::bad_alloc{};
        memory_.reset(static_cast<std::byte*>(memory));
    }

    [[nodiscard]] std::byte* data() const noexcept { return memory_.get(); }

private:
    static constexpr std::uintptr_t lowest_address = 4096;
    struct Free {
        void operator()(std::byte* memory) const noexcept { MPI_Free_mem(memory); }
    };
    std::unique_ptr<std::byte, Free> memory_;
};

/// A window whose errors are returned. Neither copied nor moved.
class Window {
public:
    /// Collective. \param memory  must outlive the window  \param size  bytes
    /// \param unit  displacement unit, bytes
    /// \throws MpiError
    Window(measure::Comm const& comm, void* memory, measure::Bytes size, int unit) {
        measure::check(
            MPI_Win_create(memory, static_cast<MPI_Aint>(size), unit, MPI_INFO_NULL, comm.native(), &window_),
            "MPI_Win_create");
        MPI_Win_set_errhandler(window_, MPI_ERRORS_RETURN);
    }
    Window(Window const&) = delete;
    Window& operator=(Window const&) = delete;
    /// Collective. If an exception is active, the other processes will not call it, and the window is not freed.
    ~Window() {
        if (window_ != MPI_WIN_NULL && std::uncaught_exceptions() <= exceptions_)
            MPI_Win_free(&window_);
    }

    /// Releases the window without freeing it. If another process has no window, it cannot be freed. Local.
    void leave() noexcept { window_ = MPI_WIN_NULL; }

    [[nodiscard]] MPI_Win native() const noexcept { return window_; }
    /// Completes all accesses and opens the next epoch. Collective. \return MPI's code
    int fence() const noexcept { return MPI_Win_fence(0, window_); }

private:
    MPI_Win window_ = MPI_WIN_NULL;
    int exceptions_ = std::uncaught_exceptions();
};

/// Releases the window unless all processes have it, because it can then neither be used nor freed. Collective over
/// `comm`. \param window  empty if this process has no window; afterwards set on all processes or on none
inline void leave_unless_all_have(measure::Comm const& comm, std::optional<Window>& window) {
    bool const lacks = comm.max(window ? 0 : 1) > 0;
    if (!lacks || !window)
        return;
    window->leave();
    window.reset();
}

/// The arguments of an access that are the same in all iterations.
struct Access {
    MPI_Win window = MPI_WIN_NULL;
    int target = 0;
    int count = 0;  ///< elements
    MPI_Datatype type = MPI_BYTE;
    MPI_Op op = MPI_SUM;  ///< operation of an accumulation
};

/// \param elements  number of elements of `type`  \throws UsageError for a number that does not fit MPI's int
[[nodiscard]] inline Access access(Window const& window, int target, std::int64_t elements,
                                   MPI_Datatype type = MPI_BYTE) {
    return {window.native(), target, measure::to_int(elements, "elements of a one-sided access"), type};
}

// The calls access local memory at `origin` and remote memory at `displacement`, in units of the window. Each returns
// MPI's code. The access is complete only after the next synchronisation.

struct Put {
    static constexpr std::string_view name = "Put";
    static int call(Access const& a, void* origin, MPI_Aint displacement) noexcept {
        return MPI_Put(origin, a.count, a.type, a.target, displacement, a.count, a.type, a.window);
    }
};

struct Get {
    static constexpr std::string_view name = "Get";
    static int call(Access const& a, void* origin, MPI_Aint displacement) noexcept {
        return MPI_Get(origin, a.count, a.type, a.target, displacement, a.count, a.type, a.window);
    }
};

/// Combines the data with the target's data by the access's operation.
struct Accumulate {
    static constexpr std::string_view name = "Accumulate";
    static int call(Access const& a, void* origin, MPI_Aint displacement) noexcept {
        return MPI_Accumulate(origin, a.count, a.type, a.target, displacement, a.count, a.type, a.op, a.window);
    }
};

}  // namespace bodies
