// Vector types.

#pragma once

#include "../runtime.h"

#define EMULATOR_VECTOR(type, name, bytes)                                                                      \
    struct alignas(2 * (bytes)) name##2 { type x, y; };                                                         \
    struct name##3 { type x, y, z; };                                                                           \
    struct alignas((bytes) < 4 ? 4 * (bytes) : 16) name##4 { type x, y, z, w; };                                \
    inline name##2 make_##name##2(type x, type y) { return {x, y}; }                                            \
    inline name##3 make_##name##3(type x, type y, type z) { return {x, y, z}; }                                 \
    inline name##4 make_##name##4(type x, type y, type z, type w) { return {x, y, z, w}; }
EMULATOR_VECTOR(signed char, char, 1)
EMULATOR_VECTOR(unsigned char, uchar, 1)
EMULATOR_VECTOR(short, short, 2)
EMULATOR_VECTOR(unsigned short, ushort, 2)
EMULATOR_VECTOR(int, int, 4)
EMULATOR_VECTOR(float, float, 4)
EMULATOR_VECTOR(double, double, 8)
EMULATOR_VECTOR(long long, longlong, 8)
EMULATOR_VECTOR(unsigned long long, ulonglong, 8)
struct alignas(8) uint2 { unsigned x, y; };
struct alignas(16) uint4 { unsigned x, y, z, w; };
inline uint2 make_uint2(unsigned x, unsigned y) { return {x, y}; }
inline uint3 make_uint3(unsigned x, unsigned y, unsigned z) { return {x, y, z}; }
inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) { return {x, y, z, w}; }
