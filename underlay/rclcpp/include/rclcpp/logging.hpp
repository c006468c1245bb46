#pragma once

#include <rcutils/logging_macros.h>
#include <sstream>

#include "rclcpp/clock.hpp"
#include "rclcpp/logger.hpp"

// RCLCPP_<LEVEL>[_STREAM][_ONCE|_EXPRESSION|_SKIPFIRST|_THROTTLE](logger, [condition,] text...), on
// the macros of rcutils. THROTTLE takes a clock and a period in milliseconds.

#define RCLCPP_DETAIL_LOG(severity, before, after, logger, ...) \
  RCUTILS_LOG_COND_NAMED(severity, before, after, (logger).get_name(), __VA_ARGS__)

#define RCLCPP_DETAIL_TEXT(stream)         \
  [&] {                                    \
    std::ostringstream rclcpp_detail_text; \
    rclcpp_detail_text << stream;          \
    return rclcpp_detail_text.str();       \
  }()                                      \
      .c_str()

#define RCLCPP_DETAIL_NOW(clock)                                      \
  [&rclcpp_detail_clock = (clock)](rcutils_time_point_value_t* now) { \
    *now = rclcpp_detail_clock.now().nanoseconds();                   \
    return RCUTILS_RET_OK;                                            \
  }

#define RCLCPP_DETAIL_ALWAYS(severity, logger, ...)                                             \
  RCLCPP_DETAIL_LOG(severity, RCUTILS_LOG_CONDITION_EMPTY, RCUTILS_LOG_CONDITION_EMPTY, logger, \
                    __VA_ARGS__)
#define RCLCPP_DETAIL_ONCE(severity, logger, ...)                                                  \
  RCLCPP_DETAIL_LOG(severity, RCUTILS_LOG_CONDITION_ONCE_BEFORE, RCUTILS_LOG_CONDITION_ONCE_AFTER, \
                    logger, __VA_ARGS__)
#define RCLCPP_DETAIL_EXPRESSION(severity, logger, expression, ...)                \
  RCLCPP_DETAIL_LOG(severity, RCUTILS_LOG_CONDITION_EXPRESSION_BEFORE(expression), \
                    RCUTILS_LOG_CONDITION_EXPRESSION_AFTER, logger, __VA_ARGS__)
#define RCLCPP_DETAIL_SKIPFIRST(severity, logger, ...)                \
  RCLCPP_DETAIL_LOG(severity, RCUTILS_LOG_CONDITION_SKIPFIRST_BEFORE, \
                    RCUTILS_LOG_CONDITION_SKIPFIRST_AFTER, logger, __VA_ARGS__)
#define RCLCPP_DETAIL_THROTTLE(severity, logger, clock, period, ...)                              \
  do {                                                                                            \
    auto rclcpp_detail_now = RCLCPP_DETAIL_NOW(clock);                                            \
    RCLCPP_DETAIL_LOG(severity, RCUTILS_LOG_CONDITION_THROTTLE_BEFORE(rclcpp_detail_now, period), \
                      RCUTILS_LOG_CONDITION_THROTTLE_AFTER, logger, __VA_ARGS__);                 \
  } while (0)

#define RCLCPP_DEBUG(logger, ...) \
  RCLCPP_DETAIL_ALWAYS(RCUTILS_LOG_SEVERITY_DEBUG, logger, __VA_ARGS__)
#define RCLCPP_DEBUG_ONCE(logger, ...) \
  RCLCPP_DETAIL_ONCE(RCUTILS_LOG_SEVERITY_DEBUG, logger, __VA_ARGS__)
#define RCLCPP_DEBUG_EXPRESSION(logger, expression, ...) \
  RCLCPP_DETAIL_EXPRESSION(RCUTILS_LOG_SEVERITY_DEBUG, logger, expression, __VA_ARGS__)
#define RCLCPP_DEBUG_SKIPFIRST(logger, ...) \
  RCLCPP_DETAIL_SKIPFIRST(RCUTILS_LOG_SEVERITY_DEBUG, logger, __VA_ARGS__)
#define RCLCPP_DEBUG_THROTTLE(logger, clock, period, ...) \
  RCLCPP_DETAIL_THROTTLE(RCUTILS_LOG_SEVERITY_DEBUG, logger, clock, period, __VA_ARGS__)
#define RCLCPP_DEBUG_STREAM(logger, stream) RCLCPP_DEBUG(logger, "%s", RCLCPP_DETAIL_TEXT(stream))
#define RCLCPP_DEBUG_STREAM_ONCE(logger, stream) \
  RCLCPP_DEBUG_ONCE(logger, "%s", RCLCPP_DETAIL_TEXT(stream))
#define RCLCPP_DEBUG_STREAM_EXPRESSION(logger, expression, stream) \
  RCLCPP_DEBUG_EXPRESSION(logger, expression, "%s", RCLCPP_DETAIL_TEXT(stream))
#define RCLCPP_DEBUG_STREAM_SKIPFIRST(logger, stream) \
  RCLCPP_DEBUG_SKIPFIRST(logger, "%s", RCLCPP_DETAIL_TEXT(stream))
#define RCLCPP_DEBUG_STREAM_THROTTLE(logger, clock, period, stream) \
  RCLCPP_DEBUG_THROTTLE(logger, clock, period, "%s", RCLCPP_DETAIL_TEXT(stream))

#define RCLCPP_INFO(logger, ...) \
  RCLCPP_DETAIL_ALWAYS(RCUTILS_LOG_SEVERITY_INFO, logger, __VA_ARGS__)
#define RCLCPP_INFO_ONCE(logger, ...) \
  RCLCPP_DETAIL_ONCE(RCUTILS_LOG_SEVERITY_INFO, logger, __VA_ARGS__)
#define RCLCPP_INFO_EXPRESSION(logger, expression, ...) \
  RCLCPP_DETAIL_EXPRESSION(RCUTILS_LOG_SEVERITY_INFO, logger, expression, __VA_ARGS__)
#define RCLCPP_INFO_SKIPFIRST(logger, ...) \
  RCLCPP_DETAIL_SKIPFIRST(RCUTILS_LOG_SEVERITY_INFO, logger, __VA_ARGS__)
#define RCLCPP_INFO_THROTTLE(logger, clock, period, ...) \
  RCLCPP_DETAIL_THROTTLE(RCUTILS_LOG_SEVERITY_INFO, logger, clock, period, __VA_ARGS__)
#define RCLCPP_INFO_STREAM(logger, stream) RCLCPP_INFO(logger, "%s", RCLCPP_DETAIL_TEXT(stream))
#define RCLCPP_INFO_STREAM_ONCE(logger, stream) \
  RCLCPP_INFO_ONCE(logger, "%s", RCLCPP_DETAIL_TEXT(stream))
#define RCLCPP_INFO_STREAM_EXPRESSION(logger, expression, stream) \
  RCLCPP_INFO_EXPRESSION(logger, expression, "%s", RCLCPP_DETAIL_TEXT(stream))
#define RCLCPP_INFO_STREAM_SKIPFIRST(logger, stream) \
  RCLCPP_INFO_SKIPFIRST(logger, "%s", RCLCPP_DETAIL_TEXT(stream))
#define RCLCPP_INFO_STREAM_THROTTLE(logger, clock, period, stream) \
  RCLCPP_INFO_THROTTLE(logger, clock, period, "%s", RCLCPP_DETAIL_TEXT(stream))

#define RCLCPP_WARN(logger, ...) \
  RCLCPP_DETAIL_ALWAYS(RCUTILS_LOG_SEVERITY_WARN, logger, __VA_ARGS__)
#define RCLCPP_WARN_ONCE(logger, ...) \
  RCLCPP_DETAIL_ONCE(RCUTILS_LOG_SEVERITY_WARN, logger, __VA_ARGS__)
#define RCLCPP_WARN_EXPRESSION(logger, expression, ...) \
  RCLCPP_DETAIL_EXPRESSION(RCUTILS_LOG_SEVERITY_WARN, logger, expression, __VA_ARGS__)
#define RCLCPP_WARN_SKIPFIRST(logger, ...) \
  RCLCPP_DETAIL_SKIPFIRST(RCUTILS_LOG_SEVERITY_WARN, logger, __VA_ARGS__)
#define RCLCPP_WARN_THROTTLE(logger, clock, period, ...) \
  RCLCPP_DETAIL_THROTTLE(RCUTILS_LOG_SEVERITY_WARN, logger, clock, period, __VA_ARGS__)
#define RCLCPP_WARN_STREAM(logger, stream) RCLCPP_WARN(logger, "%s", RCLCPP_DETAIL_TEXT(stream))
#define RCLCPP_WARN_STREAM_ONCE(logger, stream) \
  RCLCPP_WARN_ONCE(logger, "%s", RCLCPP_DETAIL_TEXT(stream))
#define RCLCPP_WARN_STREAM_EXPRESSION(logger, expression, stream) \
  RCLCPP_WARN_EXPRESSION(logger, expression, "%s", RCLCPP_DETAIL_TEXT(stream))
#define RCLCPP_WARN_STREAM_SKIPFIRST(logger, stream) \
  RCLCPP_WARN_SKIPFIRST(logger, "%s", RCLCPP_DETAIL_TEXT(stream))
#define RCLCPP_WARN_STREAM_THROTTLE(logger, clock, period, stream) \
  RCLCPP_WARN_THROTTLE(logger, clock, period, "%s", RCLCPP_DETAIL_TEXT(stream))

#define RCLCPP_ERROR(logger, ...) \
  RCLCPP_DETAIL_ALWAYS(RCUTILS_LOG_SEVERITY_ERROR, logger, __VA_ARGS__)
#define RCLCPP_ERROR_ONCE(logger, ...) \
  RCLCPP_DETAIL_ONCE(RCUTILS_LOG_SEVERITY_ERROR, logger, __VA_ARGS__)
#define RCLCPP_ERROR_EXPRESSION(logger, expression, ...) \
  RCLCPP_DETAIL_EXPRESSION(RCUTILS_LOG_SEVERITY_ERROR, logger, expression, __VA_ARGS__)
#define RCLCPP_ERROR_SKIPFIRST(logger, ...) \
  RCLCPP_DETAIL_SKIPFIRST(RCUTILS_LOG_SEVERITY_ERROR, logger, __VA_ARGS__)
#define RCLCPP_ERROR_THROTTLE(logger, clock, period, ...) \
  RCLCPP_DETAIL_THROTTLE(RCUTILS_LOG_SEVERITY_ERROR, logger, clock, period, __VA_ARGS__)
#define RCLCPP_ERROR_STREAM(logger, stream) RCLCPP_ERROR(logger, "%s", RCLCPP_DETAIL_TEXT(stream))
#define RCLCPP_ERROR_STREAM_ONCE(logger, stream) \
  RCLCPP_ERROR_ONCE(logger, "%s", RCLCPP_DETAIL_TEXT(stream))
#define RCLCPP_ERROR_STREAM_EXPRESSION(logger, expression, stream) \
  RCLCPP_ERROR_EXPRESSION(logger, expression, "%s", RCLCPP_DETAIL_TEXT(stream))
#define RCLCPP_ERROR_STREAM_SKIPFIRST(logger, stream) \
  RCLCPP_ERROR_SKIPFIRST(logger, "%s", RCLCPP_DETAIL_TEXT(stream))
#define RCLCPP_ERROR_STREAM_THROTTLE(logger, clock, period, stream) \
  RCLCPP_ERROR_THROTTLE(logger, clock, period, "%s", RCLCPP_DETAIL_TEXT(stream))

#define RCLCPP_FATAL(logger, ...) \
  RCLCPP_DETAIL_ALWAYS(RCUTILS_LOG_SEVERITY_FATAL, logger, __VA_ARGS__)
#define RCLCPP_FATAL_ONCE(logger, ...) \
  RCLCPP_DETAIL_ONCE(RCUTILS_LOG_SEVERITY_FATAL, logger, __VA_ARGS__)
#define RCLCPP_FATAL_EXPRESSION(logger, expression, ...) \
  RCLCPP_DETAIL_EXPRESSION(RCUTILS_LOG_SEVERITY_FATAL, logger, expression, __VA_ARGS__)
#define RCLCPP_FATAL_SKIPFIRST(logger, ...) \
  RCLCPP_DETAIL_SKIPFIRST(RCUTILS_LOG_SEVERITY_FATAL, logger, __VA_ARGS__)
#define RCLCPP_FATAL_THROTTLE(logger, clock, period, ...) \
  RCLCPP_DETAIL_THROTTLE(RCUTILS_LOG_SEVERITY_FATAL, logger, clock, period, __VA_ARGS__)
#define RCLCPP_FATAL_STREAM(logger, stream) RCLCPP_FATAL(logger, "%s", RCLCPP_DETAIL_TEXT(stream))
#define RCLCPP_FATAL_STREAM_ONCE(logger, stream) \
  RCLCPP_FATAL_ONCE(logger, "%s", RCLCPP_DETAIL_TEXT(stream))
#define RCLCPP_FATAL_STREAM_EXPRESSION(logger, expression, stream) \
  RCLCPP_FATAL_EXPRESSION(logger, expression, "%s", RCLCPP_DETAIL_TEXT(stream))
#define RCLCPP_FATAL_STREAM_SKIPFIRST(logger, stream) \
  RCLCPP_FATAL_SKIPFIRST(logger, "%s", RCLCPP_DETAIL_TEXT(stream))
#define RCLCPP_FATAL_STREAM_THROTTLE(logger, clock, period, stream) \
  RCLCPP_FATAL_THROTTLE(logger, clock, period, "%s", RCLCPP_DETAIL_TEXT(stream))
