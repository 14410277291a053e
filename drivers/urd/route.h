/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Cached route of an address vector. */
#ifndef URD_ROUTE_H
#define URD_ROUTE_H

#include <urd.h>

/* Route for @av, held, or NULL. BH off. */
struct dst_entry *urd_route(struct urd_av *av, struct urd_dev *dev);
/* Forget the cached route; from the last put of the AV. */
void urd_route_drop(struct urd_av *av);

#endif /* URD_ROUTE_H */
