/* The loops that the generated kernels are measured against, written by hand.
   Index arrays: pos int64_t, crd int32_t. Results: zeroed by the caller unless the loop appends. */
#include <stdint.h>
#include <stdlib.h>

void spmv_csr(int64_t n, const int64_t *restrict pos, const int32_t *restrict crd, const double *restrict a,
              const double *restrict x, double *restrict y) {
  for (int64_t i = 0; i < n; i++) {
    double t = 0;
    for (int64_t p = pos[i]; p < pos[i + 1]; p++) t += a[p] * x[crd[p]];
    y[i] = t;
  }
}

void spmv_coo(int64_t nnz, const int32_t *restrict row, const int32_t *restrict col, const double *restrict a,
              const double *restrict x, double *restrict y) {
  for (int64_t p = 0; p < nnz; p++) y[row[p]] += a[p] * x[col[p]];
}

void spmm_csr(int64_t n, int64_t k, const int64_t *restrict pos, const int32_t *restrict crd,
              const double *restrict a, const double *restrict b, double *restrict c) {
  for (int64_t i = 0; i < n; i++)
    for (int64_t p = pos[i]; p < pos[i + 1]; p++) {
      const double v = a[p];
      const double *restrict row = b + (int64_t)crd[p] * k;
      double *restrict out = c + i * k;
      for (int64_t q = 0; q < k; q++) out[q] += v * row[q];
    }
}

/* Grows crd and val to hold one more element, doubling. */
static void room(int64_t p, int64_t *cap, int32_t **crd, double **val) {
  if (p < *cap) return;
  *cap = *cap ? 2 * *cap : 1024;
  *crd = realloc(*crd, *cap * sizeof **crd);
  *val = realloc(*val, *cap * sizeof **val);
}

/* Returns the number of nonzeros; frees what it assembled unless the caller wants it. */
int64_t add_csr(int64_t n, const int64_t *restrict bpos, const int32_t *restrict bcrd, const double *restrict b,
                const int64_t *restrict cpos, const int32_t *restrict ccrd, const double *restrict c,
                int64_t *restrict pos, double *sum) {
  int64_t p = 0, cap = 0;
  int32_t *crd = 0;
  double *val = 0;
  pos[0] = 0;
  for (int64_t i = 0; i < n; i++) {
    int64_t q = bpos[i], qe = bpos[i + 1], r = cpos[i], re = cpos[i + 1];
    while (q < qe && r < re) {
      int32_t jb = bcrd[q], jc = ccrd[r], j = jb < jc ? jb : jc;
      room(p, &cap, &crd, &val);
      if (jb == j && jc == j) val[p] = b[q] + c[r];
      else if (jb == j) val[p] = b[q];
      else val[p] = c[r];
      crd[p++] = j;
      q += jb == j;
      r += jc == j;
    }
    for (; q < qe; q++) { room(p, &cap, &crd, &val); val[p] = b[q]; crd[p++] = bcrd[q]; }
    for (; r < re; r++) { room(p, &cap, &crd, &val); val[p] = c[r]; crd[p++] = ccrd[r]; }
    pos[i + 1] = p;
  }
  double s = 0;
  if (sum) { for (int64_t k = 0; k < p; k++) s += val[k]; *sum = s; }
  free(crd);
  free(val);
  return p;
}

void mttkrp_csf(int64_t rank, const int64_t *restrict pos1, const int32_t *restrict crd1,
                const int64_t *restrict pos2, const int32_t *restrict crd2, const int64_t *restrict pos3,
                const int32_t *restrict crd3, const double *restrict a, const double *restrict b,
                const double *restrict c, double *restrict y) {
  for (int64_t p = pos1[0]; p < pos1[1]; p++)
    for (int64_t q = pos2[p]; q < pos2[p + 1]; q++)
      for (int64_t r = pos3[q]; r < pos3[q + 1]; r++) {
        const double v = a[r];
        const double *restrict bj = b + (int64_t)crd2[q] * rank;
        const double *restrict ck = c + (int64_t)crd3[r] * rank;
        double *restrict out = y + (int64_t)crd1[p] * rank;
        for (int64_t k = 0; k < rank; k++) out[k] += v * bj[k] * ck[k];
      }
}

void ttv_csf(int64_t jdim, const int64_t *restrict pos1, const int32_t *restrict crd1,
             const int64_t *restrict pos2, const int32_t *restrict crd2, const int64_t *restrict pos3,
             const int32_t *restrict crd3, const double *restrict a, const double *restrict x,
             double *restrict y) {
  for (int64_t p = pos1[0]; p < pos1[1]; p++)
    for (int64_t q = pos2[p]; q < pos2[p + 1]; q++) {
      double t = 0;
      for (int64_t r = pos3[q]; r < pos3[q + 1]; r++) t += a[r] * x[crd3[r]];
      y[(int64_t)crd1[p] * jdim + crd2[q]] = t;
    }
}
