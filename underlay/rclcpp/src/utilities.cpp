#include "rclcpp/utilities.hpp"

#include <rcl/arguments.h>

#include "rclcpp/clock.hpp"
#include "rclcpp/exceptions.hpp"

namespace rclcpp {
namespace {

Context::SharedPtr or_default(Context::SharedPtr context) {
  return context ? context : contexts::get_global_default_context();
}

}  // namespace

void init(int argc, char const* const* argv, const InitOptions& options,
          SignalHandlerOptions signals) {
  contexts::get_global_default_context()->init(argc, argv, options);
  install_signal_handlers(signals);
}

std::vector<std::string> init_and_remove_ros_arguments(int argc, char const* const* argv,
                                                       const InitOptions& options) {
  init(argc, argv, options);
  return remove_ros_arguments(argc, argv);
}

std::vector<std::string> remove_ros_arguments(int argc, char const* const* argv) {
  const rcl_allocator_t allocator = rcl_get_default_allocator();
  rcl_arguments_t arguments = rcl_get_zero_initialized_arguments();
  detail::check(rcl_parse_arguments(argc, argv, allocator, &arguments),
                "failed to parse arguments");
  int count = 0;
  char const** rest = nullptr;
  const rcl_ret_t ret = rcl_remove_ros_arguments(argv, &arguments, allocator, &count, &rest);
  std::vector<std::string> result(rest, rest + (rest ? count : 0));
  if (rest) allocator.deallocate(rest, allocator.state);
  detail::check_quietly(rcl_arguments_fini(&arguments), "failed to free arguments");
  detail::check(ret, "failed to remove ROS arguments");
  return result;
}

bool ok(Context::SharedPtr context) { return or_default(std::move(context))->is_valid(); }

bool shutdown(Context::SharedPtr context, const std::string& reason) {
  const auto chosen = or_default(std::move(context));
  const bool done = chosen->shutdown(reason);
  if (chosen == contexts::get_global_default_context()) uninstall_signal_handlers();
  return done;
}

void on_shutdown(std::function<void()> callback, Context::SharedPtr context) {
  or_default(std::move(context))->on_shutdown(std::move(callback));
}

bool sleep_for(const std::chrono::nanoseconds& duration, Context::SharedPtr context) {
  return Clock(RCL_STEADY_TIME).sleep_for(Duration(duration), or_default(std::move(context)));
}

}  // namespace rclcpp
