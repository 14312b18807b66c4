/* MTTKRP with the product of one factor hoisted out of the innermost loop, written by hand.
   Index arrays: pos int64_t, crd int32_t. Threads take fibres of the first mode as they come. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

struct job {
  int64_t rank;
  const int64_t *pos1, *pos2, *pos3;
  const int32_t *crd1, *crd2, *crd3;
  const double *b, *c, *d;
  double *y;
  _Atomic int64_t next;
};

static void fibre(const struct job *w, int64_t p) {
  const int64_t rank = w->rank;
  double sum[rank];
  double *restrict out = w->y + (int64_t)w->crd1[p] * rank;
  for (int64_t q = w->pos2[p]; q < w->pos2[p + 1]; q++) {
    for (int64_t j = 0; j < rank; j++) sum[j] = 0;
    for (int64_t r = w->pos3[q]; r < w->pos3[q + 1]; r++) {
      const double v = w->b[r];
      const double *restrict d = w->d + (int64_t)w->crd3[r] * rank;
      for (int64_t j = 0; j < rank; j++) sum[j] += v * d[j];
    }
    const double *restrict c = w->c + (int64_t)w->crd2[q] * rank;
    for (int64_t j = 0; j < rank; j++) out[j] += sum[j] * c[j];
  }
}

static void *work(void *at) {
  struct job *w = at;
  const int64_t end = w->pos1[1], step = 16;
  for (;;) {
    const int64_t p = atomic_fetch_add(&w->next, step);
    if (p >= end) return 0;
    for (int64_t q = p; q < p + step && q < end; q++) fibre(w, q);
  }
}

void mttkrp_hoisted(int64_t threads, int64_t rank, const int64_t *pos1, const int32_t *crd1, const int64_t *pos2,
                    const int32_t *crd2, const int64_t *pos3, const int32_t *crd3, const double *b, const double *c,
                    const double *d, double *y) {
  struct job w = {rank, pos1, pos2, pos3, crd1, crd2, crd3, b, c, d, y, pos1[0]};
  pthread_t other;
  const int two = threads > 1 && pthread_create(&other, 0, work, &w) == 0;
  work(&w);
  if (two) pthread_join(other, 0);
}
