#pragma once

#include <ostream>
#include <string>

namespace rclcpp {

enum class FutureReturnCode { SUCCESS, INTERRUPTED, TIMEOUT };

std::string to_string(const FutureReturnCode& code);
std::ostream& operator<<(std::ostream& out, const FutureReturnCode& code);

}  // namespace rclcpp
