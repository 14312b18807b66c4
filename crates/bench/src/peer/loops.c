/* The obvious loop of every row of `bench all`, written by hand.

   Every loop takes its arrays in one structure, so that one function times them all: index arrays are int32_t, as on the
   other sides. Dense results are written where the caller keeps them; sparse results are made in new memory, which is
   freed after the time was taken. With two threads, loops over rows are divided by OpenMP. */
#define _GNU_SOURCE
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "args.h"

typedef void (*loop)(args *);
typedef void (*part)(args *, int64_t, int64_t);

static void forget(args *a) {
  free(a->pos), free(a->crd), free(a->val);
  a->pos = a->crd = 0;
  a->val = 0;
}

/* Runs a loop so many times and notes the nanoseconds of each. */
void turn(loop f, args *a, int64_t times, int64_t *ns) {
  for (int64_t k = 0; k < times; k++) {
    struct timespec s, e;
    clock_gettime(CLOCK_MONOTONIC, &s);
    f(a);
    clock_gettime(CLOCK_MONOTONIC, &e);
    ns[k] = (e.tv_sec - s.tv_sec) * 1000000000 + e.tv_nsec - s.tv_nsec;
    forget(a);
  }
}
void release(args *a) { forget(a); }

static void over(args *a, int64_t n, part f) {
  if (a->threads < 2) {
    f(a, 0, n);
    return;
  }
  const int64_t step = n / (16 * a->threads) + 1;
#pragma omp parallel for num_threads(a->threads) schedule(dynamic)
  for (int64_t b = 0; b < n; b += step) f(a, b, b + step < n ? b + step : n);
}

static int32_t *ints(int64_t n) { return malloc((n ? n : 1) * sizeof(int32_t)); }
static double *doubles(int64_t n) { return malloc((n ? n : 1) * sizeof(double)); }

/* SpMV: n[0] rows. */
static void csr_rows(args *a, int64_t from, int64_t to) {
  const int32_t *restrict pos = a->i[0], *restrict crd = a->i[1];
  const double *restrict v = a->v[0], *restrict x = a->v[1];
  double *restrict y = a->y;
  for (int64_t i = from; i < to; i++) {
    double t = 0;
    for (int32_t p = pos[i]; p < pos[i + 1]; p++) t += v[p] * x[crd[p]];
    y[i] = t;
  }
}
void spmv_csr(args *a) { over(a, a->n[0], csr_rows); }

void spmv_csc(args *a) {
  const int32_t *restrict pos = a->i[0], *restrict crd = a->i[1];
  const double *restrict v = a->v[0], *restrict x = a->v[1];
  double *restrict y = a->y;
  memset(y, 0, a->n[0] * sizeof *y);
  for (int64_t j = 0; j < a->n[1]; j++)
    for (int32_t p = pos[j]; p < pos[j + 1]; p++) y[crd[p]] += v[p] * x[j];
}

void spmv_coo(args *a) {
  const int32_t *restrict row = a->i[0], *restrict col = a->i[1];
  const double *restrict v = a->v[0], *restrict x = a->v[1];
  double *restrict y = a->y;
  memset(y, 0, a->n[0] * sizeof *y);
  for (int64_t p = 0; p < a->n[2]; p++) y[row[p]] += v[p] * x[col[p]];
}

/* n[1] slots a row, slot by slot; padding has value 0 and column 0. */
static void ell_rows(args *a, int64_t from, int64_t to) {
  const double *restrict x = a->v[1];
  double *restrict y = a->y;
  for (int64_t i = from; i < to; i++) y[i] = 0;
  for (int64_t s = 0; s < a->n[1]; s++) {
    const int32_t *restrict crd = a->i[0] + s * a->n[0];
    const double *restrict v = a->v[0] + s * a->n[0];
    for (int64_t i = from; i < to; i++) y[i] += v[i] * x[crd[i]];
  }
}
void spmv_ell(args *a) { over(a, a->n[0], ell_rows); }

/* Slices of eight rows, each padded to its longest; n[1] slices. */
static void sell_slices(args *a, int64_t from, int64_t to) {
  const int32_t *restrict pos = a->i[0], *restrict crd = a->i[1];
  const double *restrict v = a->v[0], *restrict x = a->v[1];
  double *restrict y = a->y;
  for (int64_t i = from; i < to; i++) {
    double t[8] = {0};
    for (int64_t s = pos[i]; s < pos[i + 1]; s++)
      for (int r = 0; r < 8; r++) t[r] += v[8 * s + r] * x[crd[8 * s + r]];
    const int64_t rows = a->n[0] - 8 * i < 8 ? a->n[0] - 8 * i : 8;
    for (int64_t r = 0; r < rows; r++) y[8 * i + r] = t[r];
  }
}
void spmv_sell8(args *a) { over(a, a->n[1], sell_slices); }

/* n[1] rows of blocks of n[2] by n[2]. */
static inline __attribute__((always_inline)) void blocks(args *a, int64_t from, int64_t to, const int b) {
  const int32_t *restrict pos = a->i[0], *restrict crd = a->i[1];
  const double *restrict v = a->v[0], *restrict x = a->v[1];
  double *restrict y = a->y;
  for (int64_t i = from; i < to; i++) {
    double t[8] = {0};
    for (int64_t p = pos[i]; p < pos[i + 1]; p++)
      for (int r = 0; r < b; r++)
        for (int c = 0; c < b; c++) t[r] += v[(p * b + r) * b + c] * x[(int64_t)crd[p] * b + c];
    for (int r = 0; r < b; r++) y[i * b + r] = t[r];
  }
}
static void bsr_rows(args *a, int64_t from, int64_t to) {
  if (a->n[2] == 2) blocks(a, from, to, 2);
  else if (a->n[2] == 3) blocks(a, from, to, 3);
  else if (a->n[2] == 4) blocks(a, from, to, 4);
  else blocks(a, from, to, a->n[2]);
}
void spmv_bsr(args *a) { over(a, a->n[1], bsr_rows); }

/* SpMM: n[1] columns. */
static void spmm_rows(args *a, int64_t from, int64_t to) {
  const int32_t *restrict pos = a->i[0], *restrict crd = a->i[1];
  const double *restrict v = a->v[0];
  const int64_t k = a->n[1];
  for (int64_t i = from; i < to; i++) {
    double *restrict out = a->y + i * k;
    for (int64_t q = 0; q < k; q++) out[q] = 0;
    for (int32_t p = pos[i]; p < pos[i + 1]; p++) {
      const double *restrict row = a->v[1] + (int64_t)crd[p] * k;
      for (int64_t q = 0; q < k; q++) out[q] += v[p] * row[q];
    }
  }
}
void spmm(args *a) { over(a, a->n[0], spmm_rows); }

/* SDDMM: n[1] columns; the structure of the result is a copy of the operand's. */
static void sddmm_rows(args *a, int64_t from, int64_t to) {
  const int32_t *restrict pos = a->i[0], *restrict crd = a->i[1];
  const double *restrict v = a->v[0];
  double *restrict out = a->val;
  const int64_t k = a->n[1];
  for (int64_t i = from; i < to; i++) {
    const double *restrict b = a->v[1] + i * k;
    for (int32_t p = pos[i]; p < pos[i + 1]; p++) {
      const double *restrict d = a->v[2] + (int64_t)crd[p] * k;
      double t = 0;
      for (int64_t q = 0; q < k; q++) t += b[q] * d[q];
      out[p] = v[p] * t;
    }
  }
}
static void same_structure(args *a) {
  a->count = a->i[0][a->n[0]];
  a->pos = ints(a->n[0] + 1), a->crd = ints(a->count), a->val = doubles(a->count);
  memcpy(a->pos, a->i[0], (a->n[0] + 1) * sizeof(int32_t));
  memcpy(a->crd, a->i[1], a->count * sizeof(int32_t));
}
void sddmm(args *a) {
  same_structure(a);
  over(a, a->n[0], sddmm_rows);
}

/* What is copied to own the operand. */
void copy(args *a) {
  same_structure(a);
  memcpy(a->val, a->v[0], a->count * sizeof(double));
}

/* Gustavson's algorithm with a dense row: n[0] rows, n[1] columns of the result. */
static int ascending(const void *a, const void *b) {
  const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
  return (x > y) - (x < y);
}
static void product(args *a, int sorted) {
  const int32_t *restrict apos = a->i[0], *restrict acrd = a->i[1], *restrict bpos = a->i[2], *restrict bcrd = a->i[3];
  const double *restrict av = a->v[0], *restrict bv = a->v[1];
  int64_t n = 0, room = 1024;
  int32_t *mark = ints(a->n[1]);
  double *row = doubles(a->n[1]);
  memset(mark, 0xff, a->n[1] * sizeof *mark);
  a->pos = ints(a->n[0] + 1), a->crd = ints(room), a->val = doubles(room);
  a->pos[0] = 0;
  for (int64_t i = 0; i < a->n[0]; i++) {
    const int64_t start = n;
    int64_t most = 0;
    for (int32_t p = apos[i]; p < apos[i + 1]; p++) most += bpos[acrd[p] + 1] - bpos[acrd[p]];
    if (most > a->n[1]) most = a->n[1];
    if (n + most > room) {
      room = 2 * room > n + most ? 2 * room : n + most;
      a->crd = realloc(a->crd, room * sizeof *a->crd), a->val = realloc(a->val, room * sizeof *a->val);
    }
    int32_t *restrict crd = a->crd;
    for (int32_t p = apos[i]; p < apos[i + 1]; p++)
      for (int32_t q = bpos[acrd[p]]; q < bpos[acrd[p] + 1]; q++) {
        const int32_t k = bcrd[q];
        if (mark[k] != i) mark[k] = i, row[k] = 0, crd[n++] = k;
        row[k] += av[p] * bv[q];
      }
    if (sorted) qsort(crd + start, n - start, sizeof *crd, ascending);
    for (int64_t q = start; q < n; q++) a->val[q] = row[crd[q]];
    a->pos[i + 1] = n;
  }
  free(mark), free(row);
  a->count = n;
}
void matmul(args *a) { product(a, 0); }
void matmul_sorted(args *a) { product(a, 1); }

/* Two sorted matrices; n[0] rows. */
static void sum_of(int64_t rows, const int32_t *restrict bpos, const int32_t *restrict bcrd, const double *restrict b,
                   const int32_t *restrict cpos, const int32_t *restrict ccrd, const double *restrict c, args *a) {
  const int64_t most = (int64_t)bpos[rows] + cpos[rows];
  int32_t *restrict pos = a->pos = ints(rows + 1), *restrict crd = a->crd = ints(most);
  double *restrict val = a->val = doubles(most);
  int32_t p = 0;
  pos[0] = 0;
  for (int64_t i = 0; i < rows; i++) {
    int32_t q = bpos[i], r = cpos[i];
    const int32_t qe = bpos[i + 1], re = cpos[i + 1];
    while (q < qe && r < re) {
      const int32_t jb = bcrd[q], jc = ccrd[r], j = jb < jc ? jb : jc;
      val[p] = (jb == j ? b[q] : 0) + (jc == j ? c[r] : 0);
      crd[p++] = j;
      q += jb == j;
      r += jc == j;
    }
    for (; q < qe; q++) val[p] = b[q], crd[p++] = bcrd[q];
    for (; r < re; r++) val[p] = c[r], crd[p++] = ccrd[r];
    pos[i + 1] = p;
  }
  a->count = p;
}
/* n[1] matrices, two at a time. */
void add(args *a) {
  sum_of(a->n[0], a->i[0], a->i[1], a->v[0], a->i[2], a->i[3], a->v[1], a);
  for (int64_t k = 2; k < a->n[1]; k++) {
    int32_t *pos = a->pos, *crd = a->crd;
    double *val = a->val;
    sum_of(a->n[0], pos, crd, val, a->i[2 * k], a->i[2 * k + 1], a->v[k], a);
    free(pos), free(crd), free(val);
  }
}

/* Tensors of order three in CSF: i[0..2], i[2..4], i[4..6] are the positions and coordinates of the levels. */
static void mttkrp_fibres(args *a, int64_t from, int64_t to) {
  const int64_t rank = a->n[1];
  double sum[rank];
  for (int64_t p = from; p < to; p++) {
    double *restrict out = a->y + (int64_t)a->i[1][p] * rank;
    for (int64_t q = a->i[2][p]; q < a->i[2][p + 1]; q++) {
      for (int64_t j = 0; j < rank; j++) sum[j] = 0;
      for (int64_t r = a->i[4][q]; r < a->i[4][q + 1]; r++) {
        const double v = a->v[0][r];
        const double *restrict d = a->v[2] + (int64_t)a->i[5][r] * rank;
        for (int64_t j = 0; j < rank; j++) sum[j] += v * d[j];
      }
      const double *restrict c = a->v[1] + (int64_t)a->i[3][q] * rank;
      for (int64_t j = 0; j < rank; j++) out[j] += sum[j] * c[j];
    }
  }
}
void mttkrp(args *a) {
  memset(a->y, 0, a->n[0] * a->n[1] * sizeof(double));
  over(a, a->i[0][1], mttkrp_fibres);
}

static inline double dot(const args *a, int64_t q) {
  double t = 0;
  for (int64_t r = a->i[4][q]; r < a->i[4][q + 1]; r++) t += a->v[0][r] * a->v[1][a->i[5][r]];
  return t;
}
static void ttv_fibres(args *a, int64_t from, int64_t to) {
  for (int64_t p = from; p < to; p++)
    for (int64_t q = a->i[2][p]; q < a->i[2][p + 1]; q++) a->y[(int64_t)a->i[1][p] * a->n[1] + a->i[3][q]] = dot(a, q);
}
void ttv(args *a) {
  memset(a->y, 0, a->n[0] * a->n[1] * sizeof(double));
  over(a, a->i[0][1], ttv_fibres);
}

/* Rows of the result for every fibre: n[1] columns. Its structure is that of the upper levels. */
static void ttm_fibres(args *a, int64_t from, int64_t to) {
  const int64_t k = a->n[1];
  for (int64_t q = from; q < to; q++) {
    double *restrict out = a->val + q * k;
    for (int64_t j = 0; j < k; j++) out[j] = 0;
    for (int64_t r = a->i[4][q]; r < a->i[4][q + 1]; r++) {
      const double *restrict b = a->v[1] + (int64_t)a->i[5][r] * k;
      for (int64_t j = 0; j < k; j++) out[j] += a->v[0][r] * b[j];
    }
  }
}
static int64_t upper_levels(args *a) {
  const int64_t slices = a->i[0][1], fibres = a->i[2][slices];
  /* Both upper levels in one array each, as one allocation is as good as two. */
  a->pos = ints(2 + slices + 1), a->crd = ints(slices + fibres);
  memcpy(a->pos, a->i[0], 2 * sizeof(int32_t));
  memcpy(a->pos + 2, a->i[2], (slices + 1) * sizeof(int32_t));
  memcpy(a->crd, a->i[1], slices * sizeof(int32_t));
  memcpy(a->crd + slices, a->i[3], fibres * sizeof(int32_t));
  return fibres;
}
void ttm(args *a) {
  const int64_t fibres = upper_levels(a);
  a->count = fibres * a->n[1];
  a->val = doubles(a->count);
  over(a, fibres, ttm_fibres);
}

/* The transpose in the same format: n[0] rows and n[1] columns. */
void transpose(args *a) {
  const int32_t *restrict pos = a->i[0], *restrict crd = a->i[1];
  const double *restrict v = a->v[0];
  const int64_t rows = a->n[0], cols = a->n[1], nnz = pos[rows];
  int32_t *restrict at = a->pos = ints(cols + 1), *restrict out = a->crd = ints(nnz);
  double *restrict val = a->val = doubles(nnz);
  memset(at, 0, (cols + 1) * sizeof *at);
  for (int64_t p = 0; p < nnz; p++) at[crd[p] + 1]++;
  for (int64_t j = 0; j < cols; j++) at[j + 1] += at[j];
  for (int64_t i = 0; i < rows; i++)
    for (int32_t p = pos[i]; p < pos[i + 1]; p++) {
      const int32_t to = at[crd[p]]++;
      out[to] = i, val[to] = v[p];
    }
  memmove(at + 1, at, cols * sizeof *at);
  at[0] = 0;
  a->count = nnz;
}

void csr_coo(args *a) {
  const int32_t *restrict pos = a->i[0];
  const int64_t rows = a->n[0], nnz = pos[rows];
  int32_t *restrict row = a->pos = ints(nnz);
  a->crd = ints(nnz), a->val = doubles(nnz), a->count = nnz;
  for (int64_t i = 0; i < rows; i++)
    for (int32_t p = pos[i]; p < pos[i + 1]; p++) row[p] = i;
  memcpy(a->crd, a->i[1], nnz * sizeof(int32_t));
  memcpy(a->val, a->v[0], nnz * sizeof(double));
}

/* Rows in order: n[0] rows, n[2] entries. */
void coo_csr(args *a) {
  const int32_t *restrict row = a->i[0];
  const int64_t rows = a->n[0], nnz = a->n[2];
  int32_t *restrict pos = a->pos = ints(rows + 1);
  a->crd = ints(nnz), a->val = doubles(nnz), a->count = nnz;
  memset(pos, 0, (rows + 1) * sizeof *pos);
  for (int64_t p = 0; p < nnz; p++) pos[row[p] + 1]++;
  for (int64_t i = 0; i < rows; i++) pos[i + 1] += pos[i];
  memcpy(a->crd, a->i[1], nnz * sizeof(int32_t));
  memcpy(a->val, a->v[0], nnz * sizeof(double));
}

/* Entries in any order, some more than once: sorted by column, then by row, each by counting, and added up. */
void from_coo(args *a) {
  const int32_t *restrict row = a->i[0], *restrict col = a->i[1];
  const double *restrict v = a->v[0];
  const int64_t rows = a->n[0], cols = a->n[1], nnz = a->n[2];
  int32_t *at = calloc((rows > cols ? rows : cols) + 1, sizeof *at), *order = ints(nnz), *by_col = ints(nnz);
  for (int64_t p = 0; p < nnz; p++) at[col[p] + 1]++;
  for (int64_t j = 0; j < cols; j++) at[j + 1] += at[j];
  for (int64_t p = 0; p < nnz; p++) by_col[at[col[p]]++] = p;
  memset(at, 0, (rows + 1) * sizeof *at);
  for (int64_t p = 0; p < nnz; p++) at[row[p] + 1]++;
  for (int64_t i = 0; i < rows; i++) at[i + 1] += at[i];
  for (int64_t p = 0; p < nnz; p++) order[at[row[by_col[p]]]++] = by_col[p];
  int32_t *restrict pos = a->pos = ints(rows + 1), *restrict crd = a->crd = ints(nnz);
  double *restrict val = a->val = doubles(nnz);
  int32_t n = 0, p = 0;
  pos[0] = 0;
  for (int64_t i = 0; i < rows; i++) {
    for (; p < at[i]; p++) {
      const int32_t e = order[p];
      if (n > pos[i] && crd[n - 1] == col[e]) val[n - 1] += v[e];
      else crd[n] = col[e], val[n++] = v[e];
    }
    pos[i + 1] = n;
  }
  free(at), free(order), free(by_col);
  a->count = n;
}

/* Blocks of n[2] by n[2]; blocks of a row are in the order in which they are met. */
void csr_bsr(args *a) {
  const int32_t *restrict pos = a->i[0], *restrict crd = a->i[1];
  const double *restrict v = a->v[0];
  const int64_t b = a->n[2], rows = a->n[0] / b, cols = a->n[1] / b;
  int32_t *seen = ints(cols), *restrict out = a->pos = ints(rows + 1);
  memset(seen, 0xff, cols * sizeof *seen);
  int32_t n = 0;
  for (int64_t i = 0; i < rows; i++)
    for (int32_t p = pos[i * b]; p < pos[(i + 1) * b]; p++)
      if (seen[crd[p] / b] != i) seen[crd[p] / b] = i, n++;
  a->crd = ints(n), a->val = calloc(n * b * b + 1, sizeof(double)), a->count = n * b * b;
  memset(seen, 0xff, cols * sizeof *seen);
  n = out[0] = 0;
  for (int64_t i = 0; i < rows; i++) {
    const int32_t start = n;
    for (int64_t r = 0; r < b; r++)
      for (int32_t p = pos[i * b + r]; p < pos[i * b + r + 1]; p++) {
        const int32_t k = crd[p] / b;
        if (seen[k] < start) seen[k] = n, a->crd[n++] = k;
        a->val[(seen[k] * b + r) * b + crd[p] % b] = v[p];
      }
    out[i + 1] = n;
  }
  free(seen);
}

/* A coordinate file of MatrixMarket: values in coordinates, both triangles where the file is symmetric. */
void read_mtx(args *a) {
  FILE *f = fopen(a->path, "r");
  if (!f) return;
  char *line = 0;
  size_t size = 0;
  getline(&line, &size, f);
  const int symmetric = strstr(line, " symmetric") != 0, skew = strstr(line, "skew") != 0;
  while (getline(&line, &size, f) > 0 && line[0] == '%') {}
  char *at = line;
  strtol(at, &at, 10), strtol(at, &at, 10);
  const int64_t entries = strtol(at, &at, 10), room = (symmetric || skew ? 2 : 1) * entries;
  a->pos = ints(room), a->crd = ints(room), a->val = doubles(room);
  int64_t n = 0;
  while (getline(&line, &size, f) > 0) {
    at = line;
    const int32_t i = strtol(at, &at, 10) - 1, j = strtol(at, &at, 10) - 1;
    if (i < 0 || n >= room) continue;
    char *end;
    double v = strtod(at, &end);
    if (end == at) v = 1;
    a->pos[n] = i, a->crd[n] = j, a->val[n++] = v;
    if ((symmetric || skew) && i != j) a->pos[n] = j, a->crd[n] = i, a->val[n++] = skew ? -v : v;
  }
  a->count = n;
  free(line), fclose(f);
}

/* MKL's functions, called as `turn` calls loops. */
typedef struct {
  int type, mode, diag;
} descr;
void mkl_mv(args *a) {
  int (*f)(int, double, void *, descr, const double *, double, double *) = a->call;
  f(10, 1.0, a->handle, (descr){20, 0, 0}, a->v[1], 0.0, a->y);
}
void mkl_mm(args *a) {
  int (*f)(int, double, void *, descr, int, const double *, int, int, double, double *, int) = a->call;
  const int k = a->n[1];
  f(10, 1.0, a->handle, (descr){20, 0, 0}, 101, a->v[1], k, k, 0.0, a->y, k);
}
void mkl_left(args *a) {
  int (*f)(int, double, void *, descr, int, const double *, int, int, double, double *, int) = a->call;
  f(11, 1.0, a->handle, (descr){20, 0, 0}, 102, a->v[1], a->n[0], a->n[2], 0.0, a->y, a->n[1]);
}

/* How fast memory is: y = x + 3 z. */
static void triad_part(args *a, int64_t from, int64_t to) {
  const double *restrict x = a->v[0], *restrict z = a->v[1];
  double *restrict y = a->y;
  for (int64_t i = from; i < to; i++) y[i] = x[i] + 3.0 * z[i];
}
void triad(args *a) { over(a, a->n[0], triad_part); }
