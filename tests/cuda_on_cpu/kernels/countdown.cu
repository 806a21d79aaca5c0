// One launch counts words[0] down and adds to words[2]; it says that there is more to do, or, at a number, that it has met.
extern "C" __global__ void count_down(int *words, int stop)
{
    if (words[0] > 0) words[1] = 1;
    if (words[0] == stop) words[3] = 1;
    words[0]--;
}

extern "C" __global__ void add(int *words, int amount) { words[2] += amount; }
