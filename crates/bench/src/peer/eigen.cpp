// What Eigen computes, on its own matrices over the arrays that the loops in C get; called as they are.
#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <ctime>
#include <vector>

#include "args.h"

using Sparse = Eigen::SparseMatrix<double, Eigen::RowMajor, int32_t>;
using Columns = Eigen::SparseMatrix<double, Eigen::ColMajor, int32_t>;
using Rows = Eigen::Map<const Sparse>;
using Dense = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// The result of the last loop, which is freed after its time was taken.
static Sparse made;
static Columns flipped;

static Rows matrix(args *a, int k, int64_t rows, int64_t cols) {
  return Rows(rows, cols, a->i[2 * k][rows], a->i[2 * k], a->i[2 * k + 1], a->v[k]);
}
static void expose(args *a) {
  a->pos = made.outerIndexPtr(), a->crd = made.innerIndexPtr(), a->val = made.valuePtr(), a->count = made.nonZeros();
}

extern "C" {
void threads(int64_t n) { Eigen::setNbThreads(n); }

void spmv(args *a) {
  Eigen::Map<Eigen::VectorXd> y(a->y, a->n[0]);
  y.noalias() = matrix(a, 0, a->n[0], a->n[1]) * Eigen::Map<const Eigen::VectorXd>(a->v[1], a->n[1]);
}
void spmm(args *a) {
  Eigen::Map<Dense> y(a->y, a->n[0], a->n[2]);
  y.noalias() = matrix(a, 0, a->n[0], a->n[1]) * Eigen::Map<const Dense>(a->v[1], a->n[1], a->n[2]);
}
void matmul(args *a) { made = matrix(a, 0, a->n[0], a->n[1]) * matrix(a, 1, a->n[1], a->n[2]); }
void add(args *a) {
  made = matrix(a, 0, a->n[0], a->n[1]) + matrix(a, 1, a->n[0], a->n[1]);
  for (int k = 2; k < a->n[2]; k++) made = Sparse(made + matrix(a, k, a->n[0], a->n[1]));
}
void csr_csc(args *a) { flipped = matrix(a, 0, a->n[0], a->n[1]); }
void from_coo(args *a) {
  std::vector<Eigen::Triplet<double, int32_t>> entries;
  entries.reserve(a->n[2]);
  for (int64_t p = 0; p < a->n[2]; p++) entries.emplace_back(a->i[0][p], a->i[1][p], a->v[0][p]);
  made.resize(a->n[0], a->n[1]);
  made.setFromTriplets(entries.begin(), entries.end());
}

// The arrays of what was made.
void show(args *a) { expose(a); }
void show_flipped(args *a) {
  a->pos = flipped.outerIndexPtr(), a->crd = flipped.innerIndexPtr(), a->val = flipped.valuePtr();
  a->count = flipped.nonZeros();
}
void release(args *a) {
  a->pos = a->crd = nullptr, a->val = nullptr;
  Sparse().swap(made), Columns().swap(flipped);
}
void turn(void (*f)(args *), args *a, int64_t times, int64_t *ns) {
  for (int64_t k = 0; k < times; k++) {
    timespec s, e;
    clock_gettime(CLOCK_MONOTONIC, &s);
    f(a);
    clock_gettime(CLOCK_MONOTONIC, &e);
    ns[k] = (e.tv_sec - s.tv_sec) * 1000000000 + e.tv_nsec - s.tv_nsec;
    release(a);
  }
}
}
