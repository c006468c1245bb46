#pragma once

#include <exception>
#include <optional>

namespace pointpng_ros {

/// Answers a cloud exactly once: publishes what `align` returns or, where it throws, what `reject`
/// makes of the exception. Whatever fails from then on goes to `on_error` and is no second answer.
template <class Align, class Reject, class Publish, class OnError>
void answer_once(const Align& align, const Reject& reject, const Publish& publish,
                 const OnError& on_error) {
  std::optional<decltype(align())> answer;
  try {
    answer = align();
  } catch (const std::exception& unusable) {
    answer = reject(unusable);
  }
  try {
    publish(*answer);
  } catch (const std::exception& error) {
    on_error(error);
  }
}

}  // namespace pointpng_ros
