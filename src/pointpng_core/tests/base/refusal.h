#pragma once

#include <string>

#include "pointpng/error.h"

namespace pointpng {

/// The message of the InputError that `action` throws; empty if it throws none.
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
