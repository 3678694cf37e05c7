// A library for LD_PRELOAD that injects faults into a server. All faults except FISH_CLOCK affect only files in the folder
// FISH_FOLDER.
//
// FISH_FAULT=MODE:N injects one fault into the N-th call that changes a file, and creates the file FISH_FAULT_HIT. The modes
// are `eio` (the call fails), `enospc` (a write fails) and `short` (a write stores only half the bytes).
// FISH_WRITES names a file for records of all changes and flushes, in the order of their completion.
// FISH_CLOCK and FISH_READ_ONLY name files of 8 bytes, which may change at any time. FISH_CLOCK contains the number of
// seconds by which the clock is ahead. If the number in FISH_READ_ONLY is not 0, all changes of files fail with EROFS.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define REAL(name) ((typeof(&name))dlsym(RTLD_NEXT, #name))

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int calls, writes = -1;
static volatile int64_t *ahead, *read_only;

static volatile int64_t *number_in(const char *variable) {
  const char *file = getenv(variable);
  int fd = file ? open(file, O_RDONLY | O_CLOEXEC) : -1;
  if (fd < 0) return NULL;
  void *map = mmap(NULL, 8, PROT_READ, MAP_SHARED, fd, 0);
  close(fd);
  return map == MAP_FAILED ? NULL : map;
}

__attribute__((constructor)) static void start(void) {
  const char *log = getenv("FISH_WRITES");
  ahead = number_in("FISH_CLOCK");
  read_only = number_in("FISH_READ_ONLY");
  if (log) writes = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

// Returns the path relative to the folder: a name, "" for the folder itself, or NULL for paths outside the folder.
static const char *name_in_folder(const char *path) {
  const char *folder = getenv("FISH_FOLDER");
  size_t prefix = folder ? strlen(folder) : 0;
  if (!folder || strncmp(path, folder, prefix) != 0) return NULL;
  return path[prefix] == '/' ? path + prefix + 1 : path[prefix] == 0 ? "" : NULL;
}

static const char *name_of(int fd, char *path, size_t size) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, size - 1);
  if (length < 0) return NULL;
  path[length] = 0;
  return name_in_folder(path);
}

enum mode { NONE, FAIL, SHORT };

static enum mode fault(const char *name, int is_write) {
  const char *wanted = getenv("FISH_FAULT");
  if (name && read_only && *read_only) {
    errno = EROFS;
    return FAIL;
  }
  if (!name || !wanted) return NONE;
  const char *at = strchr(wanted, ':');
  int is_eio = strncmp(wanted, "eio", 3) == 0;
  if (!at || (!is_write && !is_eio)) return NONE;
  pthread_mutex_lock(&lock);
  int is_hit = ++calls == atoi(at + 1);
  pthread_mutex_unlock(&lock);
  if (!is_hit) return NONE;
  const char *hit = getenv("FISH_FAULT_HIT");
  if (hit) close(REAL(open)(hit, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  errno = is_eio ? EIO : ENOSPC;
  return strncmp(wanted, "short", 5) == 0 ? SHORT : FAIL;
}

struct record {
  int64_t microseconds, offset, length;
  char kind, name[39];
};

static void record(const char *name, char kind, int64_t offset, int64_t length, const void *bytes) {
  if (writes < 0 || !name) return;
  struct timespec now;
  REAL(clock_gettime)(CLOCK_REALTIME, &now);
  struct record one = {now.tv_sec * 1000000LL + now.tv_nsec / 1000, offset, length, kind, ""};
  strncpy(one.name, name, sizeof one.name - 1);
  pthread_mutex_lock(&lock);
  if (REAL(write)(writes, &one, sizeof one) < 0) perror("FISH_WRITES");
  if (bytes && REAL(write)(writes, bytes, length) < 0) perror("FISH_WRITES");
  pthread_mutex_unlock(&lock);
}

static ssize_t put(int fd, const void *bytes, size_t length, int64_t offset, int is_at) {
  char path[4096];
  const char *name = name_of(fd, path, sizeof path);
  enum mode mode = fault(name, 1);
  if (mode == FAIL) return -1;
  if (mode == SHORT) length = length > 1 ? length / 2 : length;
  if (name && !is_at) offset = lseek(fd, 0, fcntl(fd, F_GETFL) & O_APPEND ? SEEK_END : SEEK_CUR);
  ssize_t done = is_at ? REAL(pwrite64)(fd, bytes, length, offset) : REAL(write)(fd, bytes, length);
  if (done > 0) record(name, 'w', offset, done, bytes);
  return done;
}

ssize_t write(int fd, const void *bytes, size_t length) { return put(fd, bytes, length, 0, 0); }
ssize_t pwrite(int fd, const void *bytes, size_t length, off_t offset) { return put(fd, bytes, length, offset, 1); }
ssize_t pwrite64(int fd, const void *bytes, size_t length, off64_t offset) { return put(fd, bytes, length, offset, 1); }

#define CHANGES(function, argument, kind, length)                    \
  char path[4096];                                                   \
  const char *name = name_of(fd, path, sizeof path);                 \
  if (fault(name, 0) != NONE) return -1;                             \
  int result = REAL(function) argument;                              \
  if (result == 0) record(name, kind, 0, length, NULL);              \
  return result;

int fsync(int fd) { CHANGES(fsync, (fd), 'f', 0) }
int fdatasync(int fd) { CHANGES(fdatasync, (fd), 'f', 0) }
int ftruncate(int fd, off_t length) { CHANGES(ftruncate, (fd, length), 't', length) }
int ftruncate64(int fd, off64_t length) { CHANGES(ftruncate64, (fd, length), 't', length) }

int rename(const char *from, const char *to) {
  const char *name = name_in_folder(from), *other = name_in_folder(to);
  if (fault(name, 0) != NONE) return -1;
  int result = REAL(rename)(from, to);
  if (result == 0 && other) record(name, 'r', 0, strlen(other), other);
  return result;
}

int unlink(const char *path) {
  const char *name = name_in_folder(path);
  if (fault(name, 0) != NONE) return -1;
  int result = REAL(unlink)(path);
  if (result == 0) record(name, 'u', 0, 0, NULL);
  return result;
}

int clock_gettime(clockid_t id, struct timespec *now) {
  int result = REAL(clock_gettime)(id, now);
  if (result == 0 && ahead && id == CLOCK_REALTIME) now->tv_sec += *ahead;
  return result;
}

int gettimeofday(struct timeval *now, void *zone) {
  int result = REAL(gettimeofday)(now, zone);
  if (result == 0 && ahead) now->tv_sec += *ahead;
  return result;
}
