// sssp/thrust: the shortest paths of sssp/standard, with Thrust's vectors and algorithms instead of CUDA calls.
//
// Report   tuwien-sssp, section 5, "Thrust": "similar to the standard memory transfer, but we utilised the interface
//          provided by thrust wherever possible".
// Mapping  one for_each over the vertices per iteration. The mask is copied to a host_vector and searched there.
// Departs  as sssp/mask.cu, whose relaxation it uses.
//
// nvcc compiles this file into a library that works in the caller's primary context. Without CUDA, a C++ compiler
// builds it for Thrust's own host system, which handles one vertex after the other.

#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/fill.h>
#include <thrust/find.h>
#include <thrust/for_each.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/transform.h>

#ifndef __CUDACC__
#define __device__
inline void __threadfence() {}
template <typename T>
T atomicMin(T *address, T value)
{
    const T before = *address;
    if (value < before) *address = value;
    return before;
}
#endif

#include "../host/graph.h"
#include "../sssp/mask.cuh"

struct RelaxArcs {
    const int *indptr, *indices, *weights;
    bool *mask;
    Label *label;

    __device__ void operator()(int u) const { relax_arcs<false>(u, indptr, indices, weights, mask, label); }
};

struct DistanceOf {
    __device__ int operator()(Label label) const { return distance_of(label); }
};

struct PredecessorOf {
    __device__ int operator()(Label label) const { return int(label); }
};

struct Search {
    int vertices;
    thrust::device_vector<int> indptr, indices, weights, distance, predecessor;
    thrust::device_vector<bool> mask;
    thrust::device_vector<Label> label;
    thrust::host_vector<bool> seen;
};

// Copies the graph and masks the source, at distance 0. The caller frees the result with sssp_thrust_free.
extern "C" Search *sssp_thrust_upload(Graph graph, int source)
{
    const int vertices = graph.vertices, arcs = graph.indptr[vertices];
    auto *search = new Search{vertices,
                              {graph.indptr, graph.indptr + vertices + 1},
                              {graph.indices, graph.indices + arcs},
                              {graph.weights, graph.weights + arcs},
                              thrust::device_vector<int>(vertices),
                              thrust::device_vector<int>(vertices),
                              thrust::device_vector<bool>(vertices, false),
                              thrust::device_vector<Label>(vertices, Label(UNREACHABLE) << 32 | 0xffffffff),
                              thrust::host_vector<bool>(vertices)};
    search->mask[source] = true;
    search->label[source] = 0xffffffff;
    return search;
}

// Relaxes until no vertex is masked; returns the number of iterations.
extern "C" int sssp_thrust_solve(Search *search)
{
    const RelaxArcs relax{search->indptr.data().get(), search->indices.data().get(), search->weights.data().get(),
                          search->mask.data().get(), search->label.data().get()};
    const thrust::counting_iterator<int> vertex(0);
    for (int iterations = 1;; iterations++) {
        thrust::for_each_n(thrust::device, vertex, search->vertices, relax);
        thrust::copy(search->mask.begin(), search->mask.end(), search->seen.begin());
        if (thrust::find(search->seen.begin(), search->seen.end(), true) == search->seen.end()) return iterations;
    }
}

// Splits the labels on the device, and writes distances and predecessors; the predecessor is -1 where there is none.
extern "C" void sssp_thrust_download(Search *search, int *distance, int *predecessor)
{
    const thrust::device_vector<Label> &label = search->label;
    thrust::transform(label.begin(), label.end(), search->distance.begin(), DistanceOf());
    thrust::transform(label.begin(), label.end(), search->predecessor.begin(), PredecessorOf());
    thrust::copy(search->distance.begin(), search->distance.end(), distance);
    thrust::copy(search->predecessor.begin(), search->predecessor.end(), predecessor);
}

extern "C" void sssp_thrust_free(Search *search) { delete search; }

// Releases the GPU's context, which the CUDA runtime in this library keeps alive. Call it after the caller has released
// the context too, so that the next user starts with a fresh one.
extern "C" void thrust_close(int device)
{
#ifdef __CUDACC__
    cudaSetDevice(device);
    cudaDeviceReset();
#endif
}
