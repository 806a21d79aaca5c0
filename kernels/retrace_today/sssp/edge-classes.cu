// sssp/edge-classes: Bellman-Ford with a frontier, in which the class of an arc says how it is relaxed.
//
// Paper    F. Busato and N. Bombieri, "An Efficient Implementation of the Bellman-Ford Algorithm for Kepler GPU
//          Architectures", IEEE TPDS 27, 2016 (H-BF): frontier propagation and edge classification.
// Report   an-bellman-ford, section 2, names both.
// Classes  an arc to its own tail or to the source shortens no distance and is passed over, without a look at its head.
//          The head of an arc that alone enters it is written by one thread: no atomic is needed.
//          A head that no arc leaves, or only one, which leads back to the tail (as in an undirected graph a vertex of
//          one edge), does not enter the frontier: what it could shorten has less already. Weights are not negative.
//          An arc may be of several classes. All other arcs are relaxed as in workfront-sweep.cu.
// Marks    as in H-BF's program, an arc carries its class in bits that its numbers do not need: the sign of the head
//          says that no other arc enters it, the sign of the weight that it does not lead on. `classify` sets them, once
//          a graph. Whether the head is the tail or the source is compared when the arc is relaxed.
// Frontier workfront.cuh.
// Mapping  classify: one warp per vertex, whose lanes take its arcs.
// Departs  from H-BF in all that is no class: not taken are the minimum of 64 bits that keeps duplicates out of the
//          frontier (here a bitmap does), virtual warps whose width follows the frontier's size and launches from the
//          device for hubs (here frontier.cuh divides the arcs), and queues in registers. It takes weights below 0,
//          which this kernel does not.

#include "workfront.cuh"

constexpr unsigned MARK = 1u << 31;  // the sign

struct Arc {
    int2 stored;

    __device__ unsigned head() const { return stored.x & ~MARK; }
    __device__ unsigned weight() const { return stored.y & ~MARK; }
    __device__ bool may_shorten(unsigned u, unsigned source) const { return head() != u && head() != source; }
    __device__ bool enters_alone() const { return stored.x & MARK; }
    __device__ bool leads_on() const { return !(stored.y & MARK); }

    __device__ void lower(int *distance, int through) const
    {
        if (enters_alone())
            *distance = through;
        else
            atomicMin(distance, through);
    }
};

// Puts the head and the weight of each arc side by side, with its marks; entering[v + 1] arcs enter v.
extern "C" __global__ void classify(int vertices, const Offset *indptr, const int *indices, const int *weights,
                                    const Offset *entering, int2 *out)
{
    const unsigned u = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    if (u >= unsigned(vertices)) return;
    for (Offset arc = indptr[u] + threadIdx.x % 32; arc < indptr[u + 1]; arc += 32) {
        const int v = indices[arc];
        const Offset begin = indptr[v], leaving = indptr[v + 1] - begin;
        const bool leads_on = leaving > 1 || (leaving == 1 && indices[begin] != int(u));
        out[arc] = make_int2(v | (entering[v + 1] == 1 ? MARK : 0), weights[arc] | (leads_on ? 0 : MARK));
    }
}

SWEEP_KERNEL(edge_classes, Arc, 32)
SWEEP_KERNEL(edge_classes, Arc, 64)
