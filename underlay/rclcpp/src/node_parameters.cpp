#include <algorithm>
#include <cmath>

#include "rclcpp/node_interfaces/node_parameters_interface.hpp"

namespace rclcpp::node_interfaces {
namespace {

using Result = NodeParametersInterface::Result;
using Descriptor = NodeParametersInterface::Descriptor;

Result success() {
  Result result;
  result.successful = true;
  return result;
}

Result failure(const std::string& reason) {
  Result result;
  result.successful = false;
  result.reason = reason;
  return result;
}

bool about_equal(double a, double b) {
  return std::abs(a - b) <=
         100 * std::numeric_limits<double>::epsilon() * std::max(std::abs(a), std::abs(b));
}

bool in_range(std::int64_t value, const rcl_interfaces::msg::IntegerRange& range) {
  if (value == range.from_value || value == range.to_value) return true;
  if (value < range.from_value || value > range.to_value) return false;
  return range.step == 0 || static_cast<std::uint64_t>(value - range.from_value) % range.step == 0;
}

bool in_range(double value, const rcl_interfaces::msg::FloatingPointRange& range) {
  if (about_equal(value, range.from_value) || about_equal(value, range.to_value)) return true;
  if (!(value >= range.from_value && value <= range.to_value)) return false;
  if (range.step == 0) return true;
  const double steps = std::round((value - range.from_value) / range.step);
  return about_equal(value, range.from_value + steps * range.step);
}

template <class Value, class Range>
Result check_range(const std::string& name, Value value, const Range& range) {
  if (in_range(value, range)) return success();
  return failure("Parameter {" + name +
                 "} doesn't comply with integer or floating point range: it is " +
                 std::to_string(value) + ", and must be in [" + std::to_string(range.from_value) +
                 ", " + std::to_string(range.to_value) + "]" +
                 (range.step != 0 ? " in steps of " + std::to_string(range.step) : "") + ".");
}

Result check_range(const Parameter& parameter, const Descriptor& descriptor) {
  if (parameter.get_type() == PARAMETER_INTEGER && !descriptor.integer_range.empty())
    return check_range(parameter.get_name(), parameter.as_int(), descriptor.integer_range.front());
  if (parameter.get_type() == PARAMETER_DOUBLE && !descriptor.floating_point_range.empty())
    return check_range(parameter.get_name(), parameter.as_double(),
                       descriptor.floating_point_range.front());
  return success();
}

Result check_type(const Parameter& parameter, const Descriptor& descriptor) {
  if (descriptor.dynamic_typing || parameter.get_type() == descriptor.type) return success();
  return failure("Wrong parameter type, parameter {" + parameter.get_name() + "} is of type {" +
                 to_string(static_cast<ParameterType>(descriptor.type)) + "}, setting it to {" +
                 to_string(parameter.get_type()) + "} is not allowed.");
}

template <class Handle, class Callback>
std::shared_ptr<Handle> add(std::list<std::weak_ptr<Handle>>& list, Callback callback) {
  auto handle = std::make_shared<Handle>();
  handle->callback = std::move(callback);
  list.push_front(handle);
  return handle;
}

template <class Handle>
void remove(std::list<std::weak_ptr<Handle>>& list, const Handle* handle) {
  const auto found = std::find_if(list.begin(), list.end(),
                                  [&](const auto& known) { return known.lock().get() == handle; });
  if (found == list.end()) throw std::runtime_error("Callback doesn't exist");
  list.erase(found);
}

// Whose handle is gone does not want to be called any more.
template <class Handle>
std::vector<std::shared_ptr<Handle>> living(std::list<std::weak_ptr<Handle>>& list) {
  list.remove_if([](const auto& known) { return known.expired(); });
  std::vector<std::shared_ptr<Handle>> handles;
  for (const auto& known : list)
    if (auto handle = known.lock()) handles.push_back(std::move(handle));
  return handles;
}

}  // namespace

/// While it lives, callbacks run: they may read parameters, but not change them.
class NodeParametersInterface::CallbackScope {
 public:
  explicit CallbackScope(bool& in_callback) : in_callback_(in_callback) { in_callback_ = true; }
  ~CallbackScope() { in_callback_ = false; }
  RCLCPP_DISABLE_COPY(CallbackScope);

 private:
  bool& in_callback_;
};

NodeParametersInterface::NodeParametersInterface(std::map<std::string, ParameterValue> overrides,
                                                 bool allow_undeclared, EventSink publish_event)
    : overrides_(std::move(overrides)),
      allow_undeclared_(allow_undeclared),
      publish_event_(std::move(publish_event)) {}

const ParameterValue& NodeParametersInterface::declare_parameter(
    const std::string& name, const ParameterValue& default_value, Descriptor descriptor,
    bool ignore_override) {
  if (default_value.get_type() == PARAMETER_NOT_SET && !descriptor.dynamic_typing)
    throw exceptions::InvalidParameterTypeException(
        name, "cannot declare a statically typed parameter with an uninitialized value");
  if (!descriptor.dynamic_typing) descriptor.type = default_value.get_type();
  return declare(name, default_value, std::move(descriptor), ignore_override);
}

const ParameterValue& NodeParametersInterface::declare_parameter(const std::string& name,
                                                                 ParameterType type,
                                                                 Descriptor descriptor,
                                                                 bool ignore_override) {
  if (type == PARAMETER_NOT_SET)
    throw std::invalid_argument("declare_parameter(): the type must be set");
  if (descriptor.dynamic_typing)
    throw std::invalid_argument(
        "declare_parameter(): cannot give a type to a dynamically typed parameter");
  descriptor.type = type;
  return declare(name, ParameterValue(), std::move(descriptor), ignore_override);
}

const ParameterValue& NodeParametersInterface::declare(const std::string& name,
                                                       const ParameterValue& initial,
                                                       Descriptor descriptor,
                                                       bool ignore_override) {
  const std::lock_guard<std::recursive_mutex> lock(mutex_);
  refuse_inside_callback();
  if (name.empty())
    throw exceptions::InvalidParametersException("parameter name must not be empty");
  if (parameters_.count(name) > 0)
    throw exceptions::ParameterAlreadyDeclaredException("parameter '" + name +
                                                        "' has already been declared");

  const auto overriding = overrides_.find(name);
  const bool overridden = !ignore_override && overriding != overrides_.end();
  const Parameter parameter(name, overridden ? overriding->second : initial);
  descriptor.name = name;
  std::map<std::string, Declared> candidate = {
      {name, {parameter.get_parameter_value(), descriptor}}};
  if (parameter.get_type() != PARAMETER_NOT_SET) {
    if (const Result type = check_type(parameter, descriptor); !type.successful)
      throw exceptions::InvalidParameterTypeException(name, type.reason);
    candidate[name].descriptor.read_only = false;  // the first value may always be set
    if (const Result result = check_and_ask({parameter}, candidate); !result.successful)
      throw exceptions::InvalidParameterValueException("parameter '" + name +
                                                       "' could not be set: " + result.reason);
  }
  if (descriptor.dynamic_typing) descriptor.type = parameter.get_type();
  const auto& declared =
      parameters_.emplace(name, Declared{parameter.get_parameter_value(), descriptor})
          .first->second;
  if (parameter.get_type() != PARAMETER_NOT_SET) {
    for (const auto& handle : living(post_set_)) handle->callback({parameter});
    rcl_interfaces::msg::ParameterEvent event;
    event.new_parameters.push_back(parameter.to_parameter_msg());
    publish_event_(std::move(event));
  }
  return declared.value;
}

void NodeParametersInterface::undeclare_parameter(const std::string& name) {
  const std::lock_guard<std::recursive_mutex> lock(mutex_);
  refuse_inside_callback();
  const auto found = parameters_.find(name);
  if (found == parameters_.end())
    throw exceptions::ParameterNotDeclaredException("cannot undeclare parameter '" + name +
                                                    "' which has not yet been declared");
  if (found->second.descriptor.read_only)
    throw exceptions::ParameterImmutableException("cannot undeclare parameter '" + name +
                                                  "' because it is read-only");
  if (!found->second.descriptor.dynamic_typing)
    throw exceptions::InvalidParameterTypeException(
        name, "cannot undeclare a statically typed parameter");
  parameters_.erase(found);
}

bool NodeParametersInterface::has_parameter(const std::string& name) const {
  const std::lock_guard<std::recursive_mutex> lock(mutex_);
  return find(name) != nullptr;
}

const NodeParametersInterface::Declared* NodeParametersInterface::find(
    const std::string& name) const {
  const auto found = parameters_.find(name);
  return found == parameters_.end() ? nullptr : &found->second;
}

void NodeParametersInterface::refuse_inside_callback() const {
  if (in_callback_)
    throw exceptions::ParameterModifiedInCallbackException(
        "cannot set or declare a parameter, or change the callbacks, from within a parameter "
        "callback");
}

Result NodeParametersInterface::check_and_ask(const std::vector<Parameter>& parameters,
                                              const std::map<std::string, Declared>& declared) {
  for (const auto& parameter : parameters) {
    const Descriptor& descriptor = declared.at(parameter.get_name()).descriptor;
    if (descriptor.read_only)
      return failure("parameter '" + parameter.get_name() +
                     "' cannot be set because it is read-only");
    for (const Result& result :
         {check_type(parameter, descriptor), check_range(parameter, descriptor)})
      if (!result.successful) return result;
  }
  const CallbackScope scope(in_callback_);
  for (const auto& handle : living(on_set_))
    if (Result result = handle->callback(parameters); !result.successful) return result;
  return success();
}

std::vector<Result> NodeParametersInterface::set_parameters(
    const std::vector<Parameter>& parameters) {
  std::vector<Result> results;
  for (const auto& parameter : parameters)
    results.push_back(set_parameters_atomically({parameter}));
  return results;
}

Result NodeParametersInterface::set_parameters_atomically(std::vector<Parameter> parameters) {
  const std::lock_guard<std::recursive_mutex> lock(mutex_);
  refuse_inside_callback();
  {
    const CallbackScope scope(in_callback_);
    for (const auto& handle : living(pre_set_)) handle->callback(parameters);
  }
  auto updated = parameters_;
  for (const auto& parameter : parameters) {
    if (updated.count(parameter.get_name()) > 0) continue;
    if (!allow_undeclared_)
      throw exceptions::ParameterNotDeclaredException(
          "parameter '" + parameter.get_name() + "' cannot be set because it was not declared");
    Descriptor descriptor;
    descriptor.name = parameter.get_name();
    descriptor.dynamic_typing = true;
    updated[parameter.get_name()].descriptor = descriptor;
  }
  if (Result result = check_and_ask(parameters, updated); !result.successful) return result;

  rcl_interfaces::msg::ParameterEvent event;
  for (const auto& parameter : parameters) {
    const std::string& name = parameter.get_name();
    const auto message = parameter.to_parameter_msg();
    const bool known =
        parameters_.count(name) > 0 && parameters_[name].value.get_type() != PARAMETER_NOT_SET;
    if (parameter.get_type() == PARAMETER_NOT_SET) {  // only dynamically typed ones come this far
      updated.erase(name);
      if (known) event.deleted_parameters.push_back(message);
      continue;
    }
    updated[name].value = parameter.get_parameter_value();
    updated[name].descriptor.type = parameter.get_type();
    (known ? event.changed_parameters : event.new_parameters).push_back(message);
  }
  parameters_ = std::move(updated);
  for (const auto& handle : living(post_set_)) handle->callback(parameters);
  publish_event_(std::move(event));
  return success();
}

Parameter NodeParametersInterface::get_parameter(const std::string& name) const {
  const std::lock_guard<std::recursive_mutex> lock(mutex_);
  const Declared* declared = find(name);
  if (!declared) {
    if (allow_undeclared_) return Parameter(name);
    throw exceptions::ParameterNotDeclaredException("parameter '" + name + "' is not declared");
  }
  if (declared->value.get_type() == PARAMETER_NOT_SET && !declared->descriptor.dynamic_typing)
    throw exceptions::ParameterUninitializedException(name);
  return {name, declared->value};
}

bool NodeParametersInterface::get_parameter(const std::string& name, Parameter& parameter) const {
  const std::lock_guard<std::recursive_mutex> lock(mutex_);
  const Declared* declared = find(name);
  if (!declared || declared->value.get_type() == PARAMETER_NOT_SET) return false;
  parameter = Parameter(name, declared->value);
  return true;
}

std::vector<Parameter> NodeParametersInterface::get_parameters(
    const std::vector<std::string>& names) const {
  const std::lock_guard<std::recursive_mutex> lock(mutex_);
  std::vector<Parameter> parameters;
  for (const auto& name : names) parameters.push_back(get_parameter(name));
  return parameters;
}

bool NodeParametersInterface::get_parameters_by_prefix(
    const std::string& prefix, std::map<std::string, Parameter>& parameters) const {
  const std::lock_guard<std::recursive_mutex> lock(mutex_);
  const std::string start = prefix.empty() ? "" : prefix + ".";
  bool found = false;
  for (const auto& [name, declared] : parameters_) {
    if (name.compare(0, start.size(), start) != 0 || name.size() == start.size()) continue;
    parameters[name.substr(start.size())] = Parameter(name, declared.value);
    found = true;
  }
  return found;
}

std::vector<Descriptor> NodeParametersInterface::describe_parameters(
    const std::vector<std::string>& names) const {
  const std::lock_guard<std::recursive_mutex> lock(mutex_);
  std::vector<Descriptor> descriptors;
  for (const auto& name : names) {
    const Declared* declared = find(name);
    if (!declared && !allow_undeclared_)
      throw exceptions::ParameterNotDeclaredException("parameter '" + name + "' is not declared");
    descriptors.push_back(declared ? declared->descriptor : Descriptor());
    descriptors.back().name = name;
  }
  return descriptors;
}

std::vector<std::uint8_t> NodeParametersInterface::get_parameter_types(
    const std::vector<std::string>& names) const {
  const std::lock_guard<std::recursive_mutex> lock(mutex_);
  std::vector<std::uint8_t> types;
  for (const auto& name : names) {
    const Declared* declared = find(name);
    if (!declared && !allow_undeclared_)
      throw exceptions::ParameterNotDeclaredException("parameter '" + name + "' is not declared");
    types.push_back(declared ? declared->value.get_type() : PARAMETER_NOT_SET);
  }
  return types;
}

rcl_interfaces::msg::ListParametersResult NodeParametersInterface::list_parameters(
    const std::vector<std::string>& prefixes, std::uint64_t depth) const {
  const std::lock_guard<std::recursive_mutex> lock(mutex_);
  const auto dots = [](const std::string& text) {
    return static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '.'));
  };
  const auto wanted = [&](const std::string& name) {
    if (prefixes.empty()) return depth == 0 || dots(name) < depth;
    return std::any_of(prefixes.begin(), prefixes.end(), [&](const std::string& prefix) {
      if (name == prefix) return true;
      if (name.compare(0, prefix.size() + 1, prefix + ".") != 0) return false;
      return depth == 0 || dots(name.substr(prefix.size() + 1)) < depth;
    });
  };
  rcl_interfaces::msg::ListParametersResult result;
  for (const auto& [name, declared] : parameters_) {
    if (!wanted(name)) continue;
    result.names.push_back(name);
    const auto dot = name.rfind('.');
    if (dot == std::string::npos) continue;
    const std::string prefix = name.substr(0, dot);
    if (std::find(result.prefixes.begin(), result.prefixes.end(), prefix) == result.prefixes.end())
      result.prefixes.push_back(prefix);
  }
  return result;
}

PreSetParametersCallbackHandle::SharedPtr NodeParametersInterface::add_pre_set_parameters_callback(
    PreSetParametersCallbackHandle::PreSetParametersCallbackType callback) {
  const std::lock_guard<std::recursive_mutex> lock(mutex_);
  refuse_inside_callback();
  return add(pre_set_, std::move(callback));
}

OnSetParametersCallbackHandle::SharedPtr NodeParametersInterface::add_on_set_parameters_callback(
    OnSetParametersCallbackHandle::OnSetParametersCallbackType callback) {
  const std::lock_guard<std::recursive_mutex> lock(mutex_);
  refuse_inside_callback();
  return add(on_set_, std::move(callback));
}

PostSetParametersCallbackHandle::SharedPtr
NodeParametersInterface::add_post_set_parameters_callback(
    PostSetParametersCallbackHandle::PostSetParametersCallbackType callback) {
  const std::lock_guard<std::recursive_mutex> lock(mutex_);
  refuse_inside_callback();
  return add(post_set_, std::move(callback));
}

void NodeParametersInterface::remove_pre_set_parameters_callback(
    const PreSetParametersCallbackHandle* handle) {
  const std::lock_guard<std::recursive_mutex> lock(mutex_);
  refuse_inside_callback();
  remove(pre_set_, handle);
}

void NodeParametersInterface::remove_on_set_parameters_callback(
    const OnSetParametersCallbackHandle* handle) {
  const std::lock_guard<std::recursive_mutex> lock(mutex_);
  refuse_inside_callback();
  remove(on_set_, handle);
}

void NodeParametersInterface::remove_post_set_parameters_callback(
    const PostSetParametersCallbackHandle* handle) {
  const std::lock_guard<std::recursive_mutex> lock(mutex_);
  refuse_inside_callback();
  remove(post_set_, handle);
}

}  // namespace rclcpp::node_interfaces
