// One launch counts words[0] down and adds to words[2]; it says that there is more to do, or, at a number, that it has met.
extern "C" __global__ void count_down(int *words, int stop)
{
    if (words[0] > 0) words[1] = 1;
    if (words[0] == stop) words[3] = 1;
    words[0]--;
}

extern "C" __global__ void add(int *words, int amount) { words[2] += amount; }

extern "C" __global__ void note(int *words, int digit) { words[2] = 10 * words[2] + digit; }

// Asks for more until words[0] is 0.
extern "C" __global__ void lower(int *words) { words[1] = --words[0] > 0; }

// Counts blocks; asks for five items more, up to `most`.
extern "C" __global__ void widen(int *words, int most)
{
    if (threadIdx.x == 0) atomicAdd(words + 2, 1);
    if (blockIdx.x == 0 && threadIdx.x == 0) words[1] = words[1] + 5 > most ? 0 : words[1] + 5;
}

// Clears the first element that is set.
extern "C" __global__ void clear_first(bool *mask, int size)
{
    for (int i = 0; i < size; i++)
        if (mask[i]) {
            mask[i] = false;
            return;
        }
}
