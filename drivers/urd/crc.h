/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Choice of the CRC-32 routine; urd_crc32_le() itself is in proto/portable.h. */
#ifndef URD_CRC_H
#define URD_CRC_H

void urd_crc_init(void);
void urd_crc_exit(void);
/* Name of the routine that won, for the device's information. */
const char *urd_crc_name(void);

#endif /* URD_CRC_H */
