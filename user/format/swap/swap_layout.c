// SPDX-License-Identifier: LGPL-2.1
/*
 * Tables with the layouts of the messages of swap_messages.def.  How a message is shown in
 * a trace is defined in swap_fxt_*.c.
 */
#include "format/swap/swap_layout.h"
#include "base/partition.h"

/* Names of the values of number fields, by value; NULL if it has none. */
static const char *const class_names[] = {
	[0x01] = "file", [0x02] = "ipc", [0x04] = "process", [0x08] = "signal",
	[0x10] = "network", [0x20] = "descriptor",
};

static const char *const probe_type_names[] = { [1] = "user", [3] = "kernel" };

static const char *const file_operations[] = {
	"open", "close", "read start", "read end", "write start", "write end", "directory",
	"permission", "other", "send", "receive", "option", "manage", NULL, "lock start",
	"lock end", "unlock",
};

static const char *const file_args_names[] = { "general", "open", "lock" };

static const char *const stage_names[] = { "mapping", "main", "create", "service" };

static const char *const step_names[] = {
	NULL, "resource load begin", "resource load end", "resource processing begin",
	"resource processing end", "draw begin", "draw end",
};

static const char *const lsan_names[] = { "error", "status", "report", NULL, "init done" };

static const char *const mem_names[] = { "alloc", "free", "other" };

static const char *const ui_event_names[] = {
	NULL, "key", "touch", NULL, "orientation", "listener", [6 ... 14] = "gesture",
};

static const char *const thread_kind_names[] = { "pthread", "worker", "event driven" };

static const char *const thread_api_names[] = {
	"new", "start", "stop", "exit", "wait start", "wait end", "internal start",
	"internal stop", "other",
};

static const char *const sync_kind_names[] = {
	"mutex", "monitor", "semaphore", "pthread mutex", "pthread cond", "pthread rwlock",
	"pthread spin", "pthread barrier",
};

static const char *const sync_api_names[] = {
	"new", "acquire start", "acquire end", "release", "try acquire", "cond wait start",
	"cond wait end", "notify", "notify all", "other",
};

static const char *const net_api_names[] = {
	"open", "close", "receive start", "receive end", "send start", "send end", "bind",
	"listen", "connect", "accept start", "accept end", "event start", "event end", "other",
	[14 ... 23] = "http",
};

static const char *const gl_kind_names[] = { "init", "context", "no context" };

/* Fields of a layout. */
#define F(text, ftype)		{ .name = text, .type = SWAP_T_##ftype }
#define NAMES(tab)		.names = tab, .nnames = sizeof(tab) / sizeof(tab[0])
#define NAMED(text, ftype, tab)	{ .name = text, .type = SWAP_T_##ftype, NAMES(tab) }
#define SELECT(text, ftype, tab) \
	{ .name = text, .type = SWAP_T_##ftype, NAMES(tab), .selector = true }
#define WHEN(mask, text, ftype)	{ .name = text, .type = SWAP_T_##ftype, .when = mask }
#define LIST(text, fields)	{ .name = text, .type = SWAP_T_LIST, .sub = fields }
#define INSTANTS(list, fields, kind, event) \
	{ .name = list, .type = SWAP_T_LIST, .sub = fields, .category = kind, .text = event }
#define COUNTER(counter, text, ftype) \
	{ .name = text, .type = SWAP_T_##ftype, .category = counter }
#define ARRAY(array, ftype, counter, element) \
	{ .name = array, .type = SWAP_T_##ftype, .category = counter, .text = element }
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
	F("pid", U32), COUNTER("process load", "load", F32),
	COUNTER("process memory", "virtual", U64), COUNTER("process memory", "resident", U64),
	COUNTER("process memory", "shared", U64), COUNTER("process memory", "pss", U64),
	COUNTER("process memory", "alloc", I64), LIST("threads", thread_load), END
};

static const struct swap_field process_load[] = { F("pid", U32), F("load", F32), END };

static const struct swap_field system_state[] = {
	ARRAY("cpu_frequency", CPUS_F32, "cpu frequency", "frequency of cpu"),
	ARRAY("cpu_load", CPUS_F32, "cpu load", "load of cpu"),
	COUNTER("memory", "memory_used", U64),
	LIST("processes", process_profile), LIST("other_processes", process_load),
	COUNTER("drive", "used_drive", U32),
	COUNTER("disk", "disk_reads", U32), COUNTER("disk", "disk_read_amount", U32),
	COUNTER("disk", "disk_writes", U32), COUNTER("disk", "disk_write_amount", U32),
	COUNTER("network", "net_sent", U32), COUNTER("network", "net_received", U32),
	COUNTER("devices", "wifi", U32), COUNTER("devices", "bt", U32),
	COUNTER("devices", "gps", U32), COUNTER("devices", "brightness", U32),
	COUNTER("devices", "camera", U32), COUNTER("devices", "sound", U32),
	COUNTER("devices", "audio", U32), COUNTER("devices", "vibration", U32),
	COUNTER("devices", "voltage", U32), COUNTER("devices", "rssi", U32),
	COUNTER("devices", "video", U32), COUNTER("devices", "call", U32),
	COUNTER("devices", "dnet", U32), COUNTER("energy", "energy", U32),
	ARRAY("energy_devices", DEVICES_U32, "energy of devices", "energy of device"),
	ARRAY("app_energy_devices", DEVICES_U32, "energy of the application",
	      "application's energy of device"), END
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
	F("pid", U32), F("tid", U32), F("fd", I32), NAMED("event", U32, file_operations),
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
	F("pid", U32), NAMED("stage", U32, stage_names), F("begin", TIME), F("end", TIME), END
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
	INCLUDE(probe), F("size", U64), F("fd", I64), NAMED("operation", U32, file_operations),
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

const char *swap_value_name(const struct swap_field *f, uint64_t value)
{
	return value < f->nnames ? f->names[value] : NULL;
}
