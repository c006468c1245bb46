#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "rclcpp/context.hpp"
#include "rclcpp/init_options.hpp"

namespace rclcpp {

enum class SignalHandlerOptions { All, SigInt, SigTerm, None };

/// Starts ROS with this program's arguments; from here on SIGINT and SIGTERM shut it down.
void init(int argc, char const* const* argv, const InitOptions& options = InitOptions(),
          SignalHandlerOptions signals = SignalHandlerOptions::All);

bool install_signal_handlers(SignalHandlerOptions signals = SignalHandlerOptions::All);
bool signal_handlers_installed();
bool uninstall_signal_handlers();

/// Without a context: the default one.
bool ok(Context::SharedPtr context = nullptr);
bool shutdown(Context::SharedPtr context = nullptr,
              const std::string& reason = "user called rclcpp::shutdown()");
void on_shutdown(std::function<void()> callback, Context::SharedPtr context = nullptr);

/// False where a shutdown ended the sleep.
bool sleep_for(const std::chrono::nanoseconds& duration, Context::SharedPtr context = nullptr);

}  // namespace rclcpp
