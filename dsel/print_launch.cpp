#include <tenfold/dsel/print_launch.hpp>
#include <tenfold/dsel/print_text.hpp>

namespace tenfold::printing {

namespace {

std::string blocks_of(const explained_launch& x, const device_capabilities& machine,
                      const std::string& indent) {
  std::string s = indent + counted(x.blocks, "block") + " of " + whole(x.threads) +
                  " threads with " + in_bytes(static_cast<double>(x.shared_bytes)) +
                  " of shared memory";
  if (x.registers > 0) s += " and " + whole(x.registers) + " registers for each thread";
  if (x.spilled_bytes > 0) s += ", " + whole(x.spilled_bytes) + " bytes spilled";
  s += "\n" + indent + "a multiprocessor holds " + whole(x.resident_blocks) +
       format(": occupancy %.2f", x.occupancy) + (x.registers > 0 ? "" : ", registers not counted");
  if (x.blocks < machine.multiprocessors)
    s += "; " + whole(machine.multiprocessors - x.blocks) + " have none";
  return s + "\n";
}

}  // namespace

std::string launch(const explained_device& on, std::size_t at) {
  const explained_launch& x = on.launches[at];
  const std::string head = "launch " + std::to_string(at + 1) + ": ", indent(head.size(), ' ');
  const std::string in_a_block = ", " + whole(x.at_once) + " at a time in a block\n";
  const bool by_library = x.kind == launch_kind::library;
  std::string s = head;
  switch (x.kind) {
    case launch_kind::product:
    case launch_kind::library:
      s += "batched GEMM, " + whole(x.batch) + " of " + whole(x.m) + " x " + whole(x.n) + " x " +
           whole(x.k) + (by_library ? "\n" : in_a_block) + indent + x.reason +
           (by_library ? "\n" : format("; %d x %d to each thread\n", x.rows, x.columns));
      break;
    case launch_kind::elements:
      s += counted(x.batch, "element") + " through shared memory" + in_a_block;
      break;
    case launch_kind::parts:
      s += counted(x.batch, "square part") + " through shared memory, one at a time in a block\n";
      break;
    case launch_kind::lines:
      s += counted(x.batch, x.lanes == 1 ? "line" : "sum") +
           (x.lanes == 1 ? ", a thread to each\n" : ", a warp to each\n");
  }
  if (!by_library) s += blocks_of(x, on.machine, indent);
  if (x.times > 1)
    s += indent + "runs " + whole(x.times) + " times, for one slab of elements after another\n";
  return s + indent + number(x.flops) + " flops, " + in_bytes(x.bytes) + ": bound by " +
         (x.memory_seconds >= x.arithmetic_seconds ? "memory" : "arithmetic") + ", " +
         in_seconds(x.seconds()) + "\n";
}

}  // namespace tenfold::printing
