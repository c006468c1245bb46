#pragma once

#include "rclcpp/exceptions.hpp"
