#pragma once

#include <chrono>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <rcl/client.h>
#include <rosidl_typesupport_cpp/service_type_support.hpp>
#include <string>
#include <utility>
#include <variant>

#include "rclcpp/detail/entity.hpp"
#include "rclcpp/node_interfaces/node_base_interface.hpp"
#include "rclcpp/qos.hpp"

namespace rclcpp {

class ClientBase : public detail::Entity {
 public:
  RCLCPP_SMART_PTR_ALIASES_ONLY(ClientBase);

  ClientBase(node_interfaces::NodeBaseInterface& node, const std::string& name,
             const rosidl_service_type_support_t& type, const QoS& qos);
  ~ClientBase() override;
  RCLCPP_DISABLE_COPY(ClientBase);

  const char* get_service_name() const;
  bool service_is_ready() const;

  /// False where the service did not come in time, or ROS was shut down; a negative timeout waits
  /// for ever.
  template <class Rep = std::int64_t, class Period = std::milli>
  bool wait_for_service(
      std::chrono::duration<Rep, Period> timeout = std::chrono::duration<Rep, Period>(-1)) {
    return wait_for_service_ns(std::chrono::duration_cast<std::chrono::nanoseconds>(timeout));
  }

  Kind kind() const override { return Kind::kClient; }
  void add_to(rcl_wait_set_t& set) override;
  bool is_ready(const rcl_wait_set_t& set) const override { return set.clients[index_] != nullptr; }

 protected:
  std::int64_t send(const void* request);
  bool take(void* response, rmw_request_id_t& id);

 private:
  bool wait_for_service_ns(std::chrono::nanoseconds timeout);

  Context::SharedPtr context_;
  std::shared_ptr<rcl_node_t> node_;
  rcl_client_t client_;
};

namespace detail {

template <class FutureT>
struct FutureAndRequestId {
  FutureT future;
  std::int64_t request_id;

  operator FutureT&() { return future; }
  auto get() { return future.get(); }
  bool valid() const noexcept { return future.valid(); }
  void wait() const { future.wait(); }
  template <class Rep, class Period>
  std::future_status wait_for(const std::chrono::duration<Rep, Period>& timeout) const {
    return future.wait_for(timeout);
  }
};

}  // namespace detail

template <class ServiceT>
class Client : public ClientBase {
 public:
  RCLCPP_SMART_PTR_ALIASES_ONLY(Client<ServiceT>);
  using Request = typename ServiceT::Request;
  using Response = typename ServiceT::Response;
  using SharedRequest = std::shared_ptr<Request>;
  using SharedResponse = std::shared_ptr<Response>;
  using Promise = std::promise<SharedResponse>;
  using Future = std::future<SharedResponse>;
  using SharedFuture = std::shared_future<SharedResponse>;
  using CallbackType = std::function<void(SharedFuture)>;

  struct FutureAndRequestId : detail::FutureAndRequestId<Future> {
    SharedFuture share() noexcept { return this->future.share(); }
  };
  struct SharedFutureAndRequestId : detail::FutureAndRequestId<SharedFuture> {};

  Client(node_interfaces::NodeBaseInterface& node, const std::string& name, const QoS& qos)
      : ClientBase(node, name, *rosidl_typesupport_cpp::get_service_type_support_handle<ServiceT>(),
                   qos) {}

  FutureAndRequestId async_send_request(SharedRequest request) {
    Pending pending;
    Future future = pending.promise.get_future();
    const std::int64_t id = add(*request, std::move(pending));
    return {{std::move(future), id}};
  }

  /// The callback is called by the executor.
  template <class Callback>
  SharedFutureAndRequestId async_send_request(SharedRequest request, Callback&& callback) {
    Pending pending;
    SharedFuture future = pending.promise.get_future().share();
    pending.answered = [future, callback = CallbackType(std::forward<Callback>(callback))] {
      callback(future);
    };
    const std::int64_t id = add(*request, std::move(pending));
    return {{std::move(future), id}};
  }

  /// Requests without an answer are kept until they are removed.
  bool remove_pending_request(std::int64_t id) {
    const std::lock_guard<std::mutex> lock(mutex_);
    return pending_.erase(id) > 0;
  }
  bool remove_pending_request(const FutureAndRequestId& future) {
    return remove_pending_request(future.request_id);
  }
  bool remove_pending_request(const SharedFutureAndRequestId& future) {
    return remove_pending_request(future.request_id);
  }
  std::size_t prune_pending_requests() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return std::exchange(pending_, {}).size();
  }

  void execute() override {
    auto response = std::make_shared<Response>();
    rmw_request_id_t id;
    if (!take(response.get(), id)) return;
    Pending pending;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      auto node = pending_.extract(id.sequence_number);
      if (node.empty()) return;  // removed while its answer was on the way
      pending = std::move(node.mapped());
    }
    pending.promise.set_value(std::move(response));
    if (pending.answered) pending.answered();
  }

 private:
  struct Pending {
    Promise promise;
    std::function<void()> answered;
  };

  // Under the lock: the answer may come before send() has returned.
  std::int64_t add(const Request& request, Pending pending) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const std::int64_t id = send(&request);
    pending_.emplace(id, std::move(pending));
    return id;
  }

  std::mutex mutex_;
  std::map<std::int64_t, Pending> pending_;
};

}  // namespace rclcpp
