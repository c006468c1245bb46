#pragma once

#include <stdexcept>

namespace tf2 {

class TransformException : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The frames are in different trees.
class ConnectivityException : public TransformException {
  using TransformException::TransformException;
};
/// A frame is not known.
class LookupException : public TransformException {
  using TransformException::TransformException;
};
/// The time is not covered by what the buffer holds.
class ExtrapolationException : public TransformException {
  using TransformException::TransformException;
};
class BackwardExtrapolationException : public ExtrapolationException {
  using ExtrapolationException::ExtrapolationException;
};
class ForwardExtrapolationException : public ExtrapolationException {
  using ExtrapolationException::ExtrapolationException;
};
class NoDataForExtrapolationException : public ExtrapolationException {
  using ExtrapolationException::ExtrapolationException;
};
class InvalidArgumentException : public TransformException {
  using TransformException::TransformException;
};
class TimeoutException : public TransformException {
  using TransformException::TransformException;
};

}  // namespace tf2
