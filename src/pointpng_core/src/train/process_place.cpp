#include <charconv>
#include <cstdlib>
#include <string_view>

#include <fmt/format.h>

#include "pointpng/error.h"
#include "pointpng/training.h"

namespace pointpng {
namespace {

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

/// A number from the environment; `otherwise` where the variable is not set.
int number(const char* name, int least, int most, int otherwise) {
  const std::string_view text = variable(name);
  if (text.empty()) return otherwise;
  int value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc() || end != text.data() + text.size() || value < least || value > most)
    throw InputError(
        fmt::format("{} must be a number in [{}, {}], got '{}'", name, least, most, text));
  return value;
}

void require_set(const char* name) {
  if (variable(name).empty())
    throw InputError(fmt::format(
        "{} is not set; training in several processes needs RANK, WORLD_SIZE, MASTER_ADDR and "
        "MASTER_PORT, which torchrun sets (on one machine --processes does without them)",
        name));
}

}  // namespace

ProcessPlace place_from_environment() {
  constexpr int kMostProcesses = 4096, kLastPort = 65535;
  ProcessPlace place;
  if (variable("RANK").empty() && variable("WORLD_SIZE").empty()) return place;
  require_set("RANK");
  require_set("WORLD_SIZE");
  place.size = number("WORLD_SIZE", 1, kMostProcesses, 1);
  place.rank = number("RANK", 0, place.size - 1, 0);
  place.local_rank = number("LOCAL_RANK", 0, place.size - 1, 0);
  place.local_size = number("LOCAL_WORLD_SIZE", 1, place.size, 1);
  if (place.size == 1) return place;
  require_set("MASTER_ADDR");
  require_set("MASTER_PORT");
  place.address = variable("MASTER_ADDR");
  place.port = number("MASTER_PORT", 1, kLastPort, 0);
  // torchrun listens there itself, for all attempts of a job.
  if (variable("TORCHELASTIC_USE_AGENT_STORE") == "True")
    place.agent = fmt::format("/worker/attempt_{}", variable("TORCHELASTIC_RESTART_COUNT"));
  return place;
}

}  // namespace pointpng
