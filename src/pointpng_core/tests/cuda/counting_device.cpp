#include "cuda/counting_device.h"

#include <cstdlib>
#include <fstream>
#include <mutex>
#include <sys/mman.h>

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/EmptyTensor.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <ATen/native/CPUFallback.h>
#include <ATen/ops/_reshape_alias_native.h>
#include <ATen/ops/as_strided_native.h>
#include <ATen/ops/view_native.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <nlohmann/json.hpp>
#include <torch/library.h>
#include <torch/types.h>

#include "cuda/counting_fallback.h"

namespace counting {
namespace {

using at::Tensor;

constexpr auto kType = c10::DeviceType::CUDA;
const c10::Device kDevice(kType, 0);
const c10::DispatchKeySet kKeys(c10::DispatchKey::CUDA);

/// Everything that outlives the libraries that are unloaded at the end of the program.
struct State {
  std::recursive_mutex mutex;
  Counts counts;
  std::map<void*, std::size_t> memory;
  int open = 0;  // OpenMemory's that exist
  long left = -1;
};

State& state() {
  static auto* made = new State;
  return *made;
}

thread_local bool computing = false;  // copies are those of an operation on the CPU
thread_local c10::StreamId stream = 0;

// Memory
// -------------------------------------------------------------------------------------------

std::size_t whole_pages(std::size_t bytes) { return (bytes + 4095) / 4096 * 4096; }

int access() { return state().open > 0 ? PROT_READ | PROT_WRITE : PROT_NONE; }

void release(void* memory) {
  if (memory == nullptr) return;
  const std::scoped_lock lock(state().mutex);
  munmap(memory, state().memory.at(memory));
  state().memory.erase(memory);
}

struct Allocator : c10::Allocator {
  c10::DataPtr allocate(std::size_t bytes) const override {
    if (bytes == 0) return {nullptr, nullptr, &release, kDevice};
    const std::scoped_lock lock(state().mutex);
    const std::size_t size = whole_pages(bytes);
    void* memory = mmap(nullptr, size, access(), MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    TORCH_CHECK(memory != MAP_FAILED, "CUDA out of memory");
    state().memory[memory] = size;
    return {memory, memory, &release, kDevice};
  }
};

Allocator& allocator() {
  static auto* made = new Allocator;
  return *made;
}

void set_access(const Tensor& tensor, int how) {
  void* memory = tensor.is_cpu() ? nullptr : tensor.storage().data();
  if (memory != nullptr) mprotect(memory, state().memory.at(memory), how);
}

/// The same memory as a tensor of the CPU.
Tensor seen_by_host(const Tensor& tensor) {
  if (tensor.is_cpu()) return tensor;
  const auto storage = c10::make_intrusive<c10::StorageImpl>(
      c10::StorageImpl::use_byte_size_t(), tensor.storage().nbytes(),
      at::DataPtr(tensor.storage().data(), at::kCPU), nullptr, false);
  Tensor made = at::detail::make_tensor<c10::TensorImpl>(
      c10::Storage(storage), c10::DispatchKeySet(c10::DispatchKey::CPU), tensor.dtype());
  made.unsafeGetTensorImpl()->set_sizes_and_strides(tensor.sizes(), tensor.strides());
  made.unsafeGetTensorImpl()->set_storage_offset(tensor.storage_offset());
  return made;
}

// Operations that a device must have itself
// -------------------------------------------------------------------------------------------

void count_launch(const std::string& name) {
  State& all = state();
  TORCH_CHECK(all.left != 0, "CUDA error: the counting device was told to fail");
  if (all.left > 0) --all.left;
  ++all.counts.launches;
  ++all.counts.operations[name];
  if (stream != 0) ++all.counts.own_stream;
}

void count_copy(const Tensor& to, const Tensor& from, bool non_blocking) {
  if (computing) return;
  Counts& counts = state().counts;
  if (!from.is_cpu() && !to.is_cpu()) return count_launch("aten::copy_");
  ++(from.is_cpu() ? counts.copies_to_device : counts.copies_to_host);
  if (!non_blocking) ++counts.waits;
}

Tensor& copy(Tensor& to, const Tensor& from, bool non_blocking) {
  const std::scoped_lock lock(state().mutex);
  count_copy(to, from, non_blocking);
  for (const Tensor& tensor : {from, Tensor(to)}) set_access(tensor, PROT_READ | PROT_WRITE);
  {
    const at::AutoDispatchBelowAutograd below;
    seen_by_host(to).copy_(seen_by_host(from));
  }
  for (const Tensor& tensor : {from, Tensor(to)}) set_access(tensor, access());
  return to;
}

/// What the CPU computed replaces what an operation writes into.
Tensor copy_and_resize(const Tensor& from, const Tensor& to) {
  Tensor there = to;
  if (there.sizes() != from.sizes()) {
    const Tensor fresh = at::detail::empty_generic(from.sizes(), &allocator(), kKeys,
                                                   there.scalar_type(), c10::nullopt);
    there.unsafeGetTensorImpl()->set_storage_keep_dtype(fresh.storage());
    there.unsafeGetTensorImpl()->set_sizes_contiguous(from.sizes());
  }
  const bool before = std::exchange(computing, true);
  copy(there, from, false);
  computing = before;
  return to;
}

at::Scalar read_value(const Tensor& tensor) {
  Tensor value = at::empty({}, tensor.options().device(at::kCPU));
  copy(value, tensor, false);
  return value.item();
}

Tensor empty(c10::IntArrayRef size, c10::optional<at::ScalarType> type, c10::optional<at::Layout>,
             c10::optional<at::Device>, c10::optional<bool>,
             c10::optional<at::MemoryFormat> format) {
  return at::detail::empty_generic(size, &allocator(), kKeys, at::dtype_or_default(type), format);
}

Tensor empty_strided(c10::IntArrayRef size, c10::IntArrayRef stride,
                     c10::optional<at::ScalarType> type, c10::optional<at::Layout>,
                     c10::optional<at::Device>, c10::optional<bool>) {
  return at::detail::empty_strided_generic(size, stride, &allocator(), kKeys,
                                           at::dtype_or_default(type));
}

Tensor pin(const Tensor& tensor, c10::optional<at::Device>) {
  ++state().counts.pinned;
  return tensor.clone();
}

// The device's other parts
// -------------------------------------------------------------------------------------------

struct Generator : c10::GeneratorImpl {
  std::uint64_t seed_ = 0, draws = 0;
  Generator() : GeneratorImpl(kDevice, kKeys) {}
  void set_current_seed(std::uint64_t seed) override {
    seed_ = seed;
    draws = 0;
  }
  std::uint64_t current_seed() const override { return seed_; }
  std::uint64_t seed() override { return seed_; }
  void set_state(const c10::TensorImpl&) override {}
  c10::intrusive_ptr<c10::TensorImpl> get_state() const override {
    return at::empty({0}).getIntrusivePtr();
  }
  Generator* clone_impl() const override {
    auto* copied = new Generator;
    copied->seed_ = seed_;
    return copied;
  }
};

struct Guard final : c10::impl::DeviceGuardImplInterface {
  static constexpr c10::DeviceType static_type = kType;
  c10::DeviceType type() const override { return kType; }
  c10::Device exchangeDevice(c10::Device) const override { return kDevice; }
  c10::Device getDevice() const override { return kDevice; }
  void setDevice(c10::Device) const override {}
  void uncheckedSetDevice(c10::Device) const noexcept override {}
  c10::Stream getStream(c10::Device) const noexcept override { return numbered(stream); }
  c10::Stream getDefaultStream(c10::Device) const override { return numbered(0); }
  c10::Stream getStreamFromGlobalPool(c10::Device, bool) const override {
    static std::atomic<c10::StreamId> made = 0;
    return numbered(++made);
  }
  c10::Stream exchangeStream(c10::Stream next) const noexcept override {
    return numbered(std::exchange(stream, next.id()));
  }
  c10::DeviceIndex deviceCount() const noexcept override { return 1; }
  void record(void**, const c10::Stream&, const c10::DeviceIndex,
              const c10::EventFlag) const override {}
  void block(void*, const c10::Stream&) const override {}
  bool queryEvent(void*) const override { return true; }
  void destroyEvent(void*, const c10::DeviceIndex) const noexcept override {}

 private:
  static c10::Stream numbered(c10::StreamId id) {
    return c10::Stream(c10::Stream::UNSAFE, kDevice, id);
  }
};

/// A random number generator of the device becomes one of the CPU, different at every call.
c10::IValue generator_on_cpu(const c10::IValue& value, const std::string& name) {
  auto* given = dynamic_cast<Generator*>(value.toGenerator().unsafeGetGeneratorImpl());
  TORCH_CHECK(given != nullptr, name, ": a generator of the host on the device");
  return at::make_generator<at::CPUGeneratorImpl>(given->seed_ * 31 + given->draws++);
}

/// As CUDA does: refuses tensors of the host with more than one number beside those of the device.
void refuse_mixture(const std::string& name, const std::vector<c10::IValue>& arguments) {
  bool device = false, host = false;
  for (const c10::IValue& value : arguments) {
    if (!value.isTensor() || !value.toTensor().defined()) continue;
    (value.toTensor().is_cpu() && value.toTensor().dim() > 0 ? host : device) = true;
  }
  const bool takes_indices = name.find("index") != std::string::npos;
  TORCH_CHECK(!host || !device || takes_indices, name, ": tensors of the host and of the device");
}

/// Writes the counts to the file that POINTPNG_COUNTS names.
void report() {
  const char* file = std::getenv("POINTPNG_COUNTS");
  if (file == nullptr) return;
  const Counts& all = state().counts;
  std::ofstream(file) << nlohmann::json{
      {"launches", all.launches},
      {"copies_to_device", all.copies_to_device},
      {"copies_to_host", all.copies_to_host},
      {"waits", all.waits},
      {"pinned", all.pinned},
      {"own_stream", all.own_stream},
      {"operations",
       all.operations}}.dump();
}

/// POINTPNG_FAIL_AFTER names after how many operations the device fails.
const bool initialised = [] {
  c10::SetAllocator(kType, &allocator());
  std::atexit(report);
  if (const char* after = std::getenv("POINTPNG_FAIL_AFTER")) state().left = std::atol(after);
  return true;
}();

}  // namespace

Counts counts() {
  const std::scoped_lock lock(state().mutex);
  return state().counts;
}

void reset() {
  const std::scoped_lock lock(state().mutex);
  state().counts = Counts();
}

void fail_after(long operations) {
  const std::scoped_lock lock(state().mutex);
  state().left = operations;
}

OpenMemory::OpenMemory() {
  state().mutex.lock();
  if (state().open++ == 0)
    for (const auto& [memory, size] : state().memory)
      mprotect(memory, size, PROT_READ | PROT_WRITE);
}

OpenMemory::~OpenMemory() {
  if (--state().open == 0)
    for (const auto& [memory, size] : state().memory) mprotect(memory, size, PROT_NONE);
  state().mutex.unlock();
}

void compute_on_cpu(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  const std::scoped_lock lock(state().mutex);
  const std::string& name = op.schema().name();
  count_launch(name);
  const std::size_t first = stack->size() - op.schema().arguments().size();
  for (std::size_t i = first; i < stack->size(); ++i)
    if ((*stack)[i].isGenerator()) (*stack)[i] = generator_on_cpu((*stack)[i], name);
  refuse_mixture(name, {stack->begin() + static_cast<std::ptrdiff_t>(first), stack->end()});
  computing = true;
  struct Done {
    ~Done() { computing = false; }
  } done;
  at::native::cpu_fallback(op, stack);
  // LibTorch leaves results on the CPU where all arguments were lists.
  for (std::size_t i = stack->size() - op.schema().returns().size(); i < stack->size(); ++i)
    if ((*stack)[i].isTensor() && (*stack)[i].toTensor().defined())
      (*stack)[i] = (*stack)[i].toTensor().to(kDevice);
}

}  // namespace counting

namespace at {

struct CUDAHooks : CUDAHooksInterface {
  explicit CUDAHooks(CUDAHooksArgs) {}
  void initCUDA() const override {}
  bool hasCUDA() const override { return true; }
  bool hasPrimaryContext(std::int64_t) const override { return true; }
  int getNumGPUs() const override { return 1; }
  std::int64_t current_device() const override { return 0; }
  void deviceSynchronize(std::int64_t) const override {}
  const Generator& getDefaultCUDAGenerator(DeviceIndex) const override {
    static const Generator made = make_generator<counting::Generator>();
    return made;
  }
};
REGISTER_CUDA_HOOKS(CUDAHooks);

}  // namespace at

namespace c10::impl {
namespace {
using counting::Guard;
C10_REGISTER_GUARD_IMPL(CUDA, Guard);
}  // namespace
}  // namespace c10::impl

TORCH_LIBRARY_IMPL(_, CUDA, library) {
  library.fallback(torch::CppFunction::makeFromBoxedFunction<&counting::compute_on_cpu>());
}

TORCH_LIBRARY_IMPL(aten, CUDA, library) {
  library.impl("empty.memory_format", &counting::empty);
  library.impl("empty_strided", &counting::empty_strided);
  library.impl("copy_", &counting::copy);
  library.impl("_local_scalar_dense", &counting::read_value);
  library.impl("_copy_from_and_resize", &counting::copy_and_resize);
  library.impl("_pin_memory", &counting::pin);
  library.impl("as_strided", &at::native::as_strided_tensorimpl);
  library.impl("view", &at::native::view);
  library.impl("_reshape_alias", &at::native::_reshape_alias);
}
