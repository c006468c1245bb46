#include "rclcpp/callback_group.hpp"

#include "rclcpp/exceptions.hpp"

namespace rclcpp {

GuardCondition::GuardCondition(Context::SharedPtr context)
    : context_(context->get_rcl_context()),
      guard_condition_(rcl_get_zero_initialized_guard_condition()) {
  if (!context_) throw std::runtime_error("call rclcpp::init() first");
  detail::check(rcl_guard_condition_init(&guard_condition_, context_.get(),
                                         rcl_guard_condition_get_default_options()),
                "failed to create guard condition");
}

GuardCondition::~GuardCondition() {
  detail::check_quietly(rcl_guard_condition_fini(&guard_condition_),
                        "failed to free a guard condition");
}

void GuardCondition::trigger() {
  detail::check(rcl_trigger_guard_condition(&guard_condition_),
                "failed to trigger guard condition");
}

std::vector<std::shared_ptr<detail::Entity>> CallbackGroup::entities() {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<std::shared_ptr<detail::Entity>> living;
  std::vector<std::weak_ptr<detail::Entity>> still_known;
  for (const auto& known : entities_) {
    if (auto entity = known.lock()) {
      living.push_back(std::move(entity));
      still_known.push_back(known);
    }
  }
  entities_ = std::move(still_known);
  return living;
}

void CallbackGroup::add(const std::shared_ptr<detail::Entity>& entity) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    entities_.push_back(entity);
  }
  changed_.trigger();
}

}  // namespace rclcpp
