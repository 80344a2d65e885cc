/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The checks of etrace doctor, and functions that they share. cmd_doctor.c has the
 * table of checks, with the backends of each.
 */
#ifndef ETRACE_DOCTOR_H
#define ETRACE_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/utsname.h>

struct sink;

enum result { GOOD, NOTE, BAD };
/* Backends that a check is about, or that the user wants. */
enum backends { MODULE = 1, BPF = 2, STRACE = 4, BOTH = MODULE | BPF };

/* What a check found, and what the user can do. */
struct finding {
	enum result result;
	char text[512];
	char remedy[1024];	/* lines, "" if none */
};

/* ---- doctor.c: shared functions ---- */

/* This machine and its kernel; set before any check. */
extern struct utsname doctor_host;

/** found - set what a check found.  Return: @what. */
enum result found(struct finding *f, enum result what, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/** remedy - add what the user can do about it */
void remedy(struct finding *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/** doctor_line - the first line of a file. Return: false if it cannot be read. */
bool doctor_line(const char *path, char *buf, size_t size);
/** doctor_command - the first line that a command prints. Return: false if it fails. */
bool doctor_command(const char *command, char *buf, size_t size);

/** doctor_has_cap - whether we have a capability */
bool doctor_has_cap(unsigned int cap);
bool doctor_kernel_before(int major, int minor);

/** doctor_config - whether the kernel was built with the options that a backend needs */
enum result doctor_config(struct finding *f, enum backends backend);

/** doctor_nowhere - a sink that takes everything and keeps nothing */
extern struct sink doctor_nowhere;

/* ---- doctor_module.c ---- */

/** doctor_find_module - find the module's file; call it before the module's checks */
void doctor_find_module(void);

enum result check_rights(struct finding *f);
enum result check_headers(struct finding *f);
enum result check_module(struct finding *f);
enum result check_signature(struct finding *f);
enum result check_modules_disabled(struct finding *f);
enum result check_lockdown(struct finding *f);
enum result check_tracefs(struct finding *f);
enum result check_config(struct finding *f);
enum result check_buffers(struct finding *f);
enum result check_module_session(struct finding *f);

/* ---- doctor_bpf.c ---- */

enum result check_bpf_rights(struct finding *f);
enum result check_btf(struct finding *f);
enum result check_bpf_config(struct finding *f);
enum result check_unprivileged(struct finding *f);
enum result check_memlock(struct finding *f);
enum result check_lsms(struct finding *f);
enum result check_bpf_session(struct finding *f);

/* ---- doctor_strace.c ---- */

enum result check_strace(struct finding *f);

#endif
