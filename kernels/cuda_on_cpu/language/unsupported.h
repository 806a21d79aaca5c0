// Features that cannot be emulated: each is a compile error that gives the reason.

#pragma once

#define EMULATOR_CANNOT(declaration, name, reason) \
    [[gnu::error("the emulator cannot run " name ": " reason)]] declaration;
EMULATOR_CANNOT(unsigned __activemask(), "__activemask", "which lanes run together is not defined here")
EMULATOR_CANNOT(void __pipeline_memcpy_async(...), "__pipeline_memcpy_async", "it has no asynchronous copies (cp.async)")
EMULATOR_CANNOT(long long clock64(), "clock64", "emulated time means nothing")
EMULATOR_CANNOT(int emulator_clock(), "clock", "emulated time means nothing")
#define clock emulator_clock
#define __managed__ static_assert(false, "the emulator cannot run __managed__ variables");
#define asm static_assert(false, "the emulator cannot run inline PTX (asm)");
#define __asm__ asm
#define __asm asm
#define cudaLaunchDevice static_assert(false, "the emulator cannot run dynamic parallelism");
