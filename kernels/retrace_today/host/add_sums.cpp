// Not a solver: adds fixed-point scores, as fixed_point.cuh has them, and rounds them, on all cores.
//
// Used by  betweenness on several GPUs, and over shards.

#include "../../host/in_parallel.h"

struct FixedPoint {
    unsigned long long fraction, whole;
};

extern "C" void add_sums(long long entries, FixedPoint *total, const FixedPoint *more)
{
    in_parallel(all_cores(), 0, entries, [&](Position begin, Position end) {
        for (Position i = begin; i < end; i++) {
            total[i].fraction += more[i].fraction;
            total[i].whole += more[i].whole + (total[i].fraction < more[i].fraction);
        }
    });
}

// The fraction counts units of 2^-64.
extern "C" void round_sums(long long entries, const FixedPoint *sums, double *rounded)
{
    in_parallel(all_cores(), 0, entries, [&](Position begin, Position end) {
        for (Position i = begin; i < end; i++) rounded[i] = double(sums[i].whole) + double(sums[i].fraction) * 0x1p-64;
    });
}
