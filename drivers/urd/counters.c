// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Counters for "rdma statistic" and sysfs: the list is URD_COUNTERS in urd.h. */
#include "device.h"

static const struct rdma_stat_desc descs[] = {
#define X(_name) { .name = #_name },
	URD_COUNTERS(X)
#undef X
};

u64 urd_counter_sum(const struct urd_dev *dev, enum urd_counter counter)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(per_cpu_ptr(dev->stats, cpu)->v[counter]);
	return sum;
}

struct rdma_hw_stats *urd_alloc_hw_port_stats(struct ib_device *ibdev, u32 port)
{
	BUILD_BUG_ON(ARRAY_SIZE(descs) != URD_CNT_COUNT);

	return rdma_alloc_hw_stats_struct(descs, ARRAY_SIZE(descs),
					  RDMA_HW_STATS_DEFAULT_LIFESPAN);
}

int urd_get_hw_stats(struct ib_device *ibdev, struct rdma_hw_stats *stats,
		     u32 port, int index)
{
	const struct urd_dev *dev = to_urd_dev(ibdev);
	u32 i;

	if (port != 1)
		return -EINVAL;
	for (i = 0; i < URD_CNT_COUNT; i++)
		stats->value[i] = urd_counter_sum(dev, i);
	return URD_CNT_COUNT;
}
