/* Says how many threads there are once large batches were computed. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <tenfold_cblas.h>

int main(void) {
  enum { n = 16, count = 4000 };
  double* const all = malloc(sizeof(double) * 3 * n * n * count);
  if (all == NULL) return 1;
  double *const a = all, *const b = a + n * n * count, *const c = b + n * n * count;
  for (int i = 0; i < 2 * n * n * count; ++i) all[i] = 1;
  for (int call = 0; call < 20; ++call)
    cblas_dgemm_batch_strided(CblasColMajor, CblasNoTrans, CblasTrans, n, n, n, 1, a, n, n * n, b,
                              n, n * n, 0, c, n, n * n, count);
  const int right = c[n * n * count - 1] == n;
  free(all);

  int threads = -2; /* "." and ".." */
  DIR* const folder = opendir("/proc/self/task");
  if (folder == NULL) return 1;
  while (readdir(folder) != NULL) ++threads;
  closedir(folder);
  printf("%d threads%s\n", threads, right ? "" : ", and wrong numbers");
  return 0;
}
