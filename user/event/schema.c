// SPDX-License-Identifier: LGPL-2.1
/* The tables that are made from kernel/etrace_events.def.  See schema.h. */
#include "event/schema.h"

#include <stdio.h>
#include <string.h>

#include "kernel/etrace_secrets.h"

/* ---- names of values and strings ---- */

/* size and sign of the types in events.def */
#define T_u8	1, false
#define T_u16	2, false
#define T_u32	4, false
#define T_u64	8, false
#define T_s32	4, true
#define T_s64	8, true
#define MUST	false
#define MAY	true

/* A kind without values has an empty table, which is never read. */
#define EVENT(ID, id, name, category, where, doc) \
	static const struct et_value_row values_##ID[] = {
#define VALUE(ID, id, type, name, means, given) \
	{ name, #id, ET_MEANS_##means, given, T_##type },
#define END_EVENT(ID, id) { 0 } };
#include "event/events.def"

#define EVENT(ID, id, name, category, where, doc) \
	static const struct et_string_row strings_##ID[] = {
#define STRING(ID, id, TAG, name) { name, #TAG },
#define END_EVENT(ID, id) { 0 } };
#include "event/events.def"

/* ---- lines ---- */

/* Which values are optional; the number of fields of a line, and what it needs. */
enum {
#define VALUE(ID, id, type, name, means, given) MAY_##ID##_##id = given,
#include "event/events.def"
};
#define LINE(ID, tag, role, when) enum { FIELDS_##tag = 0
#define SIZE(ID, id, TAG, name) + 1
#define SIZE_MAY(ID, id, TAG, name) + 1
#define FIELD(ID, id, name) + 1
#define END_LINE(ID, tag) };
#include "event/events.def"
#define LINE(ID, tag, role, when) enum { VALUES_##tag = 0
#define FIELD(ID, id, name) | 1 << ET_V_##ID##_##id
#define END_LINE(ID, tag) };
#include "event/events.def"
#define LINE(ID, tag, role, when) enum { STRINGS_##tag = 0
#define SIZE(ID, id, TAG, name) | 1 << ET_S_##ID##_##id
#define END_LINE(ID, tag) };
#include "event/events.def"

const struct et_row et_rows[ET_NR_ROWS] = {
#define LINE(ID, tag, role, when) \
	[ET_R_##tag] = { #tag, sizeof(#tag) - 1, ET_K_##ID, ET_##role, ET_##when, 0, 0, \
			 FIELDS_##tag, VALUES_##tag, STRINGS_##tag, {
#define SIZE(ID, id, TAG, name) \
	{ #name, sizeof(#name) - 1, true, ET_S_##ID##_##id, false, ET_T_##TAG },
#define SIZE_MAY(ID, id, TAG, name) \
	{ #name, sizeof(#name) - 1, true, ET_S_##ID##_##id, true, ET_T_##TAG },
#define FIELD(ID, id, name) \
	{ #name, sizeof(#name) - 1, false, ET_V_##ID##_##id, MAY_##ID##_##id, 0 },
#define END_LINE(ID, tag) { 0 } } },
#define TEXT(ID, id, TAG) \
	[ET_R_##ID##_##TAG] = { #TAG, sizeof(#TAG) - 1, ET_K_##ID, ET_STRING, ET_EACH, \
				ET_S_##ID##_##id, ET_T_##TAG, 0, 0, 0, { { 0 } } },
#define TEXT_ARGS(ID, id, TAG) TEXT(ID, id, TAG)
#include "event/events.def"
};

/* ---- kinds ---- */

enum {
#define EVENT(ID, id, name, category, where, doc) MAY_OF_##ID = 0
#define VALUE(ID, id, type, name, means, given) | given << ET_V_##ID##_##id
#define END_EVENT(ID, id) | 0,
#include "event/events.def"
};

enum {
#define EVENT(ID, id, name, category, where, doc) MUST_OF_##ID = 0
#define VALUE(ID, id, type, name, means, given) | !given << ET_V_##ID##_##id
#define END_EVENT(ID, id) | 0,
#include "event/events.def"
};
enum {
#define EVENT(ID, id, name, category, where, doc) MUST_STRINGS_OF_##ID = 0
#define SIZE(ID, id, TAG, name) | 1 << ET_S_##ID##_##id
#define END_EVENT(ID, id) | 0,
#include "event/events.def"
};
enum {
	EACH_BEGIN = 1, EACH_MIDDLE = 0, EACH_LAST = 0, EACH_FAILED = 0, EACH_MORE = 0,
#define EVENT(ID, id, name, category, where, doc) BEGINS_##ID = 0
#define LINE(ID, tag, role, when) | (EACH_##role && ET_##when == ET_EACH)
#define END_EVENT(ID, id) | 0,
#include "event/events.def"
};

#define EVENT(ID, id, name, category, where, doc) \
	_Static_assert((int)ET_NV_##ID <= ET_MAX_VALUES && (int)ET_NS_##ID <= ET_MAX_STRINGS, name);
#include "event/events.def"

const struct et_kind_row et_kinds[ET_K_COUNT] = {
	[ET_K_NONE] = { "none", "etrace", "", NULL, NULL, 0, 0, 0, 0, 0, 0, false, 0, 0 },
#define EVENT(ID, id, name, category, where, doc) \
	[ET_K_##ID] = { name, category, doc, values_##ID, strings_##ID, ET_NV_##ID, \
			ET_NS_##ID, ET_##where, ET_R_FIRST_##ID, ET_R_END_##ID, MAY_OF_##ID, \
			BEGINS_##ID, MUST_OF_##ID, MUST_STRINGS_OF_##ID & ~(1 << ET_ARGS) },
#include "event/events.def"
};

const char *const et_args_name[ET_K_COUNT] = {
#define ARGS(ID, id, TAG, name) [ET_K_##ID] = name,
#include "event/events.def"
};

const char *const et_args_tag[ET_K_COUNT] = {
#define ARGS(ID, id, TAG, name) [ET_K_##ID] = #TAG,
#include "event/events.def"
};

/* ---- what is recorded on request ---- */

bool et_on_request(const char *list, uint32_t *where)
{
	static const struct {
		const char *name;
		uint32_t bits;
	} names[] = {
		{ "probes", 1u << ET_PROBES }, { "dirs", 1u << ET_DIRS }, { "env", 1u << ET_ENV },
		{ "output", 1u << ET_OUTPUT }, { "output=all", 1u << ET_OUTPUT | ET_OUTPUT_ALL },
	};
	uint32_t bits = 0, bit;
	size_t len;

	do {
		len = strcspn(list, ",");
		bit = 0;
		for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
			if (strlen(names[i].name) == len && !memcmp(names[i].name, list, len))
				bit = names[i].bits;
		if (!bit)
			return false;
		bits |= bit;
		list += len;
	} while (*list++);
	*where |= bits;
	return true;
}

const char et_env_listed[] =
	/* gcc passes it to its compilers; includes options from @files */
	"COLLECT_GCC_OPTIONS,"
	/* gcc and clang; icc, icx and nvc know the first of them, too */
	"CPATH,C_INCLUDE_PATH,CPLUS_INCLUDE_PATH,OBJC_INCLUDE_PATH,OBJCPLUS_INCLUDE_PATH,"
	/* where gcc and clang find programs and libraries */
	"COMPILER_PATH,LIBRARY_PATH,GCC_EXEC_PREFIX,"
	/* gnat */
	"ADA_INCLUDE_PATH,ADA_PRJ_INCLUDE_FILE,"
	/* clang */
	"CCC_OVERRIDE_OPTIONS,QA_OVERRIDE_GCC3_OPTIONS,CLANG_NO_DEFAULT_CONFIG,"
	/* clang for Apple's systems */
	"SDKROOT,MACOSX_DEPLOYMENT_TARGET,IPHONEOS_DEPLOYMENT_TARGET,"
	/* cl and clang-cl */
	"INCLUDE,EXTERNAL_INCLUDE,CL,_CL_,"
	/* nvcc */
	"NVCC_PREPEND_FLAGS,NVCC_APPEND_FLAGS,NVCC_CCBIN,"
	/* Intel: names of files of options */
	"ICCCFG,ICPCCFG,ICXCFG,ICPXCFG,IFORTCFG,IFXCFG,"
	/* Intel: options */
	"__INTEL_PRE_CFLAGS,__INTEL_POST_CFLAGS,__INTEL_PRE_FFLAGS,__INTEL_POST_FFLAGS,"
	/* Arm, IAR */
	"ARMCC5INC,ARMCC5_CCOPT,ARMCOMPILER6_CLANGOPT,C_INCLUDE,QCCARM,"
	/* TI: for all its compilers, then for one target each */
	"C_DIR,C_OPTION,TI_ARM_C_DIR,TI_ARM_C_OPTION,C2000_C_DIR,C2000_C_OPTION,"
	/* more targets of TI */
	"C6X_C_DIR,C6X_C_OPTION,MSP430_C_DIR,MSP430_C_OPTION,PRU_C_DIR,PRU_C_OPTION,"
	/* sdcc, emcc, XL, javac */
	"SDCC_HOME,SDCC_INCLUDE,EMCC_CFLAGS,XLC_USR_CONFIG,CLASSPATH,JDK_JAVAC_OPTIONS";

const char et_env_hashed[] =
	/* how text is sorted, translated and dated */
	"LANG,LANGUAGE,LC_ALL,LC_CTYPE,LC_COLLATE,LC_MESSAGES,LC_NUMERIC,LC_TIME,TZ,"
	/* seeds */
	"SOURCE_DATE_EPOCH,PYTHONHASHSEED,PERL_HASH_SEED,"
	/* names that programs put into their outputs */
	"USER,LOGNAME,HOSTNAME,"
	/* options */
	"CFLAGS,CXXFLAGS,CPPFLAGS,LDFLAGS";

_Static_assert(sizeof(et_env_listed) + sizeof(et_env_hashed) <= ET_KEEP_ENV_MAX,
	       "backends have room for both");

const char *et_env_recorded(uint32_t record, const char *list)
{
	if (!(record >> ET_ENV & 1))
		return "";
	return record & ET_ENV_LISTED ? list : "*";
}

bool et_env_has(const char *recorded, const char *name, size_t len)
{
	return !strcmp(recorded, "*") || etrace_listed(recorded, name, (unsigned int)len);
}

bool et_keep_env(char *list, const char *names)
{
	size_t len = strlen(list);

	if (!*names || !etrace_list_good(names) || len + 1 + strlen(names) >= ET_KEEP_ENV_MAX)
		return false;
	snprintf(list + len, ET_KEEP_ENV_MAX - len, "%s%s", len ? "," : "", names);
	return true;
}
