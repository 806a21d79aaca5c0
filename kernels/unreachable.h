// Infinity: the level or distance of a vertex that no path has reached, and the weight of an arc that a matrix lacks.

#pragma once

constexpr int UNREACHABLE = 2147483647;
