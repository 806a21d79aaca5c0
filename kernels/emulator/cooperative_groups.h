// The compiler finds this file instead of CUDA's header of the same name.
#error "the emulator cannot run cooperative groups: a barrier across blocks needs all of them at once"
