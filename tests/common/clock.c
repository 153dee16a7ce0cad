/*
 * Preloaded into a server, shifts its wall clock by the microseconds in the file that PGPERF_TEST_CLOCK names. The
 * monotonic clock goes on as it does when somebody sets the time of a machine.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const volatile int64_t *offset_us;

__attribute__((constructor)) static void find_offset(void)
{
	const char *path = getenv("PGPERF_TEST_CLOCK");
	int			file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	void	   *map;

	if (file < 0)
		return;
	map = mmap(NULL, sizeof(int64_t), PROT_READ, MAP_SHARED, file, 0);
	if (map != MAP_FAILED)
		offset_us = map;
	close(file);
}

int clock_gettime(clockid_t clock, struct timespec *time)
{
	int			result = syscall(SYS_clock_gettime, clock, time);
	int64_t		us;

	if (result == 0 && offset_us && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
	{
		us = time->tv_sec * INT64_C(1000000) + time->tv_nsec / 1000 + *offset_us;
		time->tv_sec = us / 1000000;
		time->tv_nsec = us % 1000000 * 1000 + time->tv_nsec % 1000;
	}
	return result;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone)
{
	struct timespec now;

	(void) zone;
	clock_gettime(CLOCK_REALTIME, &now);
	time->tv_sec = now.tv_sec;
	time->tv_usec = now.tv_nsec / 1000;
	return 0;
}

time_t time(time_t *result)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	if (result)
		*result = now.tv_sec;
	return now.tv_sec;
}
