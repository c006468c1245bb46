#pragma once

#include <stdexcept>
#include <string>

namespace pointpng {

/// Something went wrong that is nobody's wrong input: a full disk, diverging training.
/// The command line ends with status 1.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What the user gave can't be used: a broken file, an impossible option, a cloud without points.
/// The message says what was read, what is wrong and what to do. The command line ends with
/// status 2.
class InputError : public Error {
 public:
  using Error::Error;
};

}  // namespace pointpng
