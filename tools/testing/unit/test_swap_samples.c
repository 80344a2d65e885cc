// SPDX-License-Identifier: GPL-2.0
/*
 * The SWAP streams in data/swap, made by the real packers, compared with dumps made by an
 * independent decoder: the JSON of each stream, rewritten in the form of the dump, equals the
 * dump line by line and value by value.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <json-c/json.h>

#include "common_convert.h"

static void add(struct bytes *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void add(struct bytes *b, const char *fmt, ...)
{
	char text[8192];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	assert_true(n >= 0 && (size_t)n < sizeof(text));
	bytes_add(b, text, (size_t)n);
}

static json_object *member(json_object *o, const char *key)
{
	json_object *v;

	if (!json_object_object_get_ex(o, key, &v))
		fail_msg("no %s in %s", key, json_object_to_json_string(o));
	return v;
}

static bool has(json_object *o, const char *key)
{
	return json_object_object_get_ex(o, key, NULL);
}

/* An argument or a return value: TYPE:VALUE. */
static void add_item(struct bytes *b, json_object *item)
{
	char type = json_object_get_string(member(item, "type"))[0];

	if (type == 'v' || type == 'n') {
		add(b, "%c", type);
		return;
	}
	add(b, "%c:", type);
	switch (type) {
	case 's':
		add(b, "'%s'", json_object_get_string(member(item, "value")));
		break;
	case 'c':
		add(b, "'%c'", json_object_get_int(member(item, "value")));
		break;
	case 'b':
		add(b, json_object_get_boolean(member(item, "value")) ? "True" : "False");
		break;
	case 'D':
	case 'F':
	case 'W': {
		json_object *v = member(item, "value");

		add(b, "%sx%zu[", json_object_get_string(member(item, "address")),
		    json_object_array_length(v));
		for (size_t i = 0; i < json_object_array_length(v); i++)
			add(b, "%s%s", i ? ", " : "",
			    json_object_to_json_string(json_object_array_get_idx(v, i)));
		add(b, "]");
		break;
	}
	default:
		add(b, "%s", json_object_get_string(member(item, "value")));
		break;
	}
}

static void add_list(struct bytes *b, json_object *list, bool items)
{
	add(b, "[");
	for (size_t i = 0; i < json_object_array_length(list); i++) {
		json_object *e = json_object_array_get_idx(list, i);

		if (i)
			add(b, items ? " " : ", ");
		if (items)
			add_item(b, e);
		else
			add(b, "%s", json_object_to_json_string(e));
	}
	add(b, "]");
}

/*
 * Placeholders: {KEY} as it is, {KEY:s} quoted, {KEY:x} in hexadecimal, {KEY:u} unsigned,
 * {KEY:a} arguments, {KEY:r} a return value, {KEY:l} a list of numbers.
 */
static void add_template(struct bytes *b, const char *t, json_object *o)
{
	while (*t) {
		char key[32], how = 0;
		json_object *v;
		size_t n;

		if (*t != '{') {
			bytes_add(b, t++, 1);
			continue;
		}
		n = strcspn(++t, ":}");
		assert_true(n < sizeof(key));
		memcpy(key, t, n);
		key[n] = 0;
		t += n;
		if (*t == ':') {
			how = t[1];
			t += 2;
		}
		assert_int_equal(*t++, '}');
		v = member(o, key);
		switch (how) {
		case 's':
			add(b, "'%s'", json_object_get_string(v));
			break;
		case 'x':
			add(b, "0x%llx", (unsigned long long)json_object_get_int64(v));
			break;
		case 'u':
			add(b, "%llu", (unsigned long long)json_object_get_int64(v));
			break;
		case 'a':
			add_list(b, v, true);
			break;
		case 'l':
			add_list(b, v, false);
			break;
		case 'r':
			add_item(b, v);
			break;
		default:
			add(b, "%s", json_object_get_string(v));
			break;
		}
	}
}

/* Each element of a list in a line of its own. */
static void add_lines(struct bytes *b, const char *t, json_object *list)
{
	for (size_t i = 0; i < json_object_array_length(list); i++)
		add_template(b, t, json_object_array_get_idx(list, i));
}

static void add_loads(struct bytes *b, const char *head, const char *key, json_object *list)
{
	add(b, "%s", head);
	for (size_t i = 0; i < json_object_array_length(list); i++) {
		json_object *e = json_object_array_get_idx(list, i);

		add(b, "%s%s=%s", i ? " " : "", json_object_get_string(member(e, key)),
		    json_object_to_json_string(member(e, "load")));
	}
	add(b, "\n");
}

static void add_system(struct bytes *b, json_object *o)
{
	json_object *processes = member(o, "processes");

	add_template(b, "    (cpus={cpus} devices={energy_devices})\n", member(o, "counts"));
	add_template(b, "    cpu_freq={cpu_frequency:l} cpu_load={cpu_load:l} mem_used={memory_used}\n", o);
	for (size_t i = 0; i < json_object_array_length(processes); i++) {
		json_object *p = json_object_array_get_idx(processes, i);

		add_template(b, "    proc pid={pid} load={load} virt={virtual} rss={resident} shared={shared} pss={pss} alloc={alloc}\n", p);
		add_loads(b, "     threads ", "tid", member(p, "threads"));
	}
	add_loads(b, "    other ", "pid", member(o, "other_processes"));
	add_template(b, "    used_drive={used_drive} disk_reads={disk_reads} disk_sectors_read={disk_read_amount} disk_writes={disk_writes} disk_sectors_written={disk_write_amount} net_send={net_sent} net_recv={net_received} wifi={wifi} bt={bt} gps={gps} brightness={brightness} camera={camera} sound={sound} audio={audio} vibration={vibration} voltage={voltage} rssi={rssi} video={video} call={call} dnet={dnet} energy={energy}\n", o);
	add_template(b, "    energy_dev={energy_devices:l} app_energy_dev={app_energy_devices:l}\n", o);
	add_template(b, "    !! {slack} bytes after the fields (slack of SYSTEM, content undefined)\n", o);
}

/* One row per kind of message: its form in a dump. */
static const struct {
	const char *type;
	const char *text;
	const char *list, *element;
} templates[] = {
	{ "PROCESS_INFO", "    pid={pid} comm={name:s} ppid={ppid} start={start} low={low} high={high} path={path:s}\n",
	  "libraries", "    lib low={low} high={high} path={path:s}\n" },
	{ "TERMINATE", "    pid={pid}\n", NULL, NULL },
	{ "ERROR", "    {message:s}\n", NULL, NULL },
	{ "SAMPLE", "    pid={pid} pc={pc} tid={tid} cpu={cpu}\n", NULL, NULL },
	{ "RECORD", "", "events", "    event id={event_id} type={event_type} code={event_code} value={event_value}\n" },
	{ "SYSCALL_ENTRY", "    pid={pid} tid={tid} type={class:x} pc={pc} caller={caller} cpu={cpu} args={args:a}\n", NULL, NULL },
	{ "SYSCALL_EXIT", "    pid={pid} tid={tid} type={class:x} pc={pc} caller={caller} cpu={cpu} ret={return:r}\n", NULL, NULL },
	{ "FILE_FUNCTION_EXIT", "    pid={pid} tid={tid} ret={return:r}\n", NULL, NULL },
	{ "CONTEXT_SWITCH_ENTRY", "    pc={pc} pid={pid} tid={tid} cpu={cpu}\n", NULL, NULL },
	{ "CONTEXT_SWITCH_EXIT", "    pc={pc} pid={pid} tid={tid} cpu={cpu}\n", NULL, NULL },
	{ "PROCESS_MAP", "    pid={pid} low={low} high={high} path={path:s}\n", NULL, NULL },
	{ "PROCESS_UNMAP", "    pid={pid} low={low} high={high}\n", NULL, NULL },
	{ "PROCESS_COMM", "    pid={pid} comm={name:s}\n", NULL, NULL },
	{ "WEB_SAMPLING", "    pid={pid} tid={tid} line={line} name={name:s} url={url:s}\n", NULL, NULL },
	{ "WEB_FUNCTION_EXIT", "    pid={pid} tid={tid} name={name:s}\n", NULL, NULL },
	{ "APP_SETUP_STAGE", "    pid={pid} stage={stage} begin={begin} end={end}\n", NULL, NULL },
	{ "UI_HIERARCHY", "    {path:s}\n", NULL, NULL },
	{ "PROBE_MEMORY", "    size={size} mem_api={kind} addr={address}\n", NULL, NULL },
	{ "PROBE_UICONTROL", "    ctl_type={control_type:s} name={name:s} addr={address}\n", NULL, NULL },
	{ "PROBE_UIEVENT", "    event={event} detail={detail} x={x} y={y} info1={info1:s} info2={info2}\n", NULL, NULL },
	{ "PROBE_FILE", "    size={size} fd={fd:u} api_type={operation} file_size={file_size} path={path:s}\n", NULL, NULL },
	{ "PROBE_LIFECYCLE", "", NULL, NULL },
	{ "PROBE_SCREENSHOT", "    image={image:s} orientation={angle}\n", NULL, NULL },
	{ "PROBE_SCENE", "    scene={scene:s} form={form:s} {form_address} panel={panel:s} {panel_address} transition={transition} user={user_data}\n", NULL, NULL },
	{ "PROBE_THREAD", "    pthread={pthread} tizen_thread={tizen_thread} thread_type={thread_kind} api_type={operation} class={class_name:s}\n", NULL, NULL },
	{ "PROBE_CUSTOM", "    handle={handle} type={chart_type} name={name:s} color={colour:x} value={value}\n", NULL, NULL },
	{ "PROBE_SYNC", "    sync={object} sync_type={kind} api_type={operation}\n", NULL, NULL },
	{ "PROBE_GL", "    context={context} gl_api_type={kind} elapsed={elapsed} value={text:s}\n", NULL, NULL },
};

static void add_function(struct bytes *b, json_object *o, bool entry)
{
	add_template(b, "    pid={pid} tid={tid} ", o);
	if (has(o, "probe_type"))
		add_template(b, "probe_type={probe_type} probe_sub_type={class:x} ", o);
	add_template(b, "pc={pc} caller={caller} cpu={cpu} ", o);
	add_template(b, entry ? "args={args:a}\n" : "ret={return:r}\n", o);
}

static void add_file_function(struct bytes *b, json_object *o)
{
	add_template(b, "    pid={pid} tid={tid} fd={fd} event={event} path={path:s} args_type={args_type}", o);
	if (has(o, "open_path"))
		add_template(b, " open={open_path:s}", o);
	if (has(o, "lock_type"))
		add_template(b, " type={lock_type} whence={whence} start={lock_start:x} len={lock_length:x}", o);
	add(b, "\n");
}

static void add_web_stage(struct bytes *b, json_object *o)
{
	add_template(b, "    pid={pid} wsp={step}", o);
	if (has(o, "resource_id"))
		add_template(b, " res={resource_id}", o);
	if (has(o, "path"))
		add_template(b, " path={path:s}", o);
	add(b, "\n");
}

static void add_network(struct bytes *b, json_object *o)
{
	const char *hex = json_object_get_string(member(o, "data"));
	char *text = calloc(1, strlen(hex) + 1);

	for (size_t i = 0; hex[i]; i += 2) {
		unsigned int c;

		assert_int_equal(sscanf(hex + i, "%2x", &c), 1);
		text[i / 2] = (char)c;
	}
	add_template(b, "    object={object} fd={fd} api_type={operation} ip={ip} port={port} total={total_size} data=b", o);
	add(b, "'%s'\n", text);
	free(text);
}

static void add_probe_head(struct bytes *b, json_object *o)
{
	add_template(b, "    api={api_id}(", o);
	add_template(b, has(o, "api_name") ? "{api_name}" : "?", o);
	add_template(b, ") pid={pid} tid={tid} args={args:a} ret={return:r} errno={errno} call_type={call_type} caller={caller} reserved={reserved1},{reserved2}\n", o);
}

static void add_message(struct bytes *b, json_object *o, unsigned int lost)
{
	const char *type = json_object_get_string(member(o, "type"));

	add_template(b, "@{offset} ", o);
	add(b, "%s%s", type, !strcmp(type, "WEB_SAMPLING") ? "/WEB_FUNCTION_ENTRY" : "");
	add(b, " id=0x%04x", json_object_get_int(member(o, "id")));
	add_template(b, " seq={seq} time={time} len={length}", o);
	if (lost)
		add(b, "  <-- %u lost", lost);
	add(b, "\n");
	if (!strncmp(type, "PROBE_", 6))
		add_probe_head(b, o);
	if (!strcmp(type, "SYSTEM"))
		add_system(b, o);
	else if (!strcmp(type, "FUNCTION_ENTRY") || !strcmp(type, "FUNCTION_EXIT"))
		add_function(b, o, !strcmp(type, "FUNCTION_ENTRY"));
	else if (!strcmp(type, "FILE_FUNCTION_ENTRY"))
		add_file_function(b, o);
	else if (!strcmp(type, "WEB_APP_SETUP_STAGE"))
		add_web_stage(b, o);
	else if (!strcmp(type, "PROBE_NETWORK"))
		add_network(b, o);
	else if (!strcmp(type, "FBI"))
		add(b, "    var=%s size=%zu data=%s\n", json_object_get_string(member(o, "variable")),
		    strlen(json_object_get_string(member(o, "data"))) / 2,
		    json_object_get_string(member(o, "data")));
	else if (!strcmp(type, "PROCESS_STATUS_INFO")) {
		add(b, "    pid=%s files=%zu\n", json_object_get_string(member(o, "pid")),
		    json_object_array_length(member(o, "files")));
		add_lines(b, "    fd={fd} size={size} path={path:s}\n", member(o, "files"));
	} else {
		for (size_t i = 0; i < sizeof(templates) / sizeof(templates[0]); i++) {
			if (strcmp(templates[i].type, type))
				continue;
			add_template(b, templates[i].text, o);
			if (templates[i].list)
				add_lines(b, templates[i].element, member(o, templates[i].list));
			return;
		}
		fail_msg("no template for %s", type);
	}
}

/* Rewrite the JSON of a stream in the form of a dump. */
static struct bytes redump(const struct bytes *json)
{
	struct bytes b = { 0 };
	unsigned int lost = 0;

	for (const char *line = json->data; *line;) {
		const char *end = strchr(line, '\n');
		json_tokener *tok = json_tokener_new();
		json_object *o = json_tokener_parse_ex(tok, line, (int)(end - line));

		assert_non_null(o);
		if (!strcmp(json_object_get_string(member(o, "type")), "LOST")) {
			lost = (unsigned int)json_object_get_int(member(o, "count"));
		} else {
			add_message(&b, o, lost);
			lost = 0;
		}
		json_object_put(o);
		json_tokener_free(tok);
		line = end + 1;
	}
	return b;
}

/* Remove from a dump how it found the counts, and a truncated header: these are not compared. */
static void simplify(struct bytes *dump)
{
	char *p;

	while ((p = strstr(dump->data, " layout="))) {
		char *end = strchr(p, ')');

		memmove(p, end, strlen(end) + 1);
	}
	p = strstr(dump->data, " TRUNCATED HEADER");
	if (p) {
		while (p > dump->data && p[-1] != '\n')
			p--;
		*p = 0;
	}
	dump->n = strlen(dump->data);
}

static void assert_same_text(const struct bytes *got, const struct bytes *want)
{
	const char *g = got->data ? got->data : "", *w = want->data ? want->data : "";

	for (unsigned int line = 1; *g || *w; line++) {
		size_t gn = strcspn(g, "\n"), wn = strcspn(w, "\n");

		if (gn != wn || memcmp(g, w, gn))
			fail_msg("line %u is\n%.*s\nexpected\n%.*s", line, (int)gn, g, (int)wn, w);
		g += gn + (g[gn] == '\n');
		w += wn + (w[wn] == '\n');
	}
}

static const struct sample {
	const char *name;
	int status;
	const char *message;	/* part of a message on stderr, or NULL */
} samples[] = {
	{ "swap3-arm", 0, NULL },
	{ "swap42-arm", 1, "offset 3204: 1 message is missing, numbers 34 to 34" },
	{ "swap42-session", 0, NULL },
	{ "swap-seqwrap", 1, "offset 120: 1 message is missing, numbers 1 to 1" },
	{ "swap-cut", 1, "offset 3091: 9 bytes that belong to no message" },
};

static struct bytes sample_file(const char *name, const char *end)
{
	char path[64];

	snprintf(path, sizeof(path), "swap/%s%s", name, end);
	return fixture(path);
}

static void test_same_as_dumps(void **state)
{
	char map[4096];

	(void)state;
	snprintf(map, sizeof(map), "%s/swap/api_map.txt", getenv("ETRACE_DATA") ?: "data");
	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		struct bytes in = sample_file(samples[i].name, ".bin");
		struct bytes want = sample_file(samples[i].name, ".dump.txt");
		struct conversion c = convert("swap", "json", in.data, in.n,
					      OPTIONS({ "swap-api-map", map }));
		struct bytes got = redump(&c.out);

		simplify(&want);
		assert_same_text(&got, &want);
		assert_int_equal(c.status, samples[i].status);
		if (samples[i].message)
			assert_true(has_line(&c.messages, samples[i].message));
		else
			assert_string_equal(c.messages.data, "");
		bytes_free(&in);
		bytes_free(&want);
		bytes_free(&got);
		conversion_free(&c);
	}
}

static void test_detect(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		struct bytes in = sample_file(samples[i].name, ".bin");
		const struct source_format *best = NULL;
		int best_score = 0;

		for (const struct source_format *f = source_formats; f->name; f++) {
			int score = f->detect((const uint8_t *)in.data, in.n);

			if (score > best_score) {
				best_score = score;
				best = f;
			}
		}
		assert_string_equal(best ? best->name : "nothing", "swap");
		bytes_free(&in);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_as_dumps),
		cmocka_unit_test(test_detect),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
