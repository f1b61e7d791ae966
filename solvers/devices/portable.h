/* Definitions that let one kernel text compile as CUDA C++ and as OpenCL C.
 *
 * Kernels are written in CUDA C++ notation restricted to C99, and compiled by NVRTC for NVIDIA GPUs
 * and by an OpenCL compiler for other devices. `dialect.py` prepends this header to every kernel; a
 * `.cu` file need not include it. Macros of a single kernel (TILE, ...) have a default in the `.cu`
 * file under #ifndef. A `.cu` file that runs on CUDA only and needs more than sm_75 has the line
 * "Compute capability 9.0" in its head comment.
 *
 *   KERNEL void f(GLOBAL int *a)    an entry point, and a pointer to device memory
 *   DEVICE int g(SHARED int *t)     a helper, and a pointer to the block's shared memory
 *   CONST_IN(int) a                 a pointer parameter to memory that no thread writes meanwhile
 *   typedef struct {...} S; S s     a structure of scalars, passed by value (no pointers: OpenCL
 *                                   forbids them); the host passes a structured array with no
 *                                   dimensions, its dtype made with align=True
 *   __shared__ int t[32];           only at kernel scope, a restriction of OpenCL
 *   __syncthreads()                 orders shared and global memory within the block, as in CUDA
 *   __threadfence()                 this thread's earlier writes to device memory become visible
 *                                   before its later ones
 *   LEAVE_BLOCK(idle)               a block in which all threads are idle returns before a barrier;
 *                                   what follows writes only if (!idle), as PoCL goes on: it takes
 *                                   a return before a barrier wrongly (3.1 and 5.0)
 *   threadIdx blockIdx blockDim gridDim, atomicMin/Max/Add/And/Or/Exch/CAS on int
 *   index_t                         64-bit signed: arc offsets, and any product of sizes
 *   dist_t, DIST_INF                type of weights and distances, selected by DIST_<type>, and
 *                                   its infinity
 *   atomic_relax(p, v)              atomic *p = min(*p, v); returns the previous value
 *   atomic_relax_shared(p, v)       the same in the block's shared memory
 *   atomic_replace(p, v)            atomic *p = v; returns the previous value
 *   GLOBAL_THREAD, FOR_GRID_STRIDE  this thread's index in the grid; a grid-stride loop
 */

#ifdef __OPENCL_VERSION__

#if defined(DIST_INT64) || defined(DIST_FLOAT64)
#ifdef cl_khr_int64_base_atomics
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#endif
#ifdef cl_khr_int64_extended_atomics
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
#endif
#endif
#ifdef DIST_FLOAT64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

#ifdef FIXED_BLOCK /* threads per block of this file's kernels, if known at compilation */
#define KERNEL __kernel __attribute__((reqd_work_group_size(FIXED_BLOCK, 1, 1)))
#else
#define KERNEL __kernel
#endif
#define DEVICE static inline
#define GLOBAL __global
#define SHARED __local
#define __shared__ __local
#define CONST_IN(type) __global const type *restrict
#define __syncthreads() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#define __threadfence() mem_fence(CLK_GLOBAL_MEM_FENCE)

#define threadIdx ((uint3)((uint)get_local_id(0), (uint)get_local_id(1), (uint)get_local_id(2)))
#define blockIdx ((uint3)((uint)get_group_id(0), (uint)get_group_id(1), (uint)get_group_id(2)))
#define blockDim \
    ((uint3)((uint)get_local_size(0), (uint)get_local_size(1), (uint)get_local_size(2)))
#define gridDim ((uint3)((uint)get_num_groups(0), (uint)get_num_groups(1), (uint)get_num_groups(2)))

#define atomicMin(p, v) atomic_min(p, v)
#define atomicMax(p, v) atomic_max(p, v)
#define atomicAdd(p, v) atomic_add(p, v)
#define atomicAnd(p, v) atomic_and(p, v)
#define atomicOr(p, v) atomic_or(p, v)
#define atomicExch(p, v) atomic_xchg(p, v)
#define atomicCAS(p, expected, v) atomic_cmpxchg(p, expected, v)

typedef long index_t;
typedef ulong unsigned_index_t;

#define BITS_OF_DOUBLE(v) as_long(v)
#define DOUBLE_OF_BITS(b) as_double(b)
#ifdef cl_khr_int64_extended_atomics
#define ATOMIC_MIN_64(p, v) atom_min(p, v)
#define ATOMIC_MAX_64(p, v) atom_max(p, v)
#define ATOMIC_EXCH_64(p, v) atom_xchg(p, v)
#else /* undeclared function, so that the compiler's log names the missing feature */
#define ATOMIC_MIN_64(p, v) this_device_has_no_64_bit_atomics(p, v)
#define ATOMIC_MAX_64(p, v) this_device_has_no_64_bit_atomics(p, v)
#define ATOMIC_EXCH_64(p, v) this_device_has_no_64_bit_atomics(p, v)
#endif

#else /* CUDA */

#define KERNEL extern "C" __global__
#define DEVICE static __device__ __forceinline__
#define GLOBAL
#define SHARED
#define CONST_IN(type) const type *__restrict__

#define atomic_add(p, v) atomicAdd(p, v)

typedef long long index_t;
typedef unsigned long long unsigned_index_t;

#ifndef INFINITY
#define INFINITY __int_as_float(0x7f800000)
#endif
#define BITS_OF_DOUBLE(v) __double_as_longlong(v)
#define DOUBLE_OF_BITS(b) __longlong_as_double(b)
#define ATOMIC_MIN_64(p, v) atomicMin(p, v)
#define ATOMIC_MAX_64(p, v) atomicMax(p, v)
#define ATOMIC_EXCH_64(p, v) (index_t)atomicExch((unsigned_index_t *)(p), (unsigned_index_t)(v))

#endif

#ifdef POCL_DEVICE_ADDRESS_BITS
#define LEAVE_BLOCK(idle)
#else
#define LEAVE_BLOCK(idle) \
    if (idle) return
#endif

#define GLOBAL_THREAD ((index_t)blockIdx.x * blockDim.x + threadIdx.x)
#define FOR_GRID_STRIDE(i, count) \
    for (index_t i = GLOBAL_THREAD; i < (index_t)(count); i += (index_t)gridDim.x * blockDim.x)

/* Floating-point minimum by integer atomics. Interpreted as integers, floats without the sign bit
 * have the order of signed integers, and floats with it the reverse order of unsigned integers. A
 * value without the sign bit therefore uses a signed minimum, in which any negative number in
 * memory is smaller; a value with it uses an unsigned maximum, in which it exceeds any positive
 * number. The test is on the sign *bit* rather than `v >= 0`, because otherwise -0.0 would
 * overwrite a negative distance. */
#if defined(DIST_INT32)
typedef int dist_t;
#define DEFINE_RELAX(name, SPACE) \
    DEVICE dist_t name(SPACE dist_t *p, dist_t v) { return atomicMin(p, v); }
DEVICE dist_t atomic_replace(GLOBAL dist_t *p, dist_t v) { return atomicExch(p, v); }
#elif defined(DIST_INT64)
typedef index_t dist_t;
#define DEFINE_RELAX(name, SPACE) \
    DEVICE dist_t name(SPACE dist_t *p, dist_t v) { return ATOMIC_MIN_64(p, v); }
DEVICE dist_t atomic_replace(GLOBAL dist_t *p, dist_t v) { return ATOMIC_EXCH_64(p, v); }
#elif defined(DIST_FLOAT64)
typedef double dist_t;
#define DEFINE_RELAX(name, SPACE) \
    DEVICE dist_t name(SPACE dist_t *p, dist_t v) { \
        index_t bits = BITS_OF_DOUBLE(v); \
        unsigned_index_t unsigned_bits = (unsigned_index_t)bits; \
        index_t before = \
            bits >= 0 ? ATOMIC_MIN_64((SPACE index_t *)p, bits) \
                      : (index_t)ATOMIC_MAX_64((SPACE unsigned_index_t *)p, unsigned_bits); \
        return DOUBLE_OF_BITS(before); \
    }
DEVICE dist_t atomic_replace(GLOBAL dist_t *p, dist_t v) {
    return DOUBLE_OF_BITS(ATOMIC_EXCH_64((GLOBAL index_t *)p, BITS_OF_DOUBLE(v)));
}
#else
#error "define DIST_INT32, DIST_INT64 or DIST_FLOAT64 (see kernel.distance_defines)"
#endif
DEFINE_RELAX(atomic_relax, GLOBAL)
DEFINE_RELAX(atomic_relax_shared, SHARED)
