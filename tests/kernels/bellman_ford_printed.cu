// Algorithms 2 to 5 and 7 of an-bellman-ford as printed, for tests/test_errata.py; only names are adapted.
//
// thread_x and thread_y are what getThreadIDx and getThreadIDy must mean. The matrix holds INFINITE where there is no
// arc.

constexpr int INFINITE = 2147483647;

__device__ inline int thread_x() { return blockIdx.x * blockDim.x + threadIdx.x; }
__device__ inline int thread_y() { return blockIdx.y * blockDim.y + threadIdx.y; }

// Adds ints as a GPU does: a sum that does not fit wraps around.
__device__ inline int plus(int a, int b) { return int(unsigned(a) + unsigned(b)); }

extern "C" __global__ void printed_initialization(int *dist, int source, int *mask, int *mask1)
{
    const int idx = thread_x();
    dist[idx] = INFINITE;
    mask[idx] = 0;
    mask1[idx] = 0;
    if (idx == source) {
        dist[idx] = 0;
        mask[idx] = 1;
    }
}

extern "C" __global__ void printed_relaxation(int vertices, int *dist, const int *matrix, int *mask, int *mask1,
                                              int *flag)
{
    const int i = thread_x(), j = thread_y();
    if (mask[i] == 1) {
        const int temp = atomicMin(&dist[j], plus(dist[i], matrix[i * vertices + j]));
        if (temp > dist[j]) {
            mask1[j] = 1;
            *flag = 1;
        }
    }
}

extern "C" __global__ void printed_swap(int *mask, int *mask1, int *flag)
{
    const int i = thread_x();
    const int temp = mask1[i];
    mask[i] = temp;
    mask1[i] = 0;
    *flag = 0;
}

extern "C" __global__ void printed_multi_edges(int vertices, int *dist, const int *matrix, int *mask, int *mask1,
                                               int *flag)
{
    int i = thread_x();
    const int j = thread_y();
    while (i < vertices) {
        while (i < vertices) {
            if (mask[i] == 1) {
                const int temp = atomicMin(&dist[j], plus(dist[i], matrix[i * vertices + j]));
                if (temp > dist[j]) {
                    mask1[j] = 1;
                    *flag = 1;
                }
            }
            i += gridDim.y * blockDim.y;
        }
        i += gridDim.x * blockDim.x;
    }
}

extern "C" __global__ void printed_incoming(int vertices, int *dist, const int *matrix, int *mask, int *mask1,
                                            int *flag)
{
    const int idx = thread_x();
    int minimum = dist[idx];
    for (int i = 0; i < vertices; i++) {
        if (mask[i] == 1) {
            if (plus(dist[i], matrix[i * vertices + idx]) < minimum) {
                minimum = plus(dist[i], matrix[i * vertices + idx]);
                mask1[i] = 1;
                *flag = 1;
            }
        }
        dist[idx] = minimum;
    }
}
