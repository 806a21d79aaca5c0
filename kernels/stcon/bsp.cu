// stcon/bsp: st-connectivity by two breadth-first searches, red from s and green from t, until they meet.
//
// Report   bsp-suite, first Algorithms 3.5 (STCON_KERNEL1) and 3.6 (STCON_KERNEL2).
// Mapping  one thread per vertex in both kernels; one pair of launches per level, with the host in between.
// Departs  s is red and t is green from the start. In print both arrays start false, so that no colour ever spreads.
//          Line 5 of kernel 1 prints "G / R": it means either colour.
//          Green follows arcs backwards, so that a directed graph is searched for paths from s to t. On an undirected
//          graph both directions use the same arrays, as in the report.
//          Kernel 2 reports whether it coloured a vertex. In print, an unreachable pair never terminates.
//          The host answers s = t; in print the answer is 2.
//
// The report's names: frontier F_a, red R_a, green G_a, their updating counterparts F_ua, R_ua, G_ua, cost C_a.
// state holds R_f, G_f, Terminate and "more", in this order; the distance is R_f + G_f. All writers of a cost, R_f or
// G_f in one iteration write the same value, because both searches advance level by level. As in print, threads of kernel
// 2 read Terminate (line 2) while others set it (line 15): a vertex that is skipped keeps a colour that nobody reads any
// more, and the host reads the lengths after the launch.

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
            if (red[u] && green[v]) {  // the frontiers meet at an edge: only red's length includes it
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
    if (green[v] && red[v]) state[MET] = 1;  // the frontiers meet at a vertex
}
