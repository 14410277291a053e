/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Numbers, handles and limits of verbs objects. */
#ifndef URD_OBJTAB_H
#define URD_OBJTAB_H

#include <urd.h>

/* Tables of a device: after allocation, and when no object is left. */
void urd_objtab_dev_init(struct urd_dev *dev);
void urd_objtab_dev_exit(struct urd_dev *dev);

/*
 * Count one more object of user space; -ENOMEM when the advertised limit is
 * reached. Objects of kernel consumers are not counted, so that what the RDMA
 * core needs for itself does not shorten what a user was promised.
 */
int urd_limit_get(struct urd_dev *dev, enum urd_limit lim, bool is_user);
void urd_limit_put(struct urd_dev *dev, enum urd_limit lim, bool is_user);

/*
 * MR and MW keys are index << 8 | variant. A key is reserved first, with
 * nothing to be found, published as the last step of creation and hidden as
 * the first of destruction. Index 0 stays free: key 0 is the local DMA lkey.
 */
int urd_key_reserve(struct urd_dev *dev, u32 *key);
void urd_key_publish(struct urd_dev *dev, u32 key, struct urd_ref *ref);
void urd_key_hide(struct urd_dev *dev, u32 key);

/* The same for QP numbers. */
int urd_qpn_reserve(u32 *qpn);
void urd_qpn_publish(u32 qpn, struct urd_ref *ref);
void urd_qpn_hide(u32 qpn);

/* Numbers of CQs and SRQs: for people only. */
u32 urd_serial(void);

#endif /* URD_OBJTAB_H */
