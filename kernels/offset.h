// The number of an arc, or a count of arcs: of 32 bits, or of 64 in what is compiled with WIDE, for graphs of more arcs.

#pragma once

#ifdef WIDE
using Offset = unsigned long long;
#else
using Offset = unsigned;
#endif
