#pragma once

#include <functional>
#include <memory>
#include <rcl/service.h>
#include <rosidl_typesupport_cpp/service_type_support.hpp>
#include <string>
#include <type_traits>
#include <utility>

#include "rclcpp/detail/entity.hpp"
#include "rclcpp/node_interfaces/node_base_interface.hpp"
#include "rclcpp/qos.hpp"

namespace rclcpp {

class ServiceBase : public detail::Entity {
 public:
  RCLCPP_SMART_PTR_ALIASES_ONLY(ServiceBase);

  ServiceBase(node_interfaces::NodeBaseInterface& node, const std::string& name,
              const rosidl_service_type_support_t& type, const QoS& qos);
  ~ServiceBase() override;
  RCLCPP_DISABLE_COPY(ServiceBase);

  const char* get_service_name() const;

  Kind kind() const override { return Kind::kService; }
  void add_to(rcl_wait_set_t& set) override;
  bool is_ready(const rcl_wait_set_t& set) const override {
    return set.services[index_] != nullptr;
  }

 protected:
  bool take(void* request, rmw_request_id_t& id);
  void send(rmw_request_id_t& id, void* response);

 private:
  std::shared_ptr<rcl_node_t> node_;
  rcl_service_t service_;
};

template <class ServiceT>
class Service : public ServiceBase, public std::enable_shared_from_this<Service<ServiceT>> {
 public:
  RCLCPP_SMART_PTR_ALIASES_ONLY(Service<ServiceT>);
  using Request = typename ServiceT::Request;
  using Response = typename ServiceT::Response;

  template <class Callback>
  Service(node_interfaces::NodeBaseInterface& node, const std::string& name, Callback&& callback,
          const QoS& qos)
      : ServiceBase(node, name,
                    *rosidl_typesupport_cpp::get_service_type_support_handle<ServiceT>(), qos),
        handle_(handler(std::forward<Callback>(callback))) {}

  void execute() override {
    auto request = std::make_shared<Request>();
    auto id = std::make_shared<rmw_request_id_t>();
    if (take(request.get(), *id)) handle_(*this, std::move(id), std::move(request));
  }

  /// The answer of a callback that put it off.
  void send_response(rmw_request_id_t& id, Response& response) { send(id, &response); }

 private:
  using Handler =
      std::function<void(Service&, std::shared_ptr<rmw_request_id_t>, std::shared_ptr<Request>)>;
  using Id = std::shared_ptr<rmw_request_id_t>;
  using RequestPtr = std::shared_ptr<Request>;
  using ResponsePtr = std::shared_ptr<Response>;

  template <class Callback>
  static Handler handler(Callback callback) {
    if constexpr (std::is_invocable_v<Callback&, RequestPtr, ResponsePtr>) {
      return [=](Service& self, Id id, RequestPtr request) mutable {
        auto response = std::make_shared<Response>();
        callback(std::move(request), response);
        self.send(*id, response.get());
      };
    } else if constexpr (std::is_invocable_v<Callback&, Id, RequestPtr, ResponsePtr>) {
      return [=](Service& self, Id id, RequestPtr request) mutable {
        auto response = std::make_shared<Response>();
        callback(id, std::move(request), response);
        self.send(*id, response.get());
      };
    } else if constexpr (std::is_invocable_v<Callback&, std::shared_ptr<Service>, Id, RequestPtr>) {
      return [=](Service& self, Id id, RequestPtr request) mutable {
        callback(self.shared_from_this(), std::move(id), std::move(request));
      };
    } else if constexpr (std::is_invocable_v<Callback&, Id, RequestPtr>) {
      return [=](Service&, Id id, RequestPtr request) mutable {
        callback(std::move(id), std::move(request));
      };
    } else {
      static_assert(
          !sizeof(Callback),
          "a service's callback takes (request, response), (id, request, response), or to answer "
          "later (service, id, request) or (id, request), each as std::shared_ptr");
    }
  }

  Handler handle_;
};

}  // namespace rclcpp
