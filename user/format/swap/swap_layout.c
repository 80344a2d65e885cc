// SPDX-License-Identifier: LGPL-2.1
/*
 * Tables with the layouts of the messages of swap_messages.def.  How a message is shown in
 * a trace is defined in swap_fxt_*.c.
 */
#include "format/swap/swap_layout.h"
#include "base/partition.h"

/* Names of the values of number fields. */
static const struct swap_name class_names[] = {
	{ 0x01, "file" }, { 0x02, "ipc" }, { 0x04, "process" }, { 0x08, "signal" },
	{ 0x10, "network" }, { 0x20, "descriptor" }, { 0, NULL }
};

static const struct swap_name probe_type_names[] = {
	{ 1, "user" }, { 3, "kernel" }, { 0, NULL }
};

const struct swap_name swap_file_operations[] = {
	{ 0, "open" }, { 1, "close" }, { 2, "read start" }, { 3, "read end" },
	{ 4, "write start" }, { 5, "write end" }, { 6, "directory" }, { 7, "permission" },
	{ 8, "other" }, { 9, "send" }, { 10, "receive" }, { 11, "option" }, { 12, "manage" },
	{ 14, "lock start" }, { 15, "lock end" }, { 16, "unlock" }, { 0, NULL }
};

static const struct swap_name file_args_names[] = {
	{ 0, "general" }, { 1, "open" }, { 2, "lock" }, { 0, NULL }
};

const struct swap_name swap_stage_names[] = {
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

/* Fields of a layout. */
#define F(text, ftype)		{ .name = text, .type = SWAP_T_##ftype }
#define NAMED(text, ftype, tab)	{ .name = text, .type = SWAP_T_##ftype, .names = tab }
#define SELECT(text, ftype, tab) \
	{ .name = text, .type = SWAP_T_##ftype, .names = tab, .selector = true }
#define WHEN(mask, text, ftype)	{ .name = text, .type = SWAP_T_##ftype, .when = mask }
#define LIST(text, fields)	{ .name = text, .type = SWAP_T_LIST, .sub = fields }
#define INSTANTS(list, fields, kind, event) \
	{ .name = list, .type = SWAP_T_LIST, .sub = fields, .category = kind, .text = event }
#define INCLUDE(fields)		{ .name = "", .type = SWAP_T_INCLUDE, .sub = fields }
#define END			{ .name = "", .type = SWAP_T_END }

static const struct swap_field library[] = {
	F("low", ADDR), F("high", ADDR), F("path", STR), END
};

static const struct swap_field process_info[] = {
	F("pid", U32), F("name", STR), F("ppid", U32), F("start", TIME), F("low", ADDR),
	F("high", ADDR), F("path", STR), INSTANTS("libraries", library, "map", "library"), END
};

static const struct swap_field terminate[] = { F("pid", U32), END };

static const struct swap_field error[] = { F("message", STR), END };

static const struct swap_field sample[] = {
	F("pid", U32), F("pc", ADDR), F("tid", U32), F("cpu", U32), END
};

static const struct swap_field thread_load[] = { F("tid", U32), F("load", F32), END };

static const struct swap_field process_profile[] = {
	F("pid", U32), F("load", F32), F("virtual", U64), F("resident", U64), F("shared", U64),
	F("pss", U64), F("alloc", I64), LIST("threads", thread_load), END
};

static const struct swap_field process_load[] = { F("pid", U32), F("load", F32), END };

static const struct swap_field system_state[] = {
	F("cpu_frequency", CPUS_F32), F("cpu_load", CPUS_F32), F("memory_used", U64),
	LIST("processes", process_profile), LIST("other_processes", process_load),
	F("used_drive", U32), F("disk_reads", U32), F("disk_read_amount", U32),
	F("disk_writes", U32), F("disk_write_amount", U32), F("net_sent", U32),
	F("net_received", U32), F("wifi", U32), F("bt", U32), F("gps", U32), F("brightness", U32),
	F("camera", U32), F("sound", U32), F("audio", U32), F("vibration", U32), F("voltage", U32),
	F("rssi", U32), F("video", U32), F("call", U32), F("dnet", U32), F("energy", U32),
	F("energy_devices", DEVICES_U32), F("app_energy_devices", DEVICES_U32), END
};

static const struct swap_field input_event[] = {
	F("event_id", U32), F("event_type", U32), F("event_code", U32), F("event_value", U32), END
};

static const struct swap_field record[] = {
	INSTANTS("events", input_event, "input", "input event"), END
};

static const struct swap_field function_entry[] = {
	F("pid", U32), F("tid", U32), F("pc", ADDR), F("caller", ADDR), F("cpu", U32),
	F("args", ARGS), END
};

/* Before protocol 4.0: system calls had this id, too. */
static const struct swap_field function_entry_old[] = {
	F("pid", U32), F("tid", U32), NAMED("probe_type", U16, probe_type_names),
	NAMED("class", U16, class_names), F("pc", ADDR), F("caller", ADDR), F("cpu", U32),
	F("args", ARGS), END
};

static const struct swap_field function_exit[] = {
	F("pid", U32), F("tid", U32), F("pc", ADDR), F("caller", ADDR), F("cpu", U32),
	F("return", ITEM), END
};

static const struct swap_field function_exit_old[] = {
	F("pid", U32), F("tid", U32), NAMED("probe_type", U16, probe_type_names),
	NAMED("class", U16, class_names), F("pc", ADDR), F("caller", ADDR), F("cpu", U32),
	F("return", ITEM), END
};

static const struct swap_field syscall_entry[] = {
	F("pid", U32), F("tid", U32), NAMED("class", U32, class_names), F("pc", ADDR),
	F("caller", ADDR), F("cpu", U32), F("args", ARGS), END
};

static const struct swap_field syscall_exit[] = {
	F("pid", U32), F("tid", U32), NAMED("class", U32, class_names), F("pc", ADDR),
	F("caller", ADDR), F("cpu", U32), F("return", ITEM), END
};

static const struct swap_field file_function_entry[] = {
	F("pid", U32), F("tid", U32), F("fd", I32), NAMED("event", U32, swap_file_operations),
	F("path", STR), SELECT("args_type", U32, file_args_names), WHEN(1 << 1, "open_path", STR),
	WHEN(1 << 2, "lock_type", U32), WHEN(1 << 2, "whence", U32),
	WHEN(1 << 2, "lock_start", I64), WHEN(1 << 2, "lock_length", I64), END
};

static const struct swap_field file_function_exit[] = {
	F("pid", U32), F("tid", U32), F("return", ITEM), END
};

static const struct swap_field open_file[] = {
	F("fd", U32), F("size", U64), F("path", STR), END
};

static const struct swap_field open_file_document[] = {
	F("fd", U32), F("tid", U32), F("size", U64), F("path", STR), END
};

static const struct swap_field status_info[] = {
	F("pid", U32), INSTANTS("files", open_file, "process", "open file"), END
};

static const struct swap_field status_info_document[] = {
	F("pid", U32), INSTANTS("files", open_file_document, "process", "open file"), END
};

static const struct swap_field context_switch[] = {
	F("pc", ADDR), F("pid", U32), F("tid", U32), F("cpu", U32), END
};

static const struct swap_field process_map[] = {
	F("pid", U32), F("low", ADDR), F("high", ADDR), F("path", STR), END
};

static const struct swap_field process_unmap[] = {
	F("pid", U32), F("low", ADDR), F("high", ADDR), END
};

static const struct swap_field process_comm[] = { F("pid", U32), F("name", STR), END };

static const struct swap_field web_entry[] = {
	F("pid", U32), F("tid", U32), F("line", U32), F("name", STR), F("url", STR), END
};

static const struct swap_field web_sample[] = {
	F("subtype", U8), F("pid", U32), F("tid", U32), F("line", U32), F("name", STR),
	F("url", STR), END
};

static const struct swap_field web_exit[] = {
	F("pid", U32), F("tid", U32), F("name", STR), END
};

static const struct swap_field app_stage[] = {
	F("pid", U32), NAMED("stage", U32, swap_stage_names), F("begin", TIME), F("end", TIME), END
};

static const struct swap_field web_stage[] = {
	F("pid", U32), SELECT("step", U32, step_names),
	WHEN(1 << 1 | 1 << 2 | 1 << 3 | 1 << 4, "resource_id", U32), WHEN(1 << 1, "path", STR), END
};

static const struct swap_field fbi[] = { F("variable", U32), F("data", SIZED), END };

static const struct swap_field ui_hierarchy[] = { F("path", STR), END };

static const struct swap_field lsan[] = {
	NAMED("status", U32, lsan_names), F("pid", U32), F("message", STR), F("call_type_ptr", U32),
	F("caller", ADDR), END
};

static const struct swap_field probe[] = {
	F("api_id", U32), F("pid", U32), F("tid", U32), F("args", ARGS), F("return", ITEM),
	F("errno", I64), F("call_type", U32), F("caller", ADDR), F("reserved1", U32),
	F("reserved2", U32), END
};

static const struct swap_field probe_memory[] = {
	INCLUDE(probe), F("size", U64), NAMED("kind", U32, mem_names), F("address", ADDR), END
};

static const struct swap_field probe_uicontrol[] = {
	INCLUDE(probe), F("control_type", STR), F("name", STR), F("address", ADDR), END
};

static const struct swap_field probe_uievent[] = {
	INCLUDE(probe), NAMED("event", U32, ui_event_names), F("detail", U32), F("x", I32),
	F("y", I32), F("info1", STR), F("info2", I32), END
};

static const struct swap_field probe_file[] = {
	INCLUDE(probe), F("size", U64), F("fd", I64), NAMED("operation", U32, swap_file_operations),
	F("file_size", I64), F("path", STR), END
};

static const struct swap_field probe_lifecycle[] = { INCLUDE(probe), END };

static const struct swap_field probe_screenshot[] = {
	INCLUDE(probe), F("image", STR), F("angle", U32), END
};

static const struct swap_field probe_scene[] = {
	INCLUDE(probe), F("scene", STR), F("form", STR), F("form_address", ADDR), F("panel", STR),
	F("panel_address", ADDR), F("transition", U64), F("user_data", U64), END
};

static const struct swap_field probe_thread[] = {
	INCLUDE(probe), F("pthread", ADDR), F("tizen_thread", ADDR),
	NAMED("thread_kind", U32, thread_kind_names), NAMED("operation", U32, thread_api_names),
	F("class_name", STR), END
};

static const struct swap_field probe_custom[] = {
	INCLUDE(probe), F("handle", U32), F("chart_type", U32), F("name", STR), F("colour", U32),
	F("value", F64), END
};

static const struct swap_field probe_sync[] = {
	INCLUDE(probe), F("object", ADDR), NAMED("kind", U32, sync_kind_names),
	NAMED("operation", U32, sync_api_names), END
};

static const struct swap_field probe_network[] = {
	INCLUDE(probe), F("object", ADDR), F("fd", I64), NAMED("operation", U32, net_api_names),
	F("ip", IP4), F("port", U32), F("total_size", U64), F("data", REST), END
};

static const struct swap_field probe_gl[] = {
	INCLUDE(probe), F("context", ADDR), NAMED("kind", U32, gl_kind_names), F("elapsed", U64),
	F("text", STR), END
};

/* Only SYSTEM has uninitialised memory after its fields. */
static const struct swap_row rows[] = {
#define SWAP_MESSAGE(id, name, fn, category, text, starts, ...) \
	{ id, #name, { __VA_ARGS__ }, SWAP_##name == SWAP_SYSTEM, category, text, starts },
#include "format/swap/swap_messages.def"
};

/* Any other probe id: only the fields that all probes have. */
static const struct swap_row other_probe = {
	SWAP_PROBE, "PROBE", { probe }, .category = "probe"
};

const struct swap_row *swap_row(uint32_t id)
{
	const size_t n = sizeof(rows) / sizeof(rows[0]);
	size_t at = partition_point(i, 0, n, rows[i].id < id);

	if (at < n && rows[at].id == id)
		return &rows[at];
	return id >> 8 == SWAP_PROBE >> 8 ? &other_probe : NULL;
}

const char *swap_value_name(const struct swap_name *names, uint64_t value)
{
	for (; names && names->name; names++)
		if (names->value == value)
			return names->name;
	return NULL;
}
