// Keeps a stream busy for some microseconds, so that what the host queues behind it runs without gaps: events
// around a kernel then time the kernel, not the host's delay between the calls.
//
// Mapping  one thread; each step is a load that depends on the one before, some 0.15 to 0.7 microseconds.

extern "C" __global__ void hold(const volatile int *chain, int steps, int *end)
{
    int at = 0;
    for (int step = 0; step < steps; step++) at = chain[at];  // chain[0] is 0
    *end = at;
}
