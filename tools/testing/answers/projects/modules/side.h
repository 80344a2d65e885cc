#define SIDE int
