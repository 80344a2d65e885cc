// SPDX-License-Identifier: LGPL-2.1
/*
 * Tables with the layouts of the messages of swap_messages.def.  How a message is shown in
 * a trace is defined in swap_fxt_*.c.
 */
#include "format/swap/swap_layout.h"
#include "base/partition.h"

static const char *const field_names[] = {
#define SWAP_NAME(id, name) name,
	SWAP_FIELDS(SWAP_NAME)
#undef SWAP_NAME
};

/* Names of the values of number fields. */
static const struct swap_name class_names[] = {
	{ 0x01, "file" }, { 0x02, "ipc" }, { 0x04, "process" }, { 0x08, "signal" },
	{ 0x10, "network" }, { 0x20, "descriptor" }, { 0, NULL }
};

static const struct swap_name probe_type_names[] = {
	{ 1, "user" }, { 3, "kernel" }, { 0, NULL }
};

static const struct swap_name file_api_names[] = {
	{ 0, "open" }, { 1, "close" }, { 2, "read start" }, { 3, "read end" },
	{ 4, "write start" }, { 5, "write end" }, { 6, "directory" }, { 7, "permission" },
	{ 8, "other" }, { 9, "send" }, { 10, "receive" }, { 11, "option" }, { 12, "manage" },
	{ 14, "lock start" }, { 15, "lock end" }, { 16, "unlock" }, { 0, NULL }
};

static const struct swap_name file_args_names[] = {
	{ 0, "general" }, { 1, "open" }, { 2, "lock" }, { 0, NULL }
};

static const struct swap_name stage_names[] = {
	{ 0, "mapping" }, { 1, "main" }, { 2, "create" }, { 3, "service" }, { 0, NULL }
};

static const struct swap_name step_names[] = {
	{ 1, "resource load begin" }, { 2, "resource load end" },
	{ 3, "resource processing begin" }, { 4, "resource processing end" },
	{ 5, "draw begin" }, { 6, "draw end" }, { 0, NULL }
};

static const struct swap_name lsan_names[] = {
	{ 0, "error" }, { 1, "status" }, { 2, "report" }, { 4, "init done" }, { 0, NULL }
};

static const struct swap_name mem_names[] = {
	{ 0, "alloc" }, { 1, "free" }, { 2, "other" }, { 0, NULL }
};

static const struct swap_name ui_event_names[] = {
	{ 1, "key" }, { 2, "touch" }, { 4, "orientation" }, { 5, "listener" },
	{ 6, "gesture" }, { 7, "gesture" }, { 8, "gesture" }, { 9, "gesture" },
	{ 10, "gesture" }, { 11, "gesture" }, { 12, "gesture" }, { 13, "gesture" },
	{ 14, "gesture" }, { 0, NULL }
};

static const struct swap_name thread_kind_names[] = {
	{ 0, "pthread" }, { 1, "worker" }, { 2, "event driven" }, { 0, NULL }
};

static const struct swap_name thread_api_names[] = {
	{ 0, "new" }, { 1, "start" }, { 2, "stop" }, { 3, "exit" }, { 4, "wait start" },
	{ 5, "wait end" }, { 6, "internal start" }, { 7, "internal stop" }, { 8, "other" },
	{ 0, NULL }
};

static const struct swap_name sync_kind_names[] = {
	{ 0, "mutex" }, { 1, "monitor" }, { 2, "semaphore" }, { 3, "pthread mutex" },
	{ 4, "pthread cond" }, { 5, "pthread rwlock" }, { 6, "pthread spin" },
	{ 7, "pthread barrier" }, { 0, NULL }
};

static const struct swap_name sync_api_names[] = {
	{ 0, "new" }, { 1, "acquire start" }, { 2, "acquire end" }, { 3, "release" },
	{ 4, "try acquire" }, { 5, "cond wait start" }, { 6, "cond wait end" },
	{ 7, "notify" }, { 8, "notify all" }, { 9, "other" }, { 0, NULL }
};

static const struct swap_name net_api_names[] = {
	{ 0, "open" }, { 1, "close" }, { 2, "receive start" }, { 3, "receive end" },
	{ 4, "send start" }, { 5, "send end" }, { 6, "bind" }, { 7, "listen" },
	{ 8, "connect" }, { 9, "accept start" }, { 10, "accept end" },
	{ 11, "event start" }, { 12, "event end" }, { 13, "other" },
	{ 14, "http" }, { 15, "http" }, { 16, "http" }, { 17, "http" }, { 18, "http" },
	{ 19, "http" }, { 20, "http" }, { 21, "http" }, { 22, "http" }, { 23, "http" },
	{ 0, NULL }
};

static const struct swap_name gl_kind_names[] = {
	{ 0, "init" }, { 1, "context" }, { 2, "no context" }, { 0, NULL }
};

/* One row per field. */
#define F(fid, ftype)		{ .id = SWAP_F_##fid, .type = SWAP_T_##ftype }
#define NAMED(fid, ftype, tab)	{ .id = SWAP_F_##fid, .type = SWAP_T_##ftype, .names = tab }
#define SELECT(fid, ftype, tab)	\
	{ .id = SWAP_F_##fid, .type = SWAP_T_##ftype, .names = tab, .selector = true }
#define WHEN(mask, fid, ftype)	{ .id = SWAP_F_##fid, .type = SWAP_T_##ftype, .when = mask }
#define LIST(fid, fields)	{ .id = SWAP_F_##fid, .type = SWAP_T_LIST, .sub = fields }
#define INCLUDE(fields)		{ .id = SWAP_F_NONE, .type = SWAP_T_INCLUDE, .sub = fields }
#define END			{ .id = SWAP_F_NONE, .type = SWAP_T_END }

static const struct swap_field library[] = {
	F(LOW, ADDR), F(HIGH, ADDR), F(PATH, STR), END
};

static const struct swap_field process_info[] = {
	F(PID, U32), F(NAME, STR), F(PPID, U32), F(START, TIME), F(LOW, ADDR), F(HIGH, ADDR),
	F(PATH, STR), LIST(LIBRARIES, library), END
};

static const struct swap_field terminate[] = { F(PID, U32), END };

static const struct swap_field error[] = { F(MESSAGE, STR), END };

static const struct swap_field sample[] = {
	F(PID, U32), F(PC, ADDR), F(TID, U32), F(CPU, U32), END
};

static const struct swap_field thread_load[] = { F(TID, U32), F(LOAD, F32), END };

static const struct swap_field process_profile[] = {
	F(PID, U32), F(LOAD, F32), F(VIRTUAL, U64), F(RESIDENT, U64), F(SHARED, U64),
	F(PSS, U64), F(ALLOC, I64), LIST(THREADS, thread_load), END
};

static const struct swap_field process_load[] = { F(PID, U32), F(LOAD, F32), END };

static const struct swap_field system_state[] = {
	F(CPU_FREQ, CPUS_F32), F(CPU_LOAD, CPUS_F32), F(MEMORY_USED, U64),
	LIST(PROCESSES, process_profile), LIST(OTHERS, process_load),
	F(USED_DRIVE, U32), F(DISK_READS, U32), F(DISK_READ_AMOUNT, U32),
	F(DISK_WRITES, U32), F(DISK_WRITE_AMOUNT, U32), F(NET_SENT, U32),
	F(NET_RECEIVED, U32), F(WIFI, U32), F(BT, U32), F(GPS, U32), F(BRIGHTNESS, U32),
	F(CAMERA, U32), F(SOUND, U32), F(AUDIO, U32), F(VIBRATION, U32), F(VOLTAGE, U32),
	F(RSSI, U32), F(VIDEO, U32), F(CALL, U32), F(DNET, U32), F(ENERGY, U32),
	F(ENERGY_DEVICES, DEVICES_U32), F(APP_ENERGY_DEVICES, DEVICES_U32), END
};

static const struct swap_field input_event[] = {
	F(EVENT_ID, U32), F(EVENT_TYPE, U32), F(EVENT_CODE, U32), F(EVENT_VALUE, U32), END
};

static const struct swap_field record[] = { LIST(EVENTS, input_event), END };

static const struct swap_field function_entry[] = {
	F(PID, U32), F(TID, U32), F(PC, ADDR), F(CALLER, ADDR), F(CPU, U32), F(ARGS, ARGS), END
};

/* Before protocol 4.0: system calls had this id, too. */
static const struct swap_field function_entry_old[] = {
	F(PID, U32), F(TID, U32), NAMED(PROBE_TYPE, U16, probe_type_names),
	NAMED(CLASS, U16, class_names), F(PC, ADDR), F(CALLER, ADDR), F(CPU, U32),
	F(ARGS, ARGS), END
};

static const struct swap_field function_exit[] = {
	F(PID, U32), F(TID, U32), F(PC, ADDR), F(CALLER, ADDR), F(CPU, U32), F(RETURN, ITEM), END
};

static const struct swap_field function_exit_old[] = {
	F(PID, U32), F(TID, U32), NAMED(PROBE_TYPE, U16, probe_type_names),
	NAMED(CLASS, U16, class_names), F(PC, ADDR), F(CALLER, ADDR), F(CPU, U32),
	F(RETURN, ITEM), END
};

static const struct swap_field syscall_entry[] = {
	F(PID, U32), F(TID, U32), NAMED(CLASS, U32, class_names), F(PC, ADDR), F(CALLER, ADDR),
	F(CPU, U32), F(ARGS, ARGS), END
};

static const struct swap_field syscall_exit[] = {
	F(PID, U32), F(TID, U32), NAMED(CLASS, U32, class_names), F(PC, ADDR), F(CALLER, ADDR),
	F(CPU, U32), F(RETURN, ITEM), END
};

static const struct swap_field file_function_entry[] = {
	F(PID, U32), F(TID, U32), F(FD, I32), NAMED(FILE_EVENT, U32, file_api_names),
	F(PATH, STR), SELECT(FILE_ARGS, U32, file_args_names), WHEN(1 << 1, OPEN_PATH, STR),
	WHEN(1 << 2, LOCK_TYPE, U32), WHEN(1 << 2, LOCK_WHENCE, U32),
	WHEN(1 << 2, LOCK_START, I64), WHEN(1 << 2, LOCK_LENGTH, I64), END
};

static const struct swap_field file_function_exit[] = {
	F(PID, U32), F(TID, U32), F(RETURN, ITEM), END
};

static const struct swap_field open_file[] = {
	F(FD, U32), F(SIZE, U64), F(PATH, STR), END
};

static const struct swap_field open_file_document[] = {
	F(FD, U32), F(TID, U32), F(SIZE, U64), F(PATH, STR), END
};

static const struct swap_field status_info[] = {
	F(PID, U32), LIST(FILES, open_file), END
};

static const struct swap_field status_info_document[] = {
	F(PID, U32), LIST(FILES, open_file_document), END
};

static const struct swap_field context_switch[] = {
	F(PC, ADDR), F(PID, U32), F(TID, U32), F(CPU, U32), END
};

static const struct swap_field process_map[] = {
	F(PID, U32), F(LOW, ADDR), F(HIGH, ADDR), F(PATH, STR), END
};

static const struct swap_field process_unmap[] = {
	F(PID, U32), F(LOW, ADDR), F(HIGH, ADDR), END
};

static const struct swap_field process_comm[] = { F(PID, U32), F(NAME, STR), END };

static const struct swap_field web_entry[] = {
	F(PID, U32), F(TID, U32), F(LINE, U32), F(NAME, STR), F(URL, STR), END
};

static const struct swap_field web_sample[] = {
	F(SUBTYPE, U8), F(PID, U32), F(TID, U32), F(LINE, U32), F(NAME, STR), F(URL, STR), END
};

static const struct swap_field web_exit[] = {
	F(PID, U32), F(TID, U32), F(NAME, STR), END
};

static const struct swap_field app_stage[] = {
	F(PID, U32), NAMED(STAGE, U32, stage_names), F(BEGIN, TIME), F(END, TIME), END
};

static const struct swap_field web_stage[] = {
	F(PID, U32), SELECT(STEP, U32, step_names),
	WHEN(1 << 1 | 1 << 2 | 1 << 3 | 1 << 4, RESOURCE, U32), WHEN(1 << 1, PATH, STR), END
};

static const struct swap_field fbi[] = { F(VARIABLE, U32), F(DATA, SIZED), END };

static const struct swap_field ui_hierarchy[] = { F(PATH, STR), END };

static const struct swap_field lsan[] = {
	NAMED(STATUS, U32, lsan_names), F(PID, U32), F(MESSAGE, STR), F(CALL_TYPE_PTR, U32),
	F(CALLER, ADDR), END
};

static const struct swap_field probe[] = {
	F(API, U32), F(PID, U32), F(TID, U32), F(ARGS, ARGS), F(RETURN, ITEM), F(ERRNO, I64),
	F(CALL_TYPE, U32), F(CALLER, ADDR), F(RESERVED1, U32), F(RESERVED2, U32), END
};

static const struct swap_field probe_memory[] = {
	INCLUDE(probe), F(SIZE, U64), NAMED(MEM_KIND, U32, mem_names), F(ADDRESS, ADDR), END
};

static const struct swap_field probe_uicontrol[] = {
	INCLUDE(probe), F(CONTROL_TYPE, STR), F(NAME, STR), F(ADDRESS, ADDR), END
};

static const struct swap_field probe_uievent[] = {
	INCLUDE(probe), NAMED(UI_EVENT, U32, ui_event_names), F(UI_DETAIL, U32), F(POS_X, I32),
	F(POS_Y, I32), F(INFO1, STR), F(INFO2, I32), END
};

static const struct swap_field probe_file[] = {
	INCLUDE(probe), F(SIZE, U64), F(FD, I64), NAMED(FILE_API, U32, file_api_names),
	F(FILE_SIZE, I64), F(PATH, STR), END
};

static const struct swap_field probe_lifecycle[] = { INCLUDE(probe), END };

static const struct swap_field probe_screenshot[] = {
	INCLUDE(probe), F(IMAGE, STR), F(ANGLE, U32), END
};

static const struct swap_field probe_scene[] = {
	INCLUDE(probe), F(SCENE, STR), F(FORM, STR), F(FORM_ADDRESS, ADDR), F(PANEL, STR),
	F(PANEL_ADDRESS, ADDR), F(TRANSITION, U64), F(USER_DATA, U64), END
};

static const struct swap_field probe_thread[] = {
	INCLUDE(probe), F(PTHREAD, ADDR), F(TIZEN_THREAD, ADDR),
	NAMED(THREAD_KIND, U32, thread_kind_names), NAMED(THREAD_API, U32, thread_api_names),
	F(CLASS_NAME, STR), END
};

static const struct swap_field probe_custom[] = {
	INCLUDE(probe), F(HANDLE, U32), F(CHART_TYPE, U32), F(NAME, STR), F(COLOUR, U32),
	F(VALUE, F64), END
};

static const struct swap_field probe_sync[] = {
	INCLUDE(probe), F(OBJECT, ADDR), NAMED(SYNC_KIND, U32, sync_kind_names),
	NAMED(SYNC_API, U32, sync_api_names), END
};

static const struct swap_field probe_network[] = {
	INCLUDE(probe), F(OBJECT, ADDR), F(FD, I64), NAMED(NET_API, U32, net_api_names),
	F(IP, IP4), F(PORT, U32), F(TOTAL, U64), F(DATA, REST), END
};

static const struct swap_field probe_gl[] = {
	INCLUDE(probe), F(CONTEXT, ADDR), NAMED(GL_KIND, U32, gl_kind_names), F(ELAPSED, U64),
	F(TEXT, STR), END
};

/* The last member is slack: only SYSTEM has uninitialised memory after its fields. */
#define ROW(id, name, ...) { id, #name, { __VA_ARGS__ }, SWAP_##name == SWAP_SYSTEM },

static const struct swap_row rows[] = {
#define SWAP_MESSAGE(id, name, fn, ...) ROW(id, name, __VA_ARGS__)
#define SWAP_INSTANT(id, name, category, text, layout) ROW(id, name, layout)
#define SWAP_PROBE_MESSAGE(id, name, category, operation, starts, layout) ROW(id, name, layout)
#include "format/swap/swap_messages.def"
};

/* Any other probe id: only the fields that all probes have. */
static const struct swap_row other_probe = { SWAP_PROBE, "PROBE", { probe }, false };

const struct swap_row *swap_row(uint32_t id)
{
	const size_t n = sizeof(rows) / sizeof(rows[0]);
	size_t at = partition_point(i, 0, n, rows[i].id < id);

	if (at < n && rows[at].id == id)
		return &rows[at];
	return id >> 8 == SWAP_PROBE >> 8 ? &other_probe : NULL;
}

const char *swap_field_name(enum swap_field_id id)
{
	return id < SWAP_F_COUNT ? field_names[id] : "";
}

const char *swap_value_name(const struct swap_name *names, uint64_t value)
{
	for (; names && names->name; names++)
		if (names->value == value)
			return names->name;
	return NULL;
}
