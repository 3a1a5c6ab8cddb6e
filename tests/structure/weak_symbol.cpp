// Breaks the rule of weak_symbols.cmake three times and keeps it once.

#define TENFOLD_NOINLINE __attribute__((noinline))

namespace xsimd {
struct TENFOLD_ISA_NAME {};
template <class T, class A>
TENFOLD_NOINLINE int add(T x) {  // of another library, which other objects may compile for anything
  return static_cast<int>(x) + 1;
}
}  // namespace xsimd

namespace tenfold {
template <class T>
TENFOLD_NOINLINE int breach(T x) {  // a tool of a lower room that was not inlined
  return static_cast<int>(x);
}
namespace cpu {
TENFOLD_NOINLINE inline int breach_too() { return 2; }  // no inline namespace
inline namespace TENFOLD_ISA_NAME {
TENFOLD_NOINLINE inline int fine() { return 3; }
}  // namespace TENFOLD_ISA_NAME
}  // namespace cpu
}  // namespace tenfold

int use(int n) {
  return tenfold::breach(n) + tenfold::cpu::breach_too() + tenfold::cpu::fine() +
         xsimd::add<int, xsimd::TENFOLD_ISA_NAME>(n);
}
