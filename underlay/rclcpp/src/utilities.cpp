#include "rclcpp/utilities.hpp"

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
