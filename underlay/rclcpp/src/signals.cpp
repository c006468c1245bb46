#include <atomic>
#include <mutex>
#include <semaphore.h>
#include <signal.h>
#include <thread>

#include "rclcpp/logging.hpp"
#include "rclcpp/utilities.hpp"

namespace rclcpp {
namespace {

// A signal handler may do next to nothing: it posts a semaphore, and a thread does the rest.
class SignalHandler {
 public:
  static SignalHandler& instance() {
    static SignalHandler handler;
    return handler;
  }

  bool install(SignalHandlerOptions signals) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (installed_ || signals == SignalHandlerOptions::None) return false;
    stopping_ = false;
    sem_init(&semaphore_, 0, 0);
    thread_ = std::thread([this] { run(); });
    if (signals != SignalHandlerOptions::SigTerm) take(SIGINT, old_int_);
    if (signals != SignalHandlerOptions::SigInt) take(SIGTERM, old_term_);
    installed_ = true;
    options_ = signals;
    return true;
  }

  bool uninstall() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!installed_) return false;
    if (options_ != SignalHandlerOptions::SigTerm) sigaction(SIGINT, &old_int_, nullptr);
    if (options_ != SignalHandlerOptions::SigInt) sigaction(SIGTERM, &old_term_, nullptr);
    installed_ = false;
    stopping_ = true;
    sem_post(&semaphore_);
    // A shutdown callback may call rclcpp::shutdown() on the handler's own thread.
    if (std::this_thread::get_id() == thread_.get_id())
      thread_.detach();
    else
      thread_.join();
    return true;
  }

  bool installed() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return installed_;
  }

 private:
  ~SignalHandler() { uninstall(); }

  static void on_signal(int signal) {
    last_signal_ = signal;
    sem_post(&semaphore_);
  }

  static void take(int signal, struct sigaction& old) {
    struct sigaction action = {};
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaction(signal, &action, &old);
  }

  void run() {
    while (true) {
      while (sem_wait(&semaphore_) != 0) {
      }
      if (stopping_) return;
      const int signal = last_signal_;
      if (signal == 0) continue;
      RCLCPP_INFO(get_logger("rclcpp"), "signal_handler(signum=%d)", signal);
      for (const auto& context : get_contexts())
        if (context->get_init_options().shutdown_on_signal) context->shutdown("signal handler");
    }
  }

  static inline sem_t semaphore_;
  static inline std::atomic<int> last_signal_{0};
  std::atomic<bool> stopping_{false};
  std::mutex mutex_;
  std::thread thread_;
  bool installed_ = false;
  SignalHandlerOptions options_ = SignalHandlerOptions::None;
  struct sigaction old_int_ = {};
  struct sigaction old_term_ = {};
};

}  // namespace

bool install_signal_handlers(SignalHandlerOptions signals) {
  return SignalHandler::instance().install(signals);
}

bool signal_handlers_installed() { return SignalHandler::instance().installed(); }

bool uninstall_signal_handlers() { return SignalHandler::instance().uninstall(); }

}  // namespace rclcpp
