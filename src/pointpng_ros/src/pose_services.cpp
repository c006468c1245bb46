#include "pose_services.h"

#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "alignment_messages.h"
#include "cloud_messages.h"
#include "pointpng/error.h"
#include "pointpng/io.h"

namespace pointpng_ros {

PoseServices::PoseServices(rclcpp::Node& node, const PoseNodeConfig& config, PoseEngine& engine,
                           Statistics& statistics)
    : engine_(engine) {
  align_ = offer<Align>(
      node, "~/align", &PoseServices::align,
      [](Align::Response& response, const char* why) { response.alignment.reason = why; });
  set_reference_ = offer<SetReference>(
      node, "~/set_reference", &PoseServices::set_reference,
      [](SetReference::Response& response, const char* why) { response.message = why; });
  if (config.mode != "reference") return;
  auto qos = rclcpp::QoS(1).reliable().transient_local();
  if (!config.reference_latched) qos = rclcpp::SensorDataQoS();
  references_ = node.create_subscription<CloudMessage>(
      "reference", qos,
      [this, &statistics, logger = node.get_logger()](CloudMessage::ConstSharedPtr cloud) {
        jobs_.add([this, &statistics, logger, cloud = std::move(cloud)] {
          try {
            engine_.set_reference(to_stamped_cloud(*cloud), "the cloud of the topic 'reference'");
          } catch (const std::exception& wrong) {
            statistics.unusable(wrong.what());
            RCLCPP_WARN(logger, "the reference was not taken: %s", wrong.what());
          }
        });
      });
}

template <class Service, class Answer, class Fail>
typename rclcpp::Service<Service>::SharedPtr PoseServices::offer(rclcpp::Node& node,
                                                                 const std::string& name,
                                                                 Answer answer, Fail fail) {
  return node.create_service<Service>(
      name, [this, answer, fail](const std::shared_ptr<rclcpp::Service<Service>>& service,
                                 const std::shared_ptr<rmw_request_id_t>& id,
                                 const std::shared_ptr<typename Service::Request>& request) {
        jobs_.add([this, answer, fail, service, id, request] {
          typename Service::Response response;
          try {
            (this->*answer)(*request, response);
          } catch (const std::exception& wrong) {
            response = typename Service::Response();
            fail(response, wrong.what());
          }
          service->send_response(*id, response);
        });
      });
}

void PoseServices::align(const Align::Request& request, Align::Response& response) {
  const auto start = std::chrono::steady_clock::now();
  std::optional<StampedCloud> target;
  if (request.target.width * request.target.height > 0) target = to_stamped_cloud(request.target);
  const StampedAlignment result = engine_.align_once(to_stamped_cloud(request.source), target);
  const std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - start;
  response.alignment = to_message(result, taken.count());
}

void PoseServices::set_reference(const SetReference::Request& request,
                                 SetReference::Response& response) {
  StampedCloud reference;
  std::string name = "the cloud of the service call";
  switch (request.source) {
    case SetReference::Request::CLOUD:
      reference = to_stamped_cloud(request.cloud);
      break;
    case SetReference::Request::FILE:
      reference.points = pointpng::load_cloud(request.file);
      name = request.file;
      break;
    case SetReference::Request::NEXT_CLOUD:
      engine_.set_reference_to_next_cloud();
      response.success = true;
      response.message = "the next cloud will be the reference";
      return;
    default:
      throw pointpng::InputError(fmt::format(
          "source must be 0 (cloud), 1 (file) or 2 (next cloud), got {}", request.source));
  }
  engine_.set_reference(reference, name);
  response.success = true;
  response.points = static_cast<std::uint32_t>(reference.points.rows());
  response.message = fmt::format("the reference is {}, {} points", name, response.points);
}

}  // namespace pointpng_ros
