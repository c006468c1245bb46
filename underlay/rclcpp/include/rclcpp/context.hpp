#pragma once

#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <rcl/context.h>
#include <stdexcept>
#include <string>
#include <vector>

#include "rclcpp/init_options.hpp"
#include "rclcpp/macros.hpp"

namespace rclcpp {

class ContextAlreadyInitialized : public std::runtime_error {
 public:
  ContextAlreadyInitialized() : std::runtime_error("context is already initialized") {}
};

class ShutdownCallbackHandle {
  friend class Context;
  std::weak_ptr<std::function<void()>> callback;
};
using OnShutdownCallbackHandle = ShutdownCallbackHandle;
using PreShutdownCallbackHandle = ShutdownCallbackHandle;

/// One life of ROS in a process, from init() to shutdown().
class Context : public std::enable_shared_from_this<Context> {
 public:
  RCLCPP_SMART_PTR_DEFINITIONS(Context);
  using ShutdownCallback = std::function<void()>;
  using OnShutdownCallback = ShutdownCallback;
  using PreShutdownCallback = ShutdownCallback;

  Context() = default;
  ~Context();
  RCLCPP_DISABLE_COPY(Context);

  void init(int argc, char const* const* argv, const InitOptions& options = InitOptions());
  bool is_valid() const;
  bool shutdown(const std::string& reason);
  std::string shutdown_reason() const;
  const InitOptions& get_init_options() const { return options_; }
  std::size_t get_domain_id() const;

  OnShutdownCallback on_shutdown(OnShutdownCallback callback);
  OnShutdownCallbackHandle add_on_shutdown_callback(OnShutdownCallback callback);
  bool remove_on_shutdown_callback(const OnShutdownCallbackHandle& handle);
  PreShutdownCallbackHandle add_pre_shutdown_callback(PreShutdownCallback callback);
  bool remove_pre_shutdown_callback(const PreShutdownCallbackHandle& handle);

  std::shared_ptr<rcl_context_t> get_rcl_context() { return rcl_context(); }

 private:
  using Callbacks = std::list<std::shared_ptr<ShutdownCallback>>;

  std::shared_ptr<rcl_context_t> rcl_context() const;
  ShutdownCallbackHandle add(Callbacks& callbacks, ShutdownCallback callback);
  bool remove(Callbacks& callbacks, const ShutdownCallbackHandle& handle);
  void call_all(const Callbacks& callbacks);

  mutable std::recursive_mutex init_mutex_;  // one init() or shutdown() at a time
  std::recursive_mutex callbacks_mutex_;     // a callback may remove itself
  mutable std::mutex handle_mutex_;          // rcl_context_ and reason_
  std::shared_ptr<rcl_context_t> rcl_context_;
  std::string reason_;
  InitOptions options_;
  Callbacks on_shutdown_;
  Callbacks pre_shutdown_;
};

/// Every initialized context of this process.
std::vector<Context::SharedPtr> get_contexts();

namespace contexts {
Context::SharedPtr get_global_default_context();
}
using contexts::get_global_default_context;

}  // namespace rclcpp
