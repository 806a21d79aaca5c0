// Keeps a stream busy for some microseconds, so that the work that the host queues behind it runs without gaps. Events
// around a kernel then measure the kernel, not the delay between the host's calls.
//
// Mapping  one thread. Each step is a load that depends on the previous one and takes about 0.15 to 0.7 microseconds.

extern "C" __global__ void hold(const volatile int *chain, int steps, int *end)
{
    int at = 0;
    for (int step = 0; step < steps; step++) at = chain[at];  // chain[0] is 0
    *end = at;
}
