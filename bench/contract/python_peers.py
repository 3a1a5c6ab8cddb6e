"""numpy, torch and jax as peers of the suite `contract`, which starts this and times it.

A line of input is a request, a line of output its answer:

    (at the start)                       numpy 2.4.6 torch 2.15.0     those that can be imported
    load ab,bc->ac d 5:3,4 6:4,5         ok    operands: descriptor of the parent, extents
    run numpy                            ok    computes; what it computed before is gone
    store 7                              ok    writes the result to a descriptor of the parent
    forget                               ok    no operands, no result

or, instead of ok, a sentence that says why not.
"""

import ctypes
import os
import sys

# The answers have a descriptor to themselves: what a library prints goes to stderr.
answers = os.fdopen(os.dup(1), "w", buffering=1)
os.dup2(2, 1)

for variable in "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS":
    os.environ.setdefault(variable, "1")
os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false")
os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["CUDA_VISIBLE_DEVICES"] = ""

# malloc keeps what is given back: each pass allocates its result, and page faults are not its work.
libc = ctypes.CDLL(None)
M_TRIM_THRESHOLD, M_MMAP_MAX = -1, -4
if hasattr(libc, "mallopt"):
    libc.mallopt(M_MMAP_MAX, 0)
    libc.mallopt(M_TRIM_THRESHOLD, -1)


class Numpy:
    def __init__(self):
        import numpy

        self.numpy = numpy
        self.version = numpy.__version__

    def prepare(self, text, arrays):
        # What einsum returns may be a view in another order.
        return lambda: self.numpy.ascontiguousarray(self.numpy.einsum(text, *arrays, optimize=True))


class Torch:
    def __init__(self):
        import torch

        torch.set_num_threads(1)
        torch.set_num_interop_threads(1)
        self.torch = torch
        self.version = torch.__version__

    def prepare(self, text, arrays):
        tensors = [self.torch.from_numpy(x) for x in arrays]
        return lambda: self.torch.einsum(text, *tensors).contiguous()


class Jax:
    def __init__(self):
        import jax

        jax.config.update("jax_enable_x64", True)
        self.jax = jax
        self.version = jax.__version__

    def prepare(self, text, arrays):
        tensors = [self.jax.numpy.asarray(x) for x in arrays]
        einsum = self.jax.jit(lambda *x: self.jax.numpy.einsum(text, *x))
        return lambda: einsum(*tensors).block_until_ready()


class Peers:
    def __init__(self):
        self.libraries = {}
        for name, library in ("numpy", Numpy), ("torch", Torch), ("jax", Jax):
            try:
                self.libraries[name] = library()
            except Exception as error:
                if name == "numpy":  # the operands are arrays of numpy
                    return
                if not isinstance(error, ModuleNotFoundError):
                    print(f"{name}: {error}", file=sys.stderr)
        self.forget()

    def forget(self):
        self.text, self.arrays, self.prepared, self.result = "", [], {}, None
        if hasattr(libc, "malloc_trim"):
            libc.malloc_trim(0)

    def shared(self, descriptor, mode, shape):
        path = f"/proc/{os.getppid()}/fd/{descriptor}"
        return self.libraries["numpy"].numpy.memmap(path, self.dtype, mode, shape=shape)

    def load(self, text, scalar, *operands):
        self.forget()
        self.text, self.dtype = text, {"d": "float64", "s": "float32"}[scalar]
        for operand in operands:
            descriptor, extents = operand.split(":")
            theirs = self.shared(descriptor, "r", tuple(int(n) for n in extents.split(",")))
            self.arrays.append(self.libraries["numpy"].numpy.array(theirs))

    def run(self, name):
        if name not in self.prepared:
            self.prepared[name] = self.libraries[name].prepare(self.text, self.arrays)
        self.result = None
        self.result = self.prepared[name]()

    def store(self, descriptor):
        entries = self.libraries["numpy"].numpy.asarray(self.result).reshape(-1)
        self.shared(descriptor, "r+", entries.shape)[:] = entries


def main():
    peers = Peers()
    print(*(f"{name} {x.version}" for name, x in peers.libraries.items()), file=answers)
    for line in sys.stdin:
        request, *arguments = line.split()
        try:
            getattr(peers, request)(*arguments)
            print("ok", file=answers)
        except Exception as error:
            print(f"{type(error).__name__}: {error}".splitlines()[0], file=answers)


main()
