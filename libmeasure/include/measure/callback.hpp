// SPDX-License-Identifier: BSD-3-Clause
/// Callback: a callable of any type as a value. Like std::function, but its header compiles faster.
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

#pragma GCC visibility push(default)
namespace measure {

namespace detail {
/// Throws UsageError, because an empty callback was called.
[[noreturn]] void call_of_nothing();

/// Owns one value on the heap. Like std::unique_ptr, but compiles faster than <memory>.
template <class T>
class Owned {
public:
    Owned() noexcept = default;
    explicit Owned(T* value) noexcept : value_{value} {}
    template <class D>
    requires std::derived_from<D, T> Owned(Owned<D>&& other)
    noexcept : value_{other.release()} {}
    Owned(Owned&& other) noexcept : value_{other.release()} {}
    Owned& operator=(Owned&& other) noexcept {
        reset(other.release());
        return *this;
    }
    Owned(Owned const&) = delete;
    Owned& operator=(Owned const&) = delete;
    ~Owned() { delete value_; }

    /// Deletes the owned object and takes ownership of `value`.
    void reset(T* value = nullptr) noexcept { delete std::exchange(value_, value); }
    /// Releases ownership; the caller must delete the object.
    [[nodiscard]] T* release() noexcept { return std::exchange(value_, nullptr); }
    [[nodiscard]] explicit operator bool() const noexcept { return value_ != nullptr; }
    [[nodiscard]] T* operator->() const noexcept { return value_; }
    [[nodiscard]] T& operator*() const noexcept { return *value_; }

private:
    T* value_ = nullptr;
};
}  // namespace detail

/// A copyable callable of any type with the signature R(Args...). Copies hold copies of the callable.
template <class Signature>
class Callback;

/// A callable with a signature, such as `Callback<void(int)>`. Copies hold copies of the callable.
template <class R, class... Args>
class Callback<R(Args...)> {
public:
    Callback() noexcept = default;  ///< makes an empty callback
    /// Makes an empty callback.
    Callback(std::nullptr_t) noexcept {}  // NOLINT(google-explicit-constructor): as std::function
    /// Holds a copy of the callable. A null pointer or an empty std::function makes an empty callback.
    template <class F>
    requires(!std::same_as<std::remove_cvref_t<F>, Callback> && std::is_invocable_r_v<R, std::decay_t<F>&, Args...>)
        Callback(F&& callable) {  // NOLINT(google-explicit-constructor): as std::function
        using Held = std::decay_t<F>;
        if constexpr (!std::is_function_v<std::remove_reference_t<F>> &&
                      (std::is_pointer_v<Held> || requires { callable.operator bool(); })) {
            if (!callable)
                return;
        }
        held_ = new Held(std::forward<F>(callable));
        actions_ = &actions_of<Held>;
    }
    /// Holds a copy of the callable of `other`.
    Callback(Callback const& other)
        : held_{other.held_ != nullptr ? other.actions_->copy(other.held_) : nullptr}, actions_{other.actions_} {}
    Callback(Callback&& other) noexcept
        : held_{std::exchange(other.held_, nullptr)}, actions_{other.actions_} {}  ///< leaves `other` empty
    /// Destroys the held callable and holds that of `other`.
    Callback& operator=(Callback other) noexcept {
        std::swap(held_, other.held_);
        std::swap(actions_, other.actions_);
        return *this;
    }
    /// Destroys the callable.
    ~Callback() {
        // GCC 12 considers members of an aggregate uninitialised if the initialiser of an earlier member throws, and
        // warns in callers.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
        if (held_ != nullptr)
            actions_->destroy(held_);
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
    }

    [[nodiscard]] explicit operator bool() const noexcept { return held_ != nullptr; }  ///< whether a callable is held
    /// Calls the callable. \throws UsageError if it is empty; exceptions of the callable are passed on
    R operator()(Args... args) const {
        if (held_ == nullptr)
            detail::call_of_nothing();
        return actions_->call(held_, std::forward<Args>(args)...);
    }

private:
    struct Actions {
        R (*call)(void* held, Args&&... args);
        void* (*copy)(void const* held);
        void (*destroy)(void* held);
    };
    template <class Held>
    static R call(void* held, Args&&... args) {
        if constexpr (std::is_void_v<R>)
            static_cast<void>((*static_cast<Held*>(held))(std::forward<Args>(args)...));
        else
            return (*static_cast<Held*>(held))(std::forward<Args>(args)...);
    }
    template <class Held>
    static void* copy(void const* held) {
        return new Held(*static_cast<Held const*>(held));
    }
    template <class Held>
    static void destroy(void* held) {
        delete static_cast<Held*>(held);
    }
    template <class Held>
    static constexpr Actions actions_of{call<Held>, copy<Held>, destroy<Held>};

    void* held_ = nullptr;
    Actions const* actions_ = nullptr;
};

}  // namespace measure
#pragma GCC visibility pop
