#include <tenfold/backend/cuda/halve.hpp>
#include <tenfold/backend/cuda/text_of.hpp>

namespace tenfold::cuda {

std::string halve_text(scalar type) {
  return std::string("// the halves of a matrix, ") + name_of(type).words +
         "\n#include <tenfold/backend/cuda/halve.device.hpp>\nTENFOLD_DEVICE_KERNEL(" +
         halve_entry + ", tenfold::device_halve_threads, 1, tenfold::device_halve_arguments<" +
         name_of(type).type + ">, x) {\n  tenfold::cuda::halve(x);\n}\n";
}

template <class T>
void halve(device_machine& machine, device_function f, const device_halve_arguments<T>& x,
           void* stream) {
  void* list[] = {const_cast<device_halve_arguments<T>*>(&x)};
  machine.launch(f, {1, device_halve_threads, 0, stream}, list);
}

template void halve(device_machine&, device_function, const device_halve_arguments<float>&, void*);
template void halve(device_machine&, device_function, const device_halve_arguments<double>&, void*);

}  // namespace tenfold::cuda
