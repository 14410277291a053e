/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR Linux-OpenIB) */
/*
 * User ABI of the URD soft RDMA device: rings, work queue elements,
 * completion queue elements and the driver part of the verbs commands.
 *
 * Rings are kernel memory that user space maps with the offset and length of
 * a struct urd_ring_info. A ring is a struct urd_ring_hdr followed by DEPTH
 * entries of STRIDE bytes. Indices run freely over 32 bits and are masked at
 * access; DEPTH is a power of two; the ring is full at prod - cons == DEPTH.
 *
 *   ring   entry            prod written by   cons written by
 *   SQ     struct urd_sqe   user              kernel, when the WR completed
 *   RQ     struct urd_rqe   user              kernel, when it took the WQE
 *   SRQ    struct urd_rqe   user              kernel, when it took the WQE
 *   CQ     struct urd_cqe   kernel            user
 *
 * The producer stores the entry, then prod with release order; the consumer
 * loads prod with acquire order, then the entry. The same holds for cons.
 * The kernel stores cons of an SQ or RQ before prod of the CQ that tells of
 * the WR, so that who polled the CQE finds the slot free. Modify QP to RESET
 * leaves cons == prod. Resize copies entries and both indices.
 * Every field has a fixed size and offset, the same for 32-bit user space.
 */
#ifndef URD_ABI_USER_H
#define URD_ABI_USER_H

#include <linux/types.h>

/*
 * The device reports this as its uverbs ABI version. It begins at 100 because
 * some providers match by the name of the device and accept ABI 1 or 2: a link
 * called rxe0 must not end up with one of them.
 */
#define URD_ABI_VERSION		100

#define URD_MAX_SGE		32	/* SGEs of one send or receive WR */
#define URD_MAX_INLINE		1024	/* bytes of inline data of one send WR */

/**
 * struct urd_ring_hdr - start of every mapped ring
 * @prod: producer index
 * @cons: consumer index
 * @flags: CQ: enum urd_cq_arm bits, set by user, cleared by the kernel;
 *	   SQ: enum urd_sq_flags bits, RQ: enum urd_rq_flags bits, both written
 *	   by the kernel
 */
struct urd_ring_hdr {
	__u32 prod;
	__u32 pad0[15];
	__u32 cons;
	__u32 pad1[15];
	__u32 flags;
	__u32 pad2[15];
	__u32 pad3[16];
};

/**
 * enum urd_cq_arm - bits of the CQ ring's flags
 * @URD_CQ_ARM_SOLICITED: raise an event for the next solicited or failed CQE
 * @URD_CQ_ARM_NEXT: raise an event for the next CQE of any kind
 *
 * To arm: set bits with an atomic OR, then a full barrier, then look at prod
 * once more. The kernel stores prod, then a full barrier, then looks at flags.
 */
enum urd_cq_arm {
	URD_CQ_ARM_SOLICITED	= 1 << 0,
	URD_CQ_ARM_NEXT		= 1 << 1,
};

/**
 * enum urd_sq_flags - bits of the SQ ring's flags
 * @URD_SQ_NO_DOORBELL: a kernel poller is awake, no doorbell is needed
 */
enum urd_sq_flags {
	URD_SQ_NO_DOORBELL	= 1 << 0,
};

/**
 * enum urd_rq_flags - bits of the RQ ring's flags
 * @URD_RQ_DOORBELL: the QP is in error, what is posted must be flushed: ring
 *		     the QP's doorbell after a post
 *
 * The user stores prod, then a full barrier, then looks at flags. The kernel
 * sets the flag, then a full barrier, then flushes up to prod.
 */
enum urd_rq_flags {
	URD_RQ_DOORBELL		= 1 << 0,
};

/* Operations of a send WQE. The numbers are ABI and are not the kernel's. */
enum urd_wr_op {
	URD_WR_NONE		= 0,
	URD_WR_SEND		= 1,
	URD_WR_SEND_IMM		= 2,
	URD_WR_SEND_INV		= 3,
	URD_WR_WRITE		= 4,
	URD_WR_WRITE_IMM	= 5,
	URD_WR_READ		= 6,
	URD_WR_CMP_SWP		= 7,
	URD_WR_FETCH_ADD	= 8,
	URD_WR_LOCAL_INV	= 9,
	URD_WR_BIND_MW		= 10,
	URD_WR_FLUSH		= 11,
	URD_WR_ATOMIC_WRITE	= 12,
	URD_WR_REG_MR		= 13,	/* kernel consumers only */
	URD_WR_OP_COUNT
};

enum urd_wr_flags {
	URD_WR_SIGNALED		= 1 << 0,
	URD_WR_FENCE		= 1 << 1,
	URD_WR_SOLICITED	= 1 << 2,
	URD_WR_INLINE		= 1 << 3,
};

struct urd_sge {
	__aligned_u64 addr;
	__u32 length;
	__u32 lkey;
};

/**
 * struct urd_sqe - send WQE; SGEs, or inline data, follow in the same entry
 * @wr_id: given back in the CQE
 * @opcode: enum urd_wr_op
 * @num_sge: SGEs that follow; 0 with %URD_WR_INLINE
 * @flags: enum urd_wr_flags; other bits must be zero
 * @imm: immediate data in network order (SEND_IMM, WRITE_IMM)
 * @inv_rkey: key to invalidate, host order (SEND_INV, LOCAL_INV)
 * @rdma: WRITE, WRITE_IMM, READ, ATOMIC_WRITE
 * @atomic: CMP_SWP (compare, swap), FETCH_ADD (add in @atomic.swap_add)
 * @ud: destination of a UD datagram; @ud.ah is the handle of create_ah
 * @bind: BIND_MW; @bind.access in enum ibv_access_flags;
 *	  @bind.new_rkey is the key that the window shall have
 * @flush: FLUSH; @flush.type and @flush.level as in the FETH (Annex A19)
 * @inline_len: bytes of inline data that follow, with %URD_WR_INLINE
 */
struct urd_sqe {
	__aligned_u64 wr_id;
	__u8 opcode;
	__u8 num_sge;
	__u16 flags;
	union {
		__be32 imm;
		__u32 inv_rkey;
	};
	union {
		struct {
			__aligned_u64 remote_addr;
			__u32 rkey;
			__u32 reserved;
		} rdma;
		struct {
			__aligned_u64 remote_addr;
			__aligned_u64 compare;
			__aligned_u64 swap_add;
			__u32 rkey;
			__u32 reserved;
		} atomic;
		struct {
			__u32 ah;
			__u32 remote_qpn;
			__u32 remote_qkey;
			__u32 reserved;
		} ud;
		struct {
			__aligned_u64 addr;
			__aligned_u64 length;
			__u32 mr_lkey;
			__u32 mw_rkey;
			__u32 new_rkey;
			__u32 access;
		} bind;
		struct {
			__aligned_u64 remote_addr;
			__u32 rkey;
			__u32 length;
			__u8 type;
			__u8 level;
			__u8 reserved[6];
		} flush;
		__u8 op_size[40];
	};
	__u32 inline_len;
	__u32 reserved2;
	/* struct urd_sge sge[]; or __u8 data[]; */
};

/**
 * struct urd_rqe - receive WQE, followed by @num_sge SGEs
 * @wr_id: given back in the CQE
 * @num_sge: number of SGEs that follow
 * @reserved: zero
 */
struct urd_rqe {
	__aligned_u64 wr_id;
	__u32 num_sge;
	__u32 reserved;
	/* struct urd_sge sge[]; */
};

/* Values are those of enum ibv_wc_opcode / ibv_wc_status / ibv_wc_flags. */
enum urd_cqe_flags {
	URD_CQE_GRH		= 1 << 0,
	URD_CQE_IMM		= 1 << 1,
	URD_CQE_INV		= 1 << 2,	/* imm holds the rkey, host order */
	URD_CQE_SOLICITED	= 1 << 3,
	URD_CQE_RECV		= 1 << 4,	/* completion of a receive WR */
};

/**
 * struct urd_cqe - completion queue element
 * @wr_id: of the WR
 * @qp_ptr: zero for user CQs; kernel CQs keep their struct ib_qp here
 * @opcode: enum urd_wr_op of the send WR; for a receive the op of the message:
 *	    URD_WR_SEND (also _IMM and _INV, told by @flags) or URD_WR_WRITE_IMM
 * @status: numeric value of enum ibv_wc_status
 * @flags: enum urd_cqe_flags
 * @vendor_err: detail of a failure, for people; enum urd_vendor_err
 * @byte_len: bytes received, or moved by a READ or atomic
 * @imm: immediate data in network order, or the invalidated rkey in host order
 * @qpn: local QP number
 * @src_qp: sender's QP number (UD)
 * @pkey_index: of the packet (GSI)
 * @network_hdr_type: 4 or 6, the IP header in the GRH area (UD); else zero
 * @reserved: zero
 * @timestamp: nanoseconds of the device's free-running clock (CLOCK_MONOTONIC)
 * @reserved2: zero; makes the CQE one cache line
 */
struct urd_cqe {
	__aligned_u64 wr_id;
	__aligned_u64 qp_ptr;
	__u8 opcode;
	__u8 status;
	__u16 flags;
	__u32 vendor_err;
	__u32 byte_len;
	__u32 imm;
	__u32 qpn;
	__u32 src_qp;
	__u16 pkey_index;
	__u8 network_hdr_type;
	__u8 reserved[5];
	__aligned_u64 timestamp;
	__aligned_u64 reserved2;
};

/**
 * struct urd_ring_info - where a ring is to be mapped
 * @offset: argument of mmap() on the command fd
 * @length: bytes to map
 * @depth: number of entries, a power of two
 * @stride: bytes from one entry to the next
 * @reserved: zero
 */
struct urd_ring_info {
	__aligned_u64 offset;
	__u32 length;
	__u32 depth;
	__u32 stride;
	__u32 reserved;
};

/*
 * Driver part of the verbs commands. A request may be shorter than the struct
 * that the kernel knows, down to zero; what is longer must be zero. Bits of
 * comp_mask that the kernel does not know fail the command with EOPNOTSUPP.
 */
struct urd_alloc_ucontext_req {
	__u32 abi_version;
	__u32 comp_mask;
};

struct urd_alloc_ucontext_resp {
	__u32 abi_version;
	__u32 comp_mask;
	__u32 max_inline;
	__u32 max_sge;
};

struct urd_create_cq_req {
	__u32 comp_mask;
	__u32 reserved;
};

struct urd_create_cq_resp {
	struct urd_ring_info ring;
	__u32 cqn;
	__u32 comp_mask;
};

struct urd_resize_cq_resp {
	struct urd_ring_info ring;
};

struct urd_create_qp_req {
	__u32 comp_mask;
	__u32 reserved;
};

/* rq is all zero when the QP uses an SRQ. */
struct urd_create_qp_resp {
	struct urd_ring_info sq;
	struct urd_ring_info rq;
	__u32 comp_mask;
	__u32 reserved;
};

struct urd_create_srq_req {
	__u32 comp_mask;
	__u32 reserved;
};

struct urd_create_srq_resp {
	struct urd_ring_info ring;
	__u32 srqn;
	__u32 comp_mask;
};

/**
 * struct urd_modify_srq_req - MODIFY_SRQ, needed for a new size only
 * @ring_addr: where the kernel stores the struct urd_ring_info of the new ring
 *	       (the core's command has no response); the old ring stays in use
 *	       when the command fails
 * @comp_mask: zero
 * @reserved: zero
 */
struct urd_modify_srq_req {
	__aligned_u64 ring_addr;
	__u32 comp_mask;
	__u32 reserved;
};

struct urd_create_ah_resp {
	__u32 ah;
	__u32 reserved;
};

#endif /* URD_ABI_USER_H */
