#include "cli/learn/local_processes.h"

#include <chrono>
#include <csignal>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <spawn.h>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include <fmt/format.h>

#include "pointpng/error.h"
#include "pointpng/io.h"

namespace pointpng::cli {
namespace {

using namespace std::chrono_literals;

constexpr auto kPatience = 10s;  // for processes that have finished to end

/// Pointers to strings, as exec takes them.
std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> all;
  for (std::string& text : strings) all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

std::vector<std::string> own_command_line() {
  const std::string text = read_file("/proc/self/cmdline");
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin < text.size(); begin = text.find('\0', begin) + 1)
    words.emplace_back(text.c_str() + begin);
  return words;
}

std::vector<std::string> environment_of(int rank, int count, int port) {
  std::vector<std::string> all = {fmt::format("RANK={}", rank),
                                  fmt::format("WORLD_SIZE={}", count),
                                  fmt::format("LOCAL_RANK={}", rank),
                                  fmt::format("LOCAL_WORLD_SIZE={}", count),
                                  "MASTER_ADDR=127.0.0.1",
                                  fmt::format("MASTER_PORT={}", port)};
  for (char** entry = environ; *entry != nullptr; ++entry) all.emplace_back(*entry);
  return all;  // of two values of a variable the first counts
}

/// The result is the first process's to print.
pid_t spawn_silent(std::vector<std::string> words, std::vector<std::string> environment) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t process = 0;
  const int failure = posix_spawn(&process, "/proc/self/exe", &actions, nullptr,
                                  pointers(words).data(), pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  if (failure != 0)
    throw Error(fmt::format("can't start another process: {}", std::strerror(failure)));
  return process;
}

}  // namespace

ProcessPlace LocalProcesses::place(int count) {
  ProcessPlace place;
  place.size = place.local_size = count;
  place.on_listening = [this, count](int port) { start(count, port); };
  return place;
}

void LocalProcesses::start(int count, int port) {
  for (int rank = 1; rank < count; ++rank)
    started_.push_back(spawn_silent(own_command_line(), environment_of(rank, count, port)));
}

LocalProcesses::~LocalProcesses() {
  const auto deadline =
      std::chrono::steady_clock::now() + (std::uncaught_exceptions() > 0 ? 0s : kPatience);
  for (const pid_t process : started_) {
    while (::waitpid(process, nullptr, WNOHANG) == 0) {
      if (std::chrono::steady_clock::now() >= deadline) ::kill(process, SIGKILL);
      std::this_thread::sleep_for(5ms);
    }
  }
}

}  // namespace pointpng::cli
