#include "io/isolated.h"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <string_view>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pointpng/error.h"

namespace pointpng {
namespace {

enum ExitStatus { kDone = 0, kInputError = 2, kFailed = 3 };

/// An in-memory file: the child writes it, the parent reads it after the child has exited.
class SharedMemory {
 public:
  SharedMemory() : descriptor_(::memfd_create("pointpng", MFD_CLOEXEC)) {
    if (descriptor_ < 0) throw Error("no memory to share with another process");
  }
  ~SharedMemory() { ::close(descriptor_); }
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  bool write(std::string_view content) const {
    while (!content.empty()) {
      const ssize_t written = ::write(descriptor_, content.data(), content.size());
      if (written <= 0) return false;
      content.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
  }

  std::string read() const {
    const off_t size = ::lseek(descriptor_, 0, SEEK_END);
    std::string content(static_cast<std::size_t>(size), '\0');
    std::size_t position = 0;
    while (position < content.size()) {
      const ssize_t got = ::pread(descriptor_, content.data() + position, content.size() - position,
                                  static_cast<off_t>(position));
      if (got <= 0) throw Error("no memory to share with another process");
      position += static_cast<std::size_t>(got);
    }
    return content;
  }

 private:
  int descriptor_;
};

/// A crash is expected here: no core file, no signal handlers of the program, nothing on stderr.
void prepare_child(int cpu_seconds) {
  for (const int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGXCPU})
    ::signal(signal, SIG_DFL);
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
  const auto seconds = static_cast<rlim_t>(cpu_seconds);
  const rlimit time{seconds, seconds + 1};
  ::setrlimit(RLIMIT_CPU, &time);
  const int null = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (null >= 0) ::dup2(null, STDERR_FILENO);
}

[[noreturn]] void run_child(const std::function<std::string()>& work, const SharedMemory& memory) {
  try {
    ::_exit(memory.write(work()) ? kDone : kFailed);
  } catch (const InputError& error) {
    ::_exit(memory.write(error.what()) ? kInputError : kFailed);
  } catch (...) {
    ::_exit(kFailed);
  }
}

}  // namespace

std::optional<std::string> run_isolated(const std::function<std::string()>& work, int cpu_seconds) {
  const SharedMemory memory;
  const pid_t child = ::fork();
  if (child < 0) throw Error("can't start another process");
  if (child == 0) {
    prepare_child(cpu_seconds);
    run_child(work, memory);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status)) return std::nullopt;
  if (WEXITSTATUS(status) == kInputError) throw InputError(memory.read());
  if (WEXITSTATUS(status) != kDone) return std::nullopt;
  return memory.read();
}

}  // namespace pointpng
