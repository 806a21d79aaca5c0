// Labels of two searches, red and green: which reached a vertex first, red if both did at once, and in which round. A round
// is a level, so that a label tells a vertex's distance from the source, or to the target.

#pragma once

constexpr unsigned NO_LABEL = 0xfffffffd;  // of a round that no search comes to, so that no arc leads there

inline __device__ unsigned make_label(unsigned round, bool is_green) { return 2 * round + is_green; }
inline __device__ bool is_green(unsigned label) { return label & 1; }
