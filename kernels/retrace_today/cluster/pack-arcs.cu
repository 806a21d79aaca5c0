// Cuts a graph into parts, one for each block of a thread-block cluster, and packs its arcs into records.
//
// Used by  the solvers cluster and one-block, whose kernels read what is made here: parts.cuh, ../one-block/rounds.cuh.
// Cut      the vertices, in the order of their ids, fall into `pieces` runs with about as many records each, and the
//          runs are dealt out to the parts in turn. A vertex's place is its part and a position in it. Positions count
//          the bits of an array of words; neighbours in the order lie in neighbouring words, so that a frontier, whose
//          vertices have similar ids, is spread over the threads that own the words.
// Records  position p has record p: as many heads, as places, as the record has slots. Of a vertex with more arcs the
//          last slot is a link to a record beyond the positions, where the list goes on. Slots that are left over
//          repeat the last arc, which changes no answer and spares the searches a test; of a vertex without arcs they
//          lead to itself.
// Sizes    a long record has four places of 32 bits, for global memory, each followed by the arc's weight if there are
//          weights; a short one three places of 21 bits, for shared memory.
// Mapping  one thread per vertex. count_links and sum_links: a block of one warp per TILE vertices; sum_tiles: one warp.
//          number_pieces and number_links: one block, with a warp per part. Nothing depends on the order of threads, so
//          that all comes out the same each time.

constexpr int PART_SHIFT = 28, LONG_SLOTS = 4;  // a place has the part in its upper 4 bits
constexpr unsigned LINK = 1u << 27;             // the entry is the number of a record
constexpr int SHORT_PART_SHIFT = 17, SHORT_SLOTS = 3, SHORT_BITS = 21;  // of a place in a short record
constexpr unsigned long long SHORT_LINK = 1ull << 63;
constexpr int MOST_PARTS = 16;
constexpr unsigned EACH = 8, TILE = 32 * EACH;  // vertices that a lane, and a warp, adds up

inline __device__ unsigned thread_number() { return blockIdx.x * blockDim.x + threadIdx.x; }
inline __device__ unsigned part_of(unsigned place) { return place >> PART_SHIFT; }
inline __device__ unsigned position_of(unsigned place) { return place & ((1u << PART_SHIFT) - 1); }

// The records of a vertex beyond its first, which is how many links it has; 0 behind the last vertex.
inline __device__ int links_of(unsigned v, int vertices, int slots, const int *indptr)
{
    const int degree = v < unsigned(vertices) ? indptr[v + 1] - indptr[v] : 0;
    return degree <= slots ? 0 : (degree - 2) / (slots - 1);
}

// Returns the sum of the values of all lanes before this one.
inline __device__ int sum_before(int value, int &all)
{
    constexpr unsigned LANES = 0xffffffff;
    const int lane = threadIdx.x % 32;
    int sum = value;
    for (int step = 1; step < 32; step *= 2) {
        const int other = __shfl_up_sync(LANES, sum, step);
        if (lane >= step) sum += other;
    }
    all = __shfl_sync(LANES, sum, 31);
    return sum - value;
}

// Counts the links of each tile of vertices.
extern "C" __global__ void count_links(int vertices, int slots, const int *indptr, int *of_tile)
{
    const unsigned first = blockIdx.x * TILE + threadIdx.x * EACH;
    int links = 0, all;
    for (unsigned v = first; v < first + EACH; v++) links += links_of(v, vertices, slots, indptr);
    sum_before(links, all);
    if (threadIdx.x == 0) of_tile[blockIdx.x] = all;
}

// Replaces the links of each tile by those of all tiles before it.
extern "C" __global__ void sum_tiles(int tiles, int *of_tile)
{
    int before = 0;
    for (int first = 0; first < tiles; first += 32) {
        const int tile = first + threadIdx.x;
        int all;
        const int sum = sum_before(tile < tiles ? of_tile[tile] : 0, all);
        if (tile < tiles) of_tile[tile] = before + sum;
        before += all;
    }
}

// Writes the links of all vertices before each, and at the end all.
extern "C" __global__ void sum_links(int vertices, int slots, const int *indptr, const int *of_tile, int *links)
{
    const unsigned first = blockIdx.x * TILE + threadIdx.x * EACH;
    int in_lane = 0, all;
    for (unsigned v = first; v < first + EACH; v++) in_lane += links_of(v, vertices, slots, indptr);
    int sum = of_tile[blockIdx.x] + sum_before(in_lane, all);
    for (unsigned v = first; v < min(first + EACH, unsigned(vertices) + 1); v++) {
        links[v] = sum;
        sum += links_of(v, vertices, slots, indptr);
    }
}

// The piece of a vertex: which of so many shares of all records has its first. `links` are those of all before it.
inline __device__ int piece_of(int v, int vertices, int pieces, const int *links)
{
    const unsigned long long all = vertices + unsigned(links[vertices]), before = v + unsigned(links[v]);
    return int(before * pieces / all);
}

// Writes the piece of each vertex, and where each piece begins; one that no vertex begins in is empty.
extern "C" __global__ void find_pieces(int vertices, int pieces, const int *links, int *piece, int *first_vertex)
{
    const unsigned v = thread_number();
    if (v > unsigned(vertices)) return;
    const int last = v < unsigned(vertices) ? piece_of(v, vertices, pieces, links) : pieces;
    for (int begun = v ? piece_of(v - 1, vertices, pieces, links) + 1 : 0; begun <= last; begun++) first_vertex[begun] = v;
    if (v < unsigned(vertices)) piece[v] = last;
}

// Calls write(piece, sum) for each piece of this warp's part, with the sum of value(piece) of those before it in the part.
// Returns the sum of all.
template <typename Value, typename Write>
inline __device__ int sum_pieces(int parts, int pieces, Value value, Write write)
{
    const int part = threadIdx.x / 32, lane = threadIdx.x % 32;
    int before = 0;
    for (int first = part; first < pieces; first += 32 * parts) {
        const int piece = first + lane * parts;
        int all;
        const int sum = sum_before(piece < pieces ? value(piece) : 0, all);
        if (piece < pieces) write(piece, before + sum);
        before += all;
    }
    return before;
}

// Writes how many vertices of its part are before each piece, and the words of a part: those of the largest.
extern "C" __global__ void number_pieces(int parts, int pieces, const int *first_vertex, int *number, int *words)
{
    __shared__ int size[MOST_PARTS];
    size[threadIdx.x / 32] = sum_pieces(
        parts, pieces, [=](int piece) { return first_vertex[piece + 1] - first_vertex[piece]; },
        [=](int piece, int before) { number[piece] = before; });
    __syncthreads();
    if (threadIdx.x) return;
    int largest = 0;
    for (int part = 0; part < parts; part++) largest = max(largest, size[part]);
    *words = (largest + 31) / 32;
}

// Writes each vertex's place. If positions are not `spread` over the words, they count the vertices of a part.
extern "C" __global__ void place_vertices(int vertices, int parts, int words, int spread, const int *piece,
                                          const int *first_vertex, const int *number, unsigned *place)
{
    const unsigned v = thread_number();
    if (v >= unsigned(vertices)) return;
    const int position = number[piece[v]] + v - first_vertex[piece[v]];
    place[v] = unsigned(piece[v] % parts) << PART_SHIFT | (spread ? 32 * (position % words) + position / words : position);
}

// Writes the vertex at each place, or if there are `names`, its name; the others stay.
extern "C" __global__ void name_places(int vertices, int positions, const unsigned *place, int named, const int *names,
                                       int *vertex_at)
{
    const unsigned v = thread_number();
    if (v < unsigned(vertices))
        vertex_at[part_of(place[v]) * positions + position_of(place[v])] = named ? names[v] : v;
}

// Writes where the records of each part begin among all, and of each piece what makes sums of links the records that
// they lead to.
extern "C" __global__ void number_links(int parts, int pieces, int positions, const int *first_vertex, const int *links,
                                        int *number, int *first_record)
{
    __shared__ int records[MOST_PARTS];
    const auto before = [=](int piece) { return links[first_vertex[piece]]; };
    records[threadIdx.x / 32] = positions + sum_pieces(
        parts, pieces, [=](int piece) { return before(piece + 1) - before(piece); },
        [=](int piece, int sum) { number[piece] = positions + sum - before(piece); });
    __syncthreads();
    if (threadIdx.x) return;
    first_record[0] = 0;
    for (int part = 0; part < parts; part++) first_record[part + 1] = first_record[part] + records[part];
}

// The arcs of a graph, and where the records of its vertices go.
struct Packing {
    int vertices;
    const int *indptr, *indices, *weights;  // no weights: nullptr
    const unsigned *place;
    const int *piece, *number, *links, *first_record;

    // Calls write(record, heads, weights, goes_on) for each record; the last head of one that goes on is the number of
    // the next. A whole warp takes the records of a vertex that has many.
    template <int SLOTS, typename Write> __device__ void for_each_record(Write write) const
    {
        constexpr unsigned ALL = 0xffffffff;
        constexpr int MANY = 32;
        const unsigned u = thread_number();
        const int records = u < unsigned(vertices) ? links[u + 1] - links[u] + 1 : 0;
        if (records <= MANY)
            for (int k = 0; k < records; k++) pack<SLOTS>(u, k, records, write);
        for (unsigned left = __ballot_sync(ALL, records > MANY); left; left &= left - 1) {
            const int lane = __ffs(left) - 1, count = __shfl_sync(ALL, records, lane);
            for (int k = threadIdx.x % 32; k < count; k += 32) pack<SLOTS>(u - threadIdx.x % 32 + lane, k, count, write);
        }
    }

    template <int SLOTS, typename Write> __device__ void pack(int u, int k, int records, Write write) const
    {
        const int begin = indptr[u], end = indptr[u + 1], next = number[piece[u]] + links[u] + k;
        const bool goes_on = k + 1 < records;
        unsigned heads[SLOTS];
        int weight[SLOTS];
#pragma unroll
        for (int slot = 0; slot < SLOTS; slot++) {
            const int arc = min(begin + k * (SLOTS - 1) + slot, end - 1);
            heads[slot] = begin == end ? place[u] : place[indices[arc]];
            weight[slot] = weights && begin != end ? weights[arc] : 0;
        }
        if (goes_on) {
            heads[SLOTS - 1] = next;
            weight[SLOTS - 1] = 0;
        }
        write(first_record[part_of(place[u])] + (k ? next - 1 : position_of(place[u])), heads, weight, goes_on);
    }
};

// Writes long records of places alone.
extern "C" __global__ void pack_long(int vertices, const int *indptr, const int *indices, const unsigned *place,
                                     const int *piece, const int *number, const int *links, const int *first_record,
                                     uint4 *records)
{
    const Packing packing{vertices, indptr, indices, nullptr, place, piece, number, links, first_record};
    packing.for_each_record<LONG_SLOTS>([=](int record, const unsigned *heads, const int *, bool goes_on) {
        records[record] = {heads[0], heads[1], heads[2], heads[3] | (goes_on ? LINK : 0)};
    });
}

// Writes long records of places with weights.
extern "C" __global__ void pack_weighted(int vertices, const int *indptr, const int *indices, const int *weights,
                                         const unsigned *place, const int *piece, const int *number, const int *links,
                                         const int *first_record, uint4 *records)
{
    const Packing packing{vertices, indptr, indices, weights, place, piece, number, links, first_record};
    packing.for_each_record<LONG_SLOTS>([=](int record, const unsigned *heads, const int *weight, bool goes_on) {
        uint4 *const entry = records + 2ll * record;
        entry[0] = {heads[0], unsigned(weight[0]), heads[1], unsigned(weight[1])};
        entry[1] = {heads[2], unsigned(weight[2]), heads[3] | (goes_on ? LINK : 0), unsigned(weight[3])};
    });
}

// Writes short records; all numbers must fit into their bits.
extern "C" __global__ void pack_short(int vertices, const int *indptr, const int *indices, const unsigned *place,
                                      const int *piece, const int *number, const int *links, const int *first_record,
                                      unsigned long long *records)
{
    const auto shortened = [](unsigned head) {
        return static_cast<unsigned long long>(part_of(head) << SHORT_PART_SHIFT | position_of(head));
    };
    const Packing packing{vertices, indptr, indices, nullptr, place, piece, number, links, first_record};
    packing.for_each_record<SHORT_SLOTS>([=](int record, const unsigned *heads, const int *, bool goes_on) {
        const unsigned long long last = goes_on ? heads[2] : shortened(heads[2]);
        records[record] = shortened(heads[0]) | shortened(heads[1]) << SHORT_BITS | last << 2 * SHORT_BITS |
                          (goes_on ? SHORT_LINK : 0);
    });
}

// Writes the index of both ends of each arc: its place, counted through all parts. A warp takes the arcs of its vertices.
extern "C" __global__ void index_ends(int vertices, int positions, const int *indptr, const int *indices,
                                      const unsigned *place, unsigned *tails, unsigned *heads)
{
    const auto index = [=](int v) { return part_of(place[v]) * positions + position_of(place[v]); };
    const int first = thread_number() / 32 * 32, lane = threadIdx.x % 32;
    for (int u = first; u < min(first + 32, vertices); u++)
        for (int arc = indptr[u] + lane; arc < indptr[u + 1]; arc += 32) {
            tails[arc] = index(u);
            heads[arc] = index(indices[arc]);
        }
}
