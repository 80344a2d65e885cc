/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Layouts of SWAP messages: a table with a row per message id, and for each message a
 * table with a row per field.  swap_walk.h reads payloads with them.
 *
 * Implements sections 1 and 2 of the SWAP data protocol and the probe messages
 * (Documentation/swap.md).  Tables only.
 */
#ifndef ETRACE_SWAP_LAYOUT_H
#define ETRACE_SWAP_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SWAP_HEADER_SIZE	20u
/* Bytes.  A kernel message has less than 32 KiB, one of the manager not much more. */
#define SWAP_MAX_PAYLOAD	(1u << 20)

/**
 * struct swap_header - the five words before each payload
 * @id:   message id
 * @seq:  sequence number, one counter for all messages, wraps at 2^32
 * @sec:  wall clock, seconds since 1970
 * @nsec: wall clock, nanoseconds; below 10^9 in an undamaged message
 * @len:  bytes of the payload that follows
 */
struct swap_header {
	uint32_t id;
	uint32_t seq;
	uint32_t sec;
	uint32_t nsec;
	uint32_t len;
};

/* Id of a field, and its name in JSON and in FXT arguments. */
#define SWAP_FIELDS(X)						\
	X(NONE, "")						\
	X(PID, "pid")						\
	X(TID, "tid")						\
	X(PPID, "ppid")						\
	X(NAME, "name")						\
	X(START, "start")					\
	X(LOW, "low")						\
	X(HIGH, "high")						\
	X(PATH, "path")						\
	X(LIBRARIES, "libraries")				\
	X(MESSAGE, "message")					\
	X(PC, "pc")						\
	X(CALLER, "caller")					\
	X(CPU, "cpu")						\
	X(ARGS, "args")						\
	X(RETURN, "return")					\
	X(PROBE_TYPE, "probe_type")				\
	X(CLASS, "class")					\
	X(CPU_FREQ, "cpu_frequency")				\
	X(CPU_LOAD, "cpu_load")					\
	X(MEMORY_USED, "memory_used")				\
	X(PROCESSES, "processes")				\
	X(LOAD, "load")						\
	X(VIRTUAL, "virtual")					\
	X(RESIDENT, "resident")					\
	X(SHARED, "shared")					\
	X(PSS, "pss")						\
	X(ALLOC, "alloc")					\
	X(THREADS, "threads")					\
	X(OTHERS, "other_processes")				\
	X(USED_DRIVE, "used_drive")				\
	X(DISK_READS, "disk_reads")				\
	X(DISK_READ_AMOUNT, "disk_read_amount")			\
	X(DISK_WRITES, "disk_writes")				\
	X(DISK_WRITE_AMOUNT, "disk_write_amount")		\
	X(NET_SENT, "net_sent")					\
	X(NET_RECEIVED, "net_received")				\
	X(WIFI, "wifi")						\
	X(BT, "bt")						\
	X(GPS, "gps")						\
	X(BRIGHTNESS, "brightness")				\
	X(CAMERA, "camera")					\
	X(SOUND, "sound")					\
	X(AUDIO, "audio")					\
	X(VIBRATION, "vibration")				\
	X(VOLTAGE, "voltage")					\
	X(RSSI, "rssi")						\
	X(VIDEO, "video")					\
	X(CALL, "call")						\
	X(DNET, "dnet")						\
	X(ENERGY, "energy")					\
	X(ENERGY_DEVICES, "energy_devices")			\
	X(APP_ENERGY_DEVICES, "app_energy_devices")		\
	X(FILES, "files")					\
	X(FD, "fd")						\
	X(SIZE, "size")						\
	X(EVENTS, "events")					\
	X(EVENT_ID, "event_id")					\
	X(EVENT_TYPE, "event_type")				\
	X(EVENT_CODE, "event_code")				\
	X(EVENT_VALUE, "event_value")				\
	X(FILE_EVENT, "event")					\
	X(FILE_ARGS, "args_type")				\
	X(OPEN_PATH, "open_path")				\
	X(LOCK_TYPE, "lock_type")				\
	X(LOCK_WHENCE, "whence")				\
	X(LOCK_START, "lock_start")				\
	X(LOCK_LENGTH, "lock_length")				\
	X(SUBTYPE, "subtype")					\
	X(LINE, "line")						\
	X(URL, "url")						\
	X(STAGE, "stage")					\
	X(BEGIN, "begin")					\
	X(END, "end")						\
	X(STEP, "step")						\
	X(RESOURCE, "resource_id")				\
	X(VARIABLE, "variable")					\
	X(DATA, "data")						\
	X(STATUS, "status")					\
	X(CALL_TYPE_PTR, "call_type_ptr")			\
	X(API, "api_id")					\
	X(ERRNO, "errno")					\
	X(CALL_TYPE, "call_type")				\
	X(RESERVED1, "reserved1")				\
	X(RESERVED2, "reserved2")				\
	X(MEM_KIND, "kind")					\
	X(ADDRESS, "address")					\
	X(CONTROL_TYPE, "control_type")				\
	X(UI_EVENT, "event")					\
	X(UI_DETAIL, "detail")					\
	X(POS_X, "x")					\
	X(POS_Y, "y")					\
	X(INFO1, "info1")					\
	X(INFO2, "info2")					\
	X(FILE_API, "operation")					\
	X(FILE_SIZE, "file_size")				\
	X(IMAGE, "image")					\
	X(ANGLE, "angle")					\
	X(SCENE, "scene")					\
	X(FORM, "form")						\
	X(FORM_ADDRESS, "form_address")				\
	X(PANEL, "panel")					\
	X(PANEL_ADDRESS, "panel_address")			\
	X(TRANSITION, "transition")				\
	X(USER_DATA, "user_data")				\
	X(PTHREAD, "pthread")					\
	X(TIZEN_THREAD, "tizen_thread")				\
	X(THREAD_KIND, "thread_kind")				\
	X(THREAD_API, "operation")					\
	X(CLASS_NAME, "class_name")				\
	X(HANDLE, "handle")					\
	X(CHART_TYPE, "chart_type")				\
	X(COLOUR, "colour")					\
	X(VALUE, "value")					\
	X(OBJECT, "object")					\
	X(SYNC_KIND, "kind")					\
	X(SYNC_API, "operation")					\
	X(NET_API, "operation")					\
	X(IP, "ip")						\
	X(PORT, "port")						\
	X(TOTAL, "total_size")					\
	X(CONTEXT, "context")					\
	X(GL_KIND, "kind")					\
	X(ELAPSED, "elapsed")					\
	X(TEXT, "text")

enum swap_field_id {
#define SWAP_ENUM(id, name) SWAP_F_##id,
	SWAP_FIELDS(SWAP_ENUM)
#undef SWAP_ENUM
	SWAP_F_COUNT
};

/* How a field's bytes are read (all little endian, packed). */
enum swap_type {
	SWAP_T_END,	/* end of a layout */
	SWAP_T_U8,
	SWAP_T_U16,
	SWAP_T_U32,
	SWAP_T_I32,
	SWAP_T_U64,
	SWAP_T_I64,
	SWAP_T_F32,
	SWAP_T_F64,
	SWAP_T_ADDR,	/* u64, shown in hexadecimal */
	SWAP_T_TIME,	/* u32 seconds, u32 nanoseconds */
	SWAP_T_STR,	/* bytes up to and including a NUL */
	SWAP_T_IP4,	/* 4 bytes in network order */
	SWAP_T_SIZED,	/* u32 size, then that many bytes */
	SWAP_T_REST,	/* all bytes to the end of the payload */
	SWAP_T_ARGS,	/* u32 count, then that many typed items */
	SWAP_T_ITEM,	/* one typed item */
	SWAP_T_LIST,	/* u32 count, then that many times @sub */
	SWAP_T_CPUS_F32,	/* one f32 for each processor */
	SWAP_T_DEVICES_U32,	/* one u32 for each energy device */
	SWAP_T_INCLUDE,	/* the fields of @sub, as if written here */
};

/* A number that has a name; ends with name == NULL. */
struct swap_name {
	uint32_t value;
	const char *name;
};

/**
 * struct swap_field - one field of a layout
 * @id:    enum swap_field_id
 * @type:  enum swap_type
 * @when:  0 if always present; else a bit mask: the field is present if the bit of the
 *         value of the layout's last selector is set
 * @selector: the value decides which later fields with @when are present
 * @sub:   layout of one element, for SWAP_T_LIST and SWAP_T_INCLUDE
 * @names: names of the values, or NULL
 */
struct swap_field {
	uint8_t id;
	uint8_t type;
	uint8_t when;
	bool selector;
	const struct swap_field *sub;
	const struct swap_name *names;
};

/**
 * struct swap_row - one message id
 * @id:       message id
 * @name:     the document's name without MSG_
 * @layouts:  possible layouts of the payload, most usual first, NULL after the last.
 *            The first that ends exactly at the payload's end is used.
 * @slack:    meaningless bytes after the last field are normal
 */
struct swap_row {
	uint16_t id;
	const char *name;
	const struct swap_field *layouts[3];
	bool slack;
};

enum swap_id {
#define SWAP_MESSAGE(id, name, fn, ...) SWAP_##name = id,
#define SWAP_INSTANT(id, name, category, text, layout) SWAP_##name = id,
#define SWAP_PROBE_MESSAGE(id, name, category, operation, starts, layout) SWAP_##name = id,
#include "format/swap/swap_messages.def"
	SWAP_PROBE = 0x0100,	/* and any other 0x01xx */
};

/**
 * swap_row() - look up a message id
 *
 * Return: the row, or NULL if the id is unknown.  Probes without a row of their
 * own get the row of SWAP_PROBE.
 */
const struct swap_row *swap_row(uint32_t id);

/**
 * swap_field_name() - name of a field, as in JSON
 *
 * Return: a constant string, never NULL.
 */
const char *swap_field_name(enum swap_field_id id);

/**
 * swap_value_name() - name of a number in a table of names
 * @names: table, or NULL
 *
 * Return: the name, or NULL if none.
 */
const char *swap_value_name(const struct swap_name *names, uint64_t value);

#endif
