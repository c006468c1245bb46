#include <atomic>
#include <future>
#include <std_msgs/msg/string.hpp>
#include <thread>

#include "ros_test.hpp"

namespace underlay_tests {
namespace {

using rclcpp::CallbackGroupType;
using Executors = RosTest;

/// Spins in a thread of its own until it goes.
class Background {
 public:
  explicit Background(rclcpp::Executor& executor)
      : executor_(executor), thread_([&] { executor.spin(); }) {
    while (!executor.is_spinning()) std::this_thread::yield();
  }
  ~Background() {
    executor_.cancel();
    thread_.join();
  }

 private:
  rclcpp::Executor& executor_;
  std::thread thread_;
};

bool wait_until(const std::function<bool()>& condition) {
  for (int i = 0; i < 5000 && !condition(); ++i) std::this_thread::sleep_for(1ms);
  return condition();
}

/// Counts how many callbacks run at once.
struct Meeting {
  void operator()() {
    const int now = ++inside;
    int seen = most.load();
    while (now > seen && !most.compare_exchange_weak(seen, now)) {
    }
    std::this_thread::sleep_for(5ms);
    --inside;
    ++calls;
  }
  std::atomic<int> inside{0};
  std::atomic<int> most{0};
  std::atomic<int> calls{0};
};

TEST_F(Executors, ASlowCallbackDoesNotDelayAnotherGroup) {
  const auto node = std::make_shared<rclcpp::Node>("n");
  const auto slow_group = node->create_callback_group(CallbackGroupType::MutuallyExclusive);
  std::promise<void> release;
  std::atomic<bool> slow_started{false};
  std::atomic<int> fast{0};
  const auto slow = node->create_wall_timer(
      1ms,
      [&, released = release.get_future().share()] {
        slow_started = true;
        released.wait();
      },
      slow_group);
  const auto quick = node->create_wall_timer(1ms, [&] { ++fast; });
  rclcpp::executors::MultiThreadedExecutor executor(rclcpp::ExecutorOptions(), 2);
  executor.add_node(node);
  const Background background(executor);
  ASSERT_TRUE(wait_until([&] { return slow_started.load(); }));
  const int before = fast;
  EXPECT_TRUE(wait_until([&] { return fast > before + 20; }));
  release.set_value();
}

TEST_F(Executors, MutuallyExclusiveCallbacksNeverMeetAndReentrantOnesDo) {
  for (const auto type : {CallbackGroupType::MutuallyExclusive, CallbackGroupType::Reentrant}) {
    const auto node = std::make_shared<rclcpp::Node>("n");
    const auto group = node->create_callback_group(type);
    Meeting meeting;
    std::vector<rclcpp::TimerBase::SharedPtr> timers;
    for (int i = 0; i < 3; ++i)
      timers.push_back(node->create_wall_timer(
          1ms, [&] { meeting(); }, group));
    rclcpp::executors::MultiThreadedExecutor executor(rclcpp::ExecutorOptions(), 4);
    executor.add_node(node);
    {
      const Background background(executor);
      ASSERT_TRUE(wait_until([&] { return meeting.calls > 30; }));
    }
    if (type == CallbackGroupType::MutuallyExclusive)
      EXPECT_EQ(meeting.most, 1);
    else
      EXPECT_GT(meeting.most, 1);
  }
}

TEST_F(Executors, NoticeWhatIsCreatedWhileTheySpin) {
  const auto node = std::make_shared<rclcpp::Node>("n");
  rclcpp::executors::MultiThreadedExecutor executor;
  executor.add_node(node);
  const Background background(executor);
  std::atomic<int> ticks{0};
  const auto timer = node->create_wall_timer(1ms, [&] { ++ticks; });
  EXPECT_TRUE(wait_until([&] { return ticks > 0; }));
  const auto group = node->create_callback_group(CallbackGroupType::MutuallyExclusive);
  std::atomic<int> late{0};
  const auto in_new_group = node->create_wall_timer(
      1ms, [&] { ++late; }, group);
  EXPECT_TRUE(wait_until([&] { return late > 0; }));
}

TEST_F(Executors, SpinSomeDoesWhatIsReadyAndReturns) {
  const auto node = std::make_shared<rclcpp::Node>("n");
  int first = 0;
  int second = 0;
  const auto a = node->create_wall_timer(0ms, [&] { ++first; });
  const auto b = node->create_wall_timer(0ms, [&] { ++second; });
  rclcpp::executors::SingleThreadedExecutor executor;
  executor.add_node(node);
  std::this_thread::sleep_for(1ms);
  executor.spin_some();
  EXPECT_EQ(first, 1);
  EXPECT_EQ(second, 1);
}

TEST_F(Executors, WaitForAFutureUpToATimeout) {
  const auto node = std::make_shared<rclcpp::Node>("n");
  std::promise<int> promise;
  const auto future = promise.get_future().share();
  EXPECT_EQ(rclcpp::spin_until_future_complete(node, future, 20ms),
            rclcpp::FutureReturnCode::TIMEOUT);
  const auto timer = node->create_wall_timer(5ms, [&](rclcpp::TimerBase& self) {
    promise.set_value(7);
    self.cancel();
  });
  EXPECT_EQ(rclcpp::spin_until_future_complete(node, future, 15s),
            rclcpp::FutureReturnCode::SUCCESS);
  EXPECT_EQ(future.get(), 7);
}

TEST_F(Executors, EndWithTheShutdown) {
  const auto node = std::make_shared<rclcpp::Node>("n");
  const auto told = std::make_shared<bool>(false);  // the callback outlives this test
  rclcpp::on_shutdown([told] { *told = true; });
  std::thread later([] {
    std::this_thread::sleep_for(50ms);
    rclcpp::shutdown();
  });
  rclcpp::spin(node);
  later.join();
  EXPECT_FALSE(rclcpp::ok());
  EXPECT_TRUE(*told);
}

TEST_F(Executors, OfManyThreadsEndWithTheShutdown) {
  const auto node = std::make_shared<rclcpp::Node>("n");
  rclcpp::executors::MultiThreadedExecutor executor(rclcpp::ExecutorOptions(), 4);
  executor.add_node(node);
  std::thread later([] {
    std::this_thread::sleep_for(50ms);
    rclcpp::shutdown();
  });
  executor.spin();
  later.join();
}

TEST_F(Executors, HaveANodeToThemselves) {
  const auto node = std::make_shared<rclcpp::Node>("n");
  rclcpp::executors::SingleThreadedExecutor first;
  rclcpp::executors::SingleThreadedExecutor second;
  first.add_node(node);
  EXPECT_THROW(second.add_node(node), std::runtime_error);
  first.remove_node(node);
  EXPECT_NO_THROW(second.add_node(node));
}

TEST_F(Executors, PassOnExceptionsOfCallbacks) {
  const auto node = std::make_shared<rclcpp::Node>("n");
  const auto timer =
      node->create_wall_timer(1ms, [] { throw std::logic_error("from a callback"); });
  EXPECT_THROW(rclcpp::spin(node), std::logic_error);
}

}  // namespace
}  // namespace underlay_tests
