#include "rclcpp/context.hpp"

#include <algorithm>
#include <rcl/error_handling.h>
#include <rcl/init.h>
#include <rcl/logging.h>
#include <rcl/rcl.h>

#include "logging_mutex.hpp"
#include "rclcpp/exceptions.hpp"

namespace rclcpp {
namespace {

std::mutex contexts_mutex;
std::vector<std::weak_ptr<Context>>& known_contexts() {
  static std::vector<std::weak_ptr<Context>> contexts;
  return contexts;
}

// rcl's output handler (console, file and /rosout) must not be entered by two threads at once.
void locked_output_handler(const rcutils_log_location_t* location, int severity, const char* name,
                           rcutils_time_point_value_t stamp, const char* format,
                           va_list* arguments) {
  const std::lock_guard<std::recursive_mutex> lock(detail::logging_mutex());
  rcl_logging_multiple_output_handler(location, severity, name, stamp, format, arguments);
}

// Logging belongs to the process: the first context configures it.
void configure_logging(const rcl_context_t& context) {
  static bool configured = false;
  const std::lock_guard<std::recursive_mutex> lock(detail::logging_mutex());
  if (configured) return;
  const rcl_allocator_t allocator = rcl_get_default_allocator();
  detail::check(rcl_logging_configure_with_output_handler(&context.global_arguments, &allocator,
                                                          locked_output_handler),
                "failed to configure logging");
  configured = true;
}

struct OwnedInitOptions {
  explicit OwnedInitOptions(const InitOptions& wanted) {
    detail::check(rcl_init_options_init(&options, rcl_get_default_allocator()),
                  "failed to make the init options");
    if (const auto domain_id = wanted.chosen_domain_id())
      detail::check(rcl_init_options_set_domain_id(&options, *domain_id),
                    "failed to set the domain");
  }
  ~OwnedInitOptions() {
    detail::check_quietly(rcl_init_options_fini(&options), "failed to free the init options");
  }
  RCLCPP_DISABLE_COPY(OwnedInitOptions);
  rcl_init_options_t options = rcl_get_zero_initialized_init_options();
};

void refuse_unknown_arguments(char const* const* argv, const rcl_arguments_t& arguments) {
  const int count = rcl_arguments_get_count_unparsed_ros(&arguments);
  if (count <= 0) return;
  const rcl_allocator_t allocator = rcl_get_default_allocator();
  int* indices = nullptr;
  detail::check(rcl_arguments_get_unparsed_ros(&arguments, allocator, &indices),
                "failed to get unknown ROS arguments");
  std::vector<std::string> unknown;
  for (int i = 0; i < count; ++i) unknown.emplace_back(argv[indices[i]]);
  allocator.deallocate(indices, allocator.state);
  throw exceptions::UnknownROSArgsError(std::move(unknown));
}

void delete_context(rcl_context_t* context) {
  if (rcl_context_is_valid(context))
    detail::check_quietly(rcl_shutdown(context), "failed to shut down");
  detail::check_quietly(rcl_context_fini(context), "failed to free the context");
  delete context;
}

}  // namespace

std::recursive_mutex& detail::logging_mutex() {
  static auto* mutex = new std::recursive_mutex;  // outlives every static object that may log
  return *mutex;
}

Context::~Context() {
  try {
    shutdown("the context is gone");
  } catch (const std::exception&) {
    // What rcl could not shut down, nobody can.
  }
}

void Context::init(int argc, char const* const* argv, const InitOptions& options) {
  const std::lock_guard<std::recursive_mutex> lock(init_mutex_);
  if (is_valid()) throw ContextAlreadyInitialized();
  const OwnedInitOptions rcl_options(options);
  auto* raw = new rcl_context_t(rcl_get_zero_initialized_context());
  if (const rcl_ret_t ret = rcl_init(argc, argv, &rcl_options.options, raw); ret != RCL_RET_OK) {
    delete raw;
    exceptions::throw_from_rcl_error(ret, "failed to initialize rcl");
  }
  std::shared_ptr<rcl_context_t> context(raw, delete_context);
  if (options.auto_initialize_logging()) configure_logging(*context);
  refuse_unknown_arguments(argv, context->global_arguments);
  options_ = options;
  {
    const std::lock_guard<std::mutex> handle_lock(handle_mutex_);
    rcl_context_ = std::move(context);
    reason_.clear();
  }
  const std::lock_guard<std::mutex> contexts_lock(contexts_mutex);
  auto& contexts = known_contexts();
  contexts.erase(std::remove_if(contexts.begin(), contexts.end(),
                                [this](const auto& known) {
                                  const auto context = known.lock();
                                  return !context || context.get() == this;
                                }),
                 contexts.end());
  contexts.push_back(weak_from_this());
}

std::shared_ptr<rcl_context_t> Context::rcl_context() const {
  const std::lock_guard<std::mutex> lock(handle_mutex_);
  return rcl_context_;
}

bool Context::is_valid() const {
  const auto context = rcl_context();
  return context && rcl_context_is_valid(context.get());
}

bool Context::shutdown(const std::string& reason) {
  const std::lock_guard<std::recursive_mutex> lock(init_mutex_);
  if (!is_valid()) return false;
  call_all(pre_shutdown_);
  detail::check(rcl_shutdown(rcl_context().get()), "failed to shut down");
  {
    const std::lock_guard<std::mutex> handle_lock(handle_mutex_);
    reason_ = reason;
  }
  call_all(on_shutdown_);
  return true;
}

std::string Context::shutdown_reason() const {
  const std::lock_guard<std::mutex> lock(handle_mutex_);
  return reason_;
}

std::size_t Context::get_domain_id() const {
  std::size_t domain_id = 0;
  detail::check(rcl_context_get_domain_id(rcl_context().get(), &domain_id),
                "failed to get the domain");
  return domain_id;
}

Context::OnShutdownCallback Context::on_shutdown(OnShutdownCallback callback) {
  add(on_shutdown_, callback);
  return callback;
}

OnShutdownCallbackHandle Context::add_on_shutdown_callback(OnShutdownCallback callback) {
  return add(on_shutdown_, std::move(callback));
}

bool Context::remove_on_shutdown_callback(const OnShutdownCallbackHandle& handle) {
  return remove(on_shutdown_, handle);
}

PreShutdownCallbackHandle Context::add_pre_shutdown_callback(PreShutdownCallback callback) {
  return add(pre_shutdown_, std::move(callback));
}

bool Context::remove_pre_shutdown_callback(const PreShutdownCallbackHandle& handle) {
  return remove(pre_shutdown_, handle);
}

ShutdownCallbackHandle Context::add(Callbacks& callbacks, ShutdownCallback callback) {
  const std::lock_guard<std::recursive_mutex> lock(callbacks_mutex_);
  callbacks.push_back(std::make_shared<ShutdownCallback>(std::move(callback)));
  ShutdownCallbackHandle handle;
  handle.callback = callbacks.back();
  return handle;
}

bool Context::remove(Callbacks& callbacks, const ShutdownCallbackHandle& handle) {
  const std::lock_guard<std::recursive_mutex> lock(callbacks_mutex_);
  const auto before = callbacks.size();
  callbacks.remove(handle.callback.lock());
  return callbacks.size() != before;
}

// Under the lock: once remove() has returned, the callback does not run any more.
void Context::call_all(const Callbacks& callbacks) {
  const std::lock_guard<std::recursive_mutex> lock(callbacks_mutex_);
  const Callbacks copy = callbacks;
  for (const auto& callback : copy) (*callback)();
}

std::vector<Context::SharedPtr> get_contexts() {
  const std::lock_guard<std::mutex> lock(contexts_mutex);
  std::vector<Context::SharedPtr> contexts;
  for (const auto& known : known_contexts())
    if (auto context = known.lock()) contexts.push_back(std::move(context));
  return contexts;
}

Context::SharedPtr contexts::get_global_default_context() {
  static const auto context = std::make_shared<Context>();
  return context;
}

}  // namespace rclcpp
