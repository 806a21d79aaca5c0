// stcon/bsp: st-connectivity by two breadth-first searches, red from s and green from t, until they meet.
//
// Report   bsp-suite, Algorithms 3.5 (STCON_KERNEL1) and 3.6 (STCON_KERNEL2).
// Mapping  one thread a vertex, in both kernels; one pair of launches a level, with the host in between.
// Departs  s starts out red and t green (printed: both arrays false, so neither colour ever spreads).
//          Line 5 of kernel 1 reads "G / R": either colour.
//          Green follows arcs backwards, so that a directed graph is answered for paths from s to t; on an
//          undirected graph both directions are the same arrays, as in the report.
//          Kernel 2 says whether anything was coloured; as printed, an unreachable pair never terminates.
//          s = t is answered by the host; as printed, it gives 2.
//
// The report's names: frontier F_a, red R_a, green G_a, their updating twins F_ua, R_ua, G_ua, cost C_a.
// state holds R_f, G_f, Terminate and "more" in this order; the distance is R_f + G_f. Every writer of a cost,
// R_f or G_f in one iteration writes the same value, because both searches advance level by level.

enum { RED_LENGTH, GREEN_LENGTH, MET, MORE };

extern "C" __global__ void stcon_kernel1(int vertices, const int *out_indptr, const int *out_indices,
                                         const int *in_indptr, const int *in_indices, bool *frontier,
                                         const bool *red, const bool *green, bool *frontier_updating,
                                         bool *red_updating, bool *green_updating, int *cost, int *state)
{
    const int u = blockIdx.x * blockDim.x + threadIdx.x;
    if (u >= vertices || !frontier[u]) return;
    frontier[u] = false;
    const int *indptr = red[u] ? out_indptr : in_indptr;
    const int *indices = red[u] ? out_indices : in_indices;
    for (int arc = indptr[u]; arc < indptr[u + 1]; arc++) {
        const int v = indices[arc];
        if (green[v] || red[v]) {
            if (red[u] && green[v]) {  // the frontiers meet at an edge: only red grows by it
                state[RED_LENGTH] = cost[u] + 1;
                state[MET] = 1;
            }
            if (green[u] && red[v]) state[MET] = 1;
        } else {
            if (green[u]) green_updating[v] = true;
            if (red[u]) red_updating[v] = true;
            frontier_updating[v] = true;
            cost[v] = cost[u] + 1;
        }
    }
}

extern "C" __global__ void stcon_kernel2(int vertices, bool *frontier, bool *red, bool *green,
                                         bool *frontier_updating, bool *red_updating, bool *green_updating,
                                         const int *cost, int *state)
{
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= vertices || !frontier_updating[v] || state[MET]) return;
    frontier[v] = true;
    if (red_updating[v]) {
        red[v] = true;
        state[RED_LENGTH] = cost[v];
    }
    if (green_updating[v]) {
        green[v] = true;
        state[GREEN_LENGTH] = cost[v];
    }
    frontier_updating[v] = false;
    red_updating[v] = false;
    green_updating[v] = false;
    state[MORE] = 1;
    if (green[v] && red[v]) {  // the frontiers meet at a vertex
        __threadfence();       // both lengths before the flag that makes other threads leave theirs
        state[MET] = 1;
    }
}
