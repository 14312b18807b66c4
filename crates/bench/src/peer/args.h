/* What a loop is given: one structure for all, so that one function times them. */
#ifndef ARGS_H
#define ARGS_H
#include <stdint.h>

typedef struct {
  int64_t threads, n[6];
  const int32_t *i[24];
  const double *v[8];
  double *y;
  /* What a loop made: positions or rows, coordinates, values; and how many values. */
  int32_t *pos, *crd;
  double *val;
  int64_t count;
  /* A function of a library, its operand and its options, for the loops that only pass on to it. */
  void *call, *handle;
  const char *path;
} args;
#endif
