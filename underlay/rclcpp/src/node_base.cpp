#include <algorithm>
#include <rcl/arguments.h>
#include <rcl/error_handling.h>
#include <rcl/logging.h>
#include <rcl/logging_rosout.h>
#include <rcl/node_options.h>

#include "logging_mutex.hpp"
#include "rclcpp/exceptions.hpp"
#include "rclcpp/node_interfaces/node_base_interface.hpp"

namespace rclcpp::node_interfaces {
namespace {

struct OwnedNodeOptions {
  explicit OwnedNodeOptions(const NodeOptions& wanted) {
    options.use_global_arguments = wanted.use_global_arguments();
    options.enable_rosout = wanted.enable_rosout();
    std::vector<const char*> arguments;
    for (const auto& argument : wanted.arguments()) arguments.push_back(argument.c_str());
    detail::check(rcl_parse_arguments(static_cast<int>(arguments.size()), arguments.data(),
                                      options.allocator, &options.arguments),
                  "failed to parse the node's arguments");
    if (rcl_arguments_get_count_unparsed_ros(&options.arguments) > 0) {
      detail::check_quietly(rcl_node_options_fini(&options), "failed to free node options");
      throw exceptions::UnknownROSArgsError(wanted.arguments());
    }
  }
  ~OwnedNodeOptions() {
    detail::check_quietly(rcl_node_options_fini(&options), "failed to free node options");
  }
  RCLCPP_DISABLE_COPY(OwnedNodeOptions);
  rcl_node_options_t options = rcl_node_get_default_options();
};

std::shared_ptr<rcl_node_t> make_node(const std::string& name, const std::string& name_space,
                                      const NodeOptions& wanted) {
  const auto context = wanted.context()->get_rcl_context();
  if (!context) throw std::runtime_error("call rclcpp::init() before creating a node");
  const OwnedNodeOptions owned(wanted);
  auto node = std::make_unique<rcl_node_t>(rcl_get_zero_initialized_node());
  detail::check(
      rcl_node_init(node.get(), name.c_str(), name_space.c_str(), context.get(), &owned.options),
      "failed to initialize rcl node");
  const bool rosout = rcl_logging_rosout_enabled() && wanted.enable_rosout();
  const auto delete_node = [context, rosout](rcl_node_t* gone) {
    if (rosout) {
      const std::lock_guard<std::recursive_mutex> lock(detail::logging_mutex());
      detail::check_quietly(rcl_logging_rosout_fini_publisher_for_node(gone),
                            "failed to leave /rosout");
    }
    detail::check_quietly(rcl_node_fini(gone), "failed to free the node");
    delete gone;
  };
  if (rosout) {
    const std::lock_guard<std::recursive_mutex> lock(detail::logging_mutex());
    detail::check(rcl_logging_rosout_init_publisher_for_node(node.get()), "failed to join /rosout");
  }
  return {node.release(), delete_node};
}

}  // namespace

NodeBaseInterface::NodeBaseInterface(const std::string& name, const std::string& name_space,
                                     const NodeOptions& options)
    : context_(options.context()),
      node_(make_node(name, name_space, options)),
      default_group_(
          std::make_shared<CallbackGroup>(CallbackGroupType::MutuallyExclusive, context_, true)),
      groups_{default_group_} {}

const char* NodeBaseInterface::get_name() const { return rcl_node_get_name(node_.get()); }

const char* NodeBaseInterface::get_namespace() const { return rcl_node_get_namespace(node_.get()); }

const char* NodeBaseInterface::get_fully_qualified_name() const {
  return rcl_node_get_fully_qualified_name(node_.get());
}

CallbackGroup::SharedPtr NodeBaseInterface::create_callback_group(CallbackGroupType type,
                                                                  bool add_with_node) {
  auto group = std::make_shared<CallbackGroup>(type, context_, add_with_node);
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    groups_.push_back(group);
  }
  default_group_->changed().trigger();  // the executor shall notice the new group
  return group;
}

bool NodeBaseInterface::callback_group_in_node(const CallbackGroup::SharedPtr& group) {
  const std::lock_guard<std::mutex> lock(mutex_);
  return std::any_of(groups_.begin(), groups_.end(),
                     [&](const auto& known) { return known.lock() == group; });
}

void NodeBaseInterface::for_each_callback_group(const CallbackGroupFunction& function) {
  std::vector<CallbackGroup::SharedPtr> living;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (const auto& known : groups_)
      if (auto group = known.lock()) living.push_back(std::move(group));
    groups_.assign(living.begin(), living.end());
  }
  for (const auto& group : living) function(group);
}

CallbackGroup& NodeBaseInterface::group_for(const CallbackGroup::SharedPtr& group) {
  if (!group) return *default_group_;
  if (!callback_group_in_node(group))
    throw std::runtime_error("cannot use a callback group that is not of this node");
  return *group;
}

std::string NodeBaseInterface::resolve_topic_or_service_name(const std::string& name,
                                                             bool is_service,
                                                             bool only_expand) const {
  char* resolved = nullptr;
  const rcl_allocator_t allocator = rcl_get_default_allocator();
  detail::check(rcl_node_resolve_name(node_.get(), name.c_str(), allocator, is_service, only_expand,
                                      &resolved),
                "failed to resolve name");
  std::string result(resolved);
  allocator.deallocate(resolved, allocator.state);
  return result;
}

}  // namespace rclcpp::node_interfaces
