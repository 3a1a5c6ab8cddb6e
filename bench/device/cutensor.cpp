#include "device/cutensor.hpp"

#include <complex>
#include <cstddef>
#include <type_traits>
#include <utility>

// The declarations are those of cutensor.h, version 2: all that is opaque is a pointer,
// enumerations are ints, every status but 0 is an error.
namespace tenfold::bench {
namespace {

constexpr int identity = 1, addition = 3;
constexpr int chosen_by_model = -1, no_compilation = 0, usual_workspace = 2;

/// Bytes: of the addresses of tensors. Allocations are aligned to 256, and so is what
/// device_numbers hands out.
constexpr std::uint32_t alignment = 128;

/// cudaDataType_t
template <class T>
constexpr int data_type = (is_complex(scalar_of<T>) ? 4 : 0) + (sizeof(real_type<T>) == 8 ? 1 : 0);

template <class T>
std::vector<std::int32_t> modes(const labelled_tensor<T>& x) {
  return {x.labels.begin(), x.labels.end()};
}

/// The pass that `make` makes, or one that throws what making it has thrown.
template <class F>
std::function<void()> pass_or_refusal(const F& make) {
  try {
    return make();
  } catch (const backend_error& refused) {
    return [refused] { throw backend_error(refused); };
  }
}

}  // namespace

struct cutensor::functions {
  using destroy_function = int(void*);

  std::size_t (*version)();
  const char* (*status_text)(int status);
  int (*create)(void** handle);
  destroy_function* destroy;
  int (*create_tensor)(void* handle, void** tensor, std::uint32_t modes,
                       const std::int64_t* extents, const std::int64_t* strides, int type,
                       std::uint32_t alignment);
  destroy_function* destroy_tensor;
  int (*create_contraction)(void* handle, void** operation, void* a, const std::int32_t* modes_a,
                            int op_a, void* b, const std::int32_t* modes_b, int op_b, void* c,
                            const std::int32_t* modes_c, int op_c, void* d,
                            const std::int32_t* modes_d, void* precision);
  int (*create_permutation)(void* handle, void** operation, void* a, const std::int32_t* modes_a,
                            int op_a, void* b, const std::int32_t* modes_b, void* precision);
  int (*create_reduction)(void* handle, void** operation, void* a, const std::int32_t* modes_a,
                          int op_a, void* c, const std::int32_t* modes_c, int op_c, void* d,
                          const std::int32_t* modes_d, int reduced_by, void* precision);
  destroy_function* destroy_operation;
  int (*create_preference)(void* handle, void** preference, int algorithm, int compilation);
  destroy_function* destroy_preference;
  int (*estimate_workspace)(void* handle, void* operation, void* preference, int how,
                            std::uint64_t* bytes);
  int (*create_plan)(void* handle, void** plan, void* operation, void* preference,
                     std::uint64_t most_bytes);
  destroy_function* destroy_plan;
  int (*contract)(void* handle, void* plan, const void* alpha, const void* a, const void* b,
                  const void* beta, const void* c, void* d, void* workspace, std::uint64_t bytes,
                  void* stream);
  int (*permute)(void* handle, void* plan, const void* alpha, const void* a, void* b, void* stream);
  int (*reduce)(void* handle, void* plan, const void* alpha, const void* a, const void* beta,
                const void* c, void* d, void* workspace, std::uint64_t bytes, void* stream);
  // Variables of the library.
  void* const* single_precision;
  void* const* double_precision;

  /// Whether `library` has all of them.
  bool find(const module& library) {
    bool all = true;
    const auto get = [&](auto*& to, const char* name) {
      to = library.symbol<std::remove_pointer_t<std::remove_reference_t<decltype(to)>>>(name);
      all = all && to != nullptr;
    };
    get(version, "cutensorGetVersion");
    get(status_text, "cutensorGetErrorString");
    get(create, "cutensorCreate");
    get(destroy, "cutensorDestroy");
    get(create_tensor, "cutensorCreateTensorDescriptor");
    get(destroy_tensor, "cutensorDestroyTensorDescriptor");
    get(create_contraction, "cutensorCreateContraction");
    get(create_permutation, "cutensorCreatePermutation");
    get(create_reduction, "cutensorCreateReduction");
    get(destroy_operation, "cutensorDestroyOperationDescriptor");
    get(create_preference, "cutensorCreatePlanPreference");
    get(destroy_preference, "cutensorDestroyPlanPreference");
    get(estimate_workspace, "cutensorEstimateWorkspaceSize");
    get(create_plan, "cutensorCreatePlan");
    get(destroy_plan, "cutensorDestroyPlan");
    get(contract, "cutensorContract");
    get(permute, "cutensorPermute");
    get(reduce, "cutensorReduce");
    get(single_precision, "CUTENSOR_COMPUTE_DESC_32F");
    get(double_precision, "CUTENSOR_COMPUTE_DESC_64F");
    return all;
  }
};

/// What is ready to run.
struct cutensor::operation {
  std::vector<owned> parts;  // of which the plan was made
  owned plan, workspace;
  std::uint64_t bytes = 0;
};

cutensor::cutensor(report& out, const device_queue& where)
    : where_(where), library_("TENFOLD_CUTENSOR", {"libcutensor.so.2"}) {
  const auto call = std::make_shared<functions>();
  if (!call->find(library_)) {
    out.missing("cutensor");
    if (!library_.error().empty()) out.note(library_.error());
    return;
  }
  const std::size_t version = call->version();
  out.note("cutensor " + std::to_string(version / 10000) + '.' +
           std::to_string(version / 100 % 100) + '.' + std::to_string(version % 100) + " is " +
           library_.path());
  void* handle = nullptr;
  const int status = call->create(&handle);
  if (status != 0) {
    out.note(std::string("cutensorCreate: ") + call->status_text(status) +
             ": its column is empty.");
    return;
  }
  handle_ = {handle, call->destroy};
  call_ = call;
}

void cutensor::require(int status, const char* call) const {
  if (status != 0)
    throw backend_error(std::string("cuTENSOR: ") + call + ": " + call_->status_text(status));
}

template <class T>
cutensor::owned cutensor::tensor(const labelled_tensor<T>& x) const {
  std::vector<std::int64_t> strides(x.extents.size());
  std::int64_t step = 1;
  for (std::size_t i = x.extents.size(); i-- > 0; step *= x.extents[i]) strides[i] = step;
  void* made = nullptr;
  require(call_->create_tensor(handle_.get(), &made, static_cast<std::uint32_t>(x.extents.size()),
                               x.extents.data(), strides.data(), data_type<std::remove_const_t<T>>,
                               alignment),
          "cutensorCreateTensorDescriptor");
  return {made, call_->destroy_tensor};
}

template <class T>
void* cutensor::precision() const {
  return sizeof(real_type<T>) == 8 ? *call_->double_precision : *call_->single_precision;
}

cutensor::operation cutensor::planned(void* described, std::vector<owned> tensors) const {
  operation x{std::move(tensors), nullptr, nullptr, 0};
  x.parts.emplace_back(described, call_->destroy_operation);
  void* made = nullptr;
  require(call_->create_preference(handle_.get(), &made, chosen_by_model, no_compilation),
          "cutensorCreatePlanPreference");
  const owned preference(made, call_->destroy_preference);
  require(call_->estimate_workspace(handle_.get(), described, preference.get(), usual_workspace,
                                    &x.bytes),
          "cutensorEstimateWorkspaceSize");
  require(call_->create_plan(handle_.get(), &made, described, preference.get(), x.bytes),
          "cutensorCreatePlan");
  x.plan = {made, call_->destroy_plan};
  if (x.bytes > 0)
    x.workspace = {where_.machine->allocate(x.bytes),
                   [&machine = *where_.machine](void* memory) { machine.release(memory); }};
  return x;
}

template <class T>
std::function<void()> cutensor::contract(const labelled_tensor<const T>& a,
                                         const labelled_tensor<const T>& b,
                                         const labelled_tensor<T>& c) const {
  return pass_or_refusal([&]() -> std::function<void()> {
    const owned in_a = tensor(a), in_b = tensor(b), out = tensor(c);
    void* described = nullptr;
    require(
        call_->create_contraction(handle_.get(), &described, in_a.get(), modes(a).data(), identity,
                                  in_b.get(), modes(b).data(), identity, out.get(), modes(c).data(),
                                  identity, out.get(), modes(c).data(), precision<T>()),
        "cutensorCreateContraction");
    return [by = *this, x = planned(described, {in_a, in_b, out}), a = a.data, b = b.data,
            c = c.data] {
      const T one(1), zero(0);
      by.require(by.call_->contract(by.handle_.get(), x.plan.get(), &one, a, b, &zero, c, c,
                                    x.workspace.get(), x.bytes, by.where_.stream),
                 "cutensorContract");
    };
  });
}

template <class T>
std::function<void()> cutensor::permute(const labelled_tensor<const T>& a,
                                        const labelled_tensor<T>& b) const {
  return pass_or_refusal([&]() -> std::function<void()> {
    const owned in = tensor(a), out = tensor(b);
    void* described = nullptr;
    require(call_->create_permutation(handle_.get(), &described, in.get(), modes(a).data(),
                                      identity, out.get(), modes(b).data(), precision<T>()),
            "cutensorCreatePermutation");
    return [by = *this, x = planned(described, {in, out}), a = a.data, b = b.data] {
      const T one(1);
      by.require(by.call_->permute(by.handle_.get(), x.plan.get(), &one, a, b, by.where_.stream),
                 "cutensorPermute");
    };
  });
}

template <class T>
std::function<void()> cutensor::sum(const labelled_tensor<const T>& a,
                                    const labelled_tensor<T>& b) const {
  return pass_or_refusal([&]() -> std::function<void()> {
    const owned in = tensor(a), out = tensor(b);
    void* described = nullptr;
    require(call_->create_reduction(handle_.get(), &described, in.get(), modes(a).data(), identity,
                                    out.get(), modes(b).data(), identity, out.get(),
                                    modes(b).data(), addition, precision<T>()),
            "cutensorCreateReduction");
    return [by = *this, x = planned(described, {in, out}), a = a.data, b = b.data] {
      const T one(1), zero(0);
      by.require(by.call_->reduce(by.handle_.get(), x.plan.get(), &one, a, &zero, b, b,
                                  x.workspace.get(), x.bytes, by.where_.stream),
                 "cutensorReduce");
    };
  });
}

#define TENFOLD_CUTENSOR_CONTRACT(T)                                                               \
  template std::function<void()> cutensor::contract(                                               \
      const labelled_tensor<const T>&, const labelled_tensor<const T>&, const labelled_tensor<T>&) \
      const
#define TENFOLD_CUTENSOR_MOVE(T)                                                     \
  template std::function<void()> cutensor::permute(const labelled_tensor<const T>&,  \
                                                   const labelled_tensor<T>&) const; \
  template std::function<void()> cutensor::sum(const labelled_tensor<const T>&,      \
                                               const labelled_tensor<T>&) const
TENFOLD_CUTENSOR_CONTRACT(float);
TENFOLD_CUTENSOR_CONTRACT(double);
TENFOLD_CUTENSOR_CONTRACT(std::complex<float>);
TENFOLD_CUTENSOR_CONTRACT(std::complex<double>);
TENFOLD_CUTENSOR_MOVE(float);
TENFOLD_CUTENSOR_MOVE(double);
#undef TENFOLD_CUTENSOR_CONTRACT
#undef TENFOLD_CUTENSOR_MOVE

}  // namespace tenfold::bench
