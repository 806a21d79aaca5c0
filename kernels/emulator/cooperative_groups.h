// Found in place of CUDA's header of this name.
#error "the emulator cannot run cooperative groups: a barrier across blocks needs all of them at once"
