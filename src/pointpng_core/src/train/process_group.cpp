#include "train/process_group.h"

#include <fmt/format.h>

#include "base/stopwatch.h"
#include "pointpng/error.h"

#ifdef USE_C10D_GLOO

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <thread>

#include <torch/autograd.h>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>
#include <torch/version.h>
#ifdef USE_C10D_NCCL
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>
#endif

namespace pointpng {
namespace {

using namespace std::chrono_literals;
using Store = c10::intrusive_ptr<c10d::Store>;
#if TORCH_VERSION_MAJOR >= 2
using Collectives = c10::intrusive_ptr<c10d::Backend>;
#else
using Collectives = c10::intrusive_ptr<c10d::ProcessGroup>;
#endif

/// How long a process looks for the others at the start.
constexpr auto kSearch = 25s;
/// One that waits, for data or for the first to evaluate, may do so for long: what ends a wait is a
/// closed connection or a pulse that stops.
constexpr auto kLongestWait = std::chrono::hours(24);
constexpr auto kPulse = 1s;
constexpr int kMostMissed = 15;  // pulses of our own without one of another process
constexpr auto kGrace = 5s;      // for the main thread to notice by itself
constexpr auto kPoll = 20ms;

std::string key_of(const char* what, int rank) { return fmt::format("{}/{}", what, rank); }

std::string lost_sentence(const std::string& who) {
  return fmt::format(
      "{}, so this process ends too; the run is as its last checkpoint left it: go on with "
      "--resume",
      who);
}

c10d::TCPStoreOptions store_options(int port, bool listens) {
  c10d::TCPStoreOptions options;
  options.port = static_cast<std::uint16_t>(port);
  options.isServer = listens;
  options.waitWorkers = false;
  options.timeout = kSearch;
  return options;
}

c10::intrusive_ptr<c10d::TCPStore> listen(const ProcessPlace& place) {
  try {
    return c10::make_intrusive<c10d::TCPStore>(place.address, store_options(place.port, true));
  } catch (const std::exception&) {
    throw InputError(
        fmt::format("the first process can't listen on port {}: another program uses it, or this "
                    "machine is not {}; set MASTER_PORT and MASTER_ADDR to a free port and to the "
                    "machine of RANK 0",
                    place.port, place.address));
  }
}

Store connect(const ProcessPlace& place, int port) {
  const std::string prefix = place.agent.empty() ? "pointpng" : place.agent + "/pointpng";
  try {
    return c10::make_intrusive<c10d::PrefixStore>(
        prefix, c10::make_intrusive<c10d::TCPStore>(place.address, store_options(port, false)));
  } catch (const std::exception&) {
    throw InputError(
        fmt::format("no process listens at {}:{}; start the one with RANK=0 there within {} s, "
                    "with the same MASTER_ADDR and MASTER_PORT",
                    place.address, port, kSearch.count()));
  }
}

/// Shows the others that this process lives, and watches that they do.
class Pulse {
 public:
  Pulse(Store store, const ProcessPlace& place)
      : store_(std::move(store)), place_(place), thread_([this] { run(); }) {}

  ~Pulse() { stop(); }

  void stop() {
    {
      const std::scoped_lock lock(mutex_);
      stopping_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
  }

  /// Why the group is broken; empty while it is not.
  std::string problem() const {
    const std::scoped_lock lock(mutex_);
    return problem_;
  }

 private:
  /// Whether to stop.
  bool rest(std::chrono::milliseconds duration) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, duration, [&] { return stopping_; });
  }

  void run() {
    std::vector<std::int64_t> seen(static_cast<std::size_t>(place_.size), 0);
    std::vector<int> missed(seen.size(), 0);
    std::string who;
    do {
      who = look(seen, missed);
    } while (who.empty() && !rest(kPulse));
    if (who.empty()) return;
    {
      const std::scoped_lock lock(mutex_);
      problem_ = lost_sentence(who);
    }
    if (!rest(kGrace) && place_.on_lost) place_.on_lost(problem());
  }

  /// Who is gone; empty: nobody.
  std::string look(std::vector<std::int64_t>& seen, std::vector<int>& missed) {
    try {
      store_->add(key_of("pulse", place_.rank), 1);
      for (int rank = 0; rank < place_.size; ++rank) {
        const auto i = static_cast<std::size_t>(rank);
        const std::int64_t now = store_->add(key_of("pulse", rank), 0);
        missed[i] = now > seen[i] || now == 0 ? 0 : missed[i] + 1;  // 0: has not come yet
        seen[i] = now;
        if (missed[i] > kMostMissed)
          return fmt::format("process {} of {} has given no sign of life for {} s", rank,
                             place_.size, kMostMissed);
      }
      return {};
    } catch (const std::exception&) {
      return "the first process has ended";
    }
  }

  Store store_;
  ProcessPlace place_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool stopping_ = false;
  std::string problem_;
  std::thread thread_;
};

std::shared_ptr<::gloo::transport::Device> network(const std::string& address) {
  if (address == "127.0.0.1" || address == "localhost")
    return c10d::ProcessGroupGloo::createDeviceForHostname("127.0.0.1");
  if (const char* name = std::getenv("GLOO_SOCKET_IFNAME"))
    return c10d::ProcessGroupGloo::createDeviceForInterface(name);
  return c10d::ProcessGroupGloo::createDefaultDevice();
}

}  // namespace

class ProcessGroup::Connection {
 public:
  explicit Connection(const ProcessPlace& place) : place_(place), port_(place.port) {
    if (place.rank == 0 && place.agent.empty()) {
      server_ = listen(place);
      port_ = server_->getPort();
    }
    store_ = connect(place, port_);
    check_place();
    pulse_ = std::make_unique<Pulse>(connect(place, port_), place);
  }

  void join(torch::Device device) {
    if (place_.on_listening) place_.on_listening(port_);
    if (place_.rank == 0) find_all();
    const auto options = c10d::ProcessGroupGloo::Options::create(kLongestWait);
    options->devices.push_back(network(place_.address));
    guarded([&] {
      host_ =
          c10::make_intrusive<c10d::ProcessGroupGloo>(store_, place_.rank, place_.size, options);
#ifdef USE_C10D_NCCL
      if (device.is_cuda())
        gpu_ = c10::make_intrusive<c10d::ProcessGroupNCCL>(store_, place_.rank, place_.size);
#endif
    });
    (void)device;
  }

  void leave() {
    guarded([&] { return store_->add("leaving", 1); });
    while (guarded([&] { return store_->add("leaving", 0); }) < place_.size) pause();
    pulse_->stop();
    if (place_.rank > 0) {
      store_->add("left", 1);
    } else if (server_) {  // it must outlive the others' last call
      const auto deadline = std::chrono::steady_clock::now() + kGrace;
      while (store_->add("left", 0) < place_.size - 1 &&
             std::chrono::steady_clock::now() < deadline)
        std::this_thread::sleep_for(kPoll);
    }
  }

  void sum(Tensor& values) {
    exchange(values, [&](Tensor& here) {
      std::vector<Tensor> tensors{here};
      return collectives(here)->allreduce(tensors);
    });
  }

  void copy_from_first(Tensor& values) {
    exchange(values, [&](Tensor& here) {
      std::vector<Tensor> tensors{here};
      return collectives(here)->broadcast(tensors);
    });
  }

  Tensor gather(const Tensor& rows) {
    Tensor here = reachable(rows);
    auto sizes = here.sizes().vec();
    sizes[0] *= place_.size;
    Tensor all = torch::empty(sizes, here.options());
    std::vector<std::vector<Tensor>> parts{all.chunk(place_.size)};
    std::vector<Tensor> own{here};
    count(all, [&] { collectives(here)->allgather(parts, own)->wait(); });
    return all.to(rows.device());
  }

  std::int64_t bytes() const { return bytes_; }
  double seconds() const { return seconds_; }

 private:
  /// A second process of the same rank, or of another number of processes.
  void check_place() {
    guarded([&] {
      if (store_->add(key_of("rank", place_.rank), 1) > 1)
        throw InputError(fmt::format("two processes have RANK {}; give each its own", place_.rank));
      const std::string mine = std::to_string(place_.size);
      if (place_.rank == 0) store_->set("size", {mine.begin(), mine.end()});
      const std::vector<std::uint8_t> first = store_->get("size");
      if (!std::equal(first.begin(), first.end(), mine.begin(), mine.end()))
        throw InputError(fmt::format("WORLD_SIZE is {} here and {} in the first process", mine,
                                     std::string(first.begin(), first.end())));
    });
  }

  void find_all() {
    const auto deadline = std::chrono::steady_clock::now() + kSearch;
    for (int rank = 0; rank < place_.size; ++rank)
      while (guarded([&] { return store_->add(key_of("pulse", rank), 0); }) == 0) {
        if (std::chrono::steady_clock::now() > deadline)
          throw Error(fmt::format("process {} of {} did not come to {}:{} within {} s", rank,
                                  place_.size, place_.address, port_, kSearch.count()));
        pause();
      }
  }

  void pause() {
    if (const std::string problem = pulse_->problem(); !problem.empty()) throw Error(problem);
    std::this_thread::sleep_for(kPoll);
  }

  /// What c10d throws is about sockets; the user is told that a process is gone.
  template <class Action>
  auto guarded(Action action) -> decltype(action()) {
    try {
      return action();
    } catch (const Error&) {
      throw;
    } catch (const std::exception&) {
      const std::string known = pulse_ ? pulse_->problem() : "";
      if (!known.empty()) throw Error(known);
      throw Error(lost_sentence(fmt::format("another of the {} processes has ended", place_.size)));
    }
  }

  /// Without NCCL, tensors of a GPU go through the host.
  Tensor reachable(const Tensor& values) const {
    return values.is_cpu() || gpu_ ? values.contiguous() : values.cpu();
  }
  const Collectives& collectives(const Tensor& values) const {
    return values.is_cpu() ? host_ : gpu_;
  }

  template <class Action>
  void exchange(Tensor& values, Action action) {
    Tensor here = reachable(values.detach());
    count(here, [&] { action(here)->wait(); });
    if (here.data_ptr() != values.data_ptr()) values.detach().copy_(here);
  }

  template <class Action>
  void count(const Tensor& exchanged, Action action) {
    const Stopwatch started;
    guarded(action);
    bytes_ += static_cast<std::int64_t>(exchanged.nbytes());
    seconds_ += started.seconds();
  }

  ProcessPlace place_;
  int port_;
  c10::intrusive_ptr<c10d::TCPStore> server_;  // in the first process
  Store store_;
  std::unique_ptr<Pulse> pulse_;
  Collectives host_, gpu_;
  std::int64_t bytes_ = 0;
  double seconds_ = 0.0;
};

namespace {

struct GatherRows : torch::autograd::Function<GatherRows> {
  static Tensor forward(torch::autograd::AutogradContext* context, const Tensor& rows,
                        const std::function<Tensor(const Tensor&)>& gather,
                        const ProcessGroup* group) {
    context->saved_data["group"] = reinterpret_cast<std::int64_t>(group);
    return gather(rows);
  }

  static torch::autograd::tensor_list backward(torch::autograd::AutogradContext* context,
                                               torch::autograd::tensor_list gradients) {
    const auto* group = reinterpret_cast<const ProcessGroup*>(context->saved_data["group"].toInt());
    Tensor all = gradients[0].clone(torch::MemoryFormat::Contiguous);
    group->sum(all);
    return {all.chunk(group->size())[static_cast<std::size_t>(group->rank())], Tensor(), Tensor()};
  }
};

}  // namespace

ProcessGroup::ProcessGroup(const ProcessPlace& place)
    : place_(place), connection_(place.size > 1 ? std::make_unique<Connection>(place) : nullptr) {}

void ProcessGroup::join(torch::Device device) {
  if (connection_) connection_->join(device);
}

void ProcessGroup::leave() {
  if (connection_) connection_->leave();
}

Tensor ProcessGroup::gather(const Tensor& rows) const {
  if (!connection_) return rows;
  return GatherRows::apply(
      rows, [this](const Tensor& own) { return connection_->gather(own); }, this);
}

void ProcessGroup::sum(Tensor& values) const {
  if (connection_) connection_->sum(values);
}

void ProcessGroup::copy_from_first(Tensor& values) const {
  if (connection_) connection_->copy_from_first(values);
}

std::int64_t ProcessGroup::exchanged_bytes() const {
  return connection_ ? connection_->bytes() : 0;
}

double ProcessGroup::exchange_seconds() const { return connection_ ? connection_->seconds() : 0.0; }

#else  // a LibTorch without Gloo

namespace pointpng {

class ProcessGroup::Connection {};

ProcessGroup::ProcessGroup(const ProcessPlace& place) : place_(place) {
  if (place.size > 1)
    throw InputError(
        "this pointpng trains in one process only: it was built without Gloo; install libgloo-dev "
        "(or name a LibTorch that has it) and build again");
}

void ProcessGroup::join(torch::Device) {}
void ProcessGroup::leave() {}
Tensor ProcessGroup::gather(const Tensor& rows) const { return rows; }
void ProcessGroup::sum(Tensor&) const {}
void ProcessGroup::copy_from_first(Tensor&) const {}
std::int64_t ProcessGroup::exchanged_bytes() const { return 0; }
double ProcessGroup::exchange_seconds() const { return 0.0; }

#endif

ProcessGroup::ProcessGroup() = default;
ProcessGroup::~ProcessGroup() = default;

const ProcessGroup& ProcessGroup::alone() {
  static const ProcessGroup group;
  return group;
}

Tensor ProcessGroup::own_pairs(const Tensor& rows) const {
  if (size() == 1) return rows;
  return rows.unflatten(0, {2, size(), -1}).select(1, rank()).flatten(0, 1);
}

void ProcessGroup::average(Tensor& values) const {
  if (size() == 1) return;
  sum(values);
  values.detach().div_(size());
}

}  // namespace pointpng
