#pragma once

#include <string>

#include "pointpng/error.h"

namespace pointpng {

/// The sentence with which something refuses its input; empty where it does not.
template <class Action>
std::string refusal(const Action& action) {
  try {
    action();
    return "";
  } catch (const InputError& error) {
    return error.what();
  }
}

}  // namespace pointpng
