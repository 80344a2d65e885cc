/* SPDX-License-Identifier: GPL-2.0 */
/* The module's device: opened, and the module loaded first if need be, and unloaded. */
#ifndef ETRACE_DEVICE_H
#define ETRACE_DEVICE_H

#include <stdbool.h>
#include <stddef.h>

/**
 * device_open - open /dev/etrace, loading the module on demand
 * @verbose: tell where the module comes from
 * @why: on failure, what is wrong and what to do, for a person
 *
 * Return: a descriptor, or -1.
 */
int device_open(bool verbose, char *why, size_t size);

/**
 * device_unload - unload the module, if device_open() has loaded it
 * @why: on failure, what it stays for and what to do, for a person
 *
 * When nothing of this program uses it any more.  Whoever else does keeps it.
 *
 * Return: false if it was loaded by this program and stays.
 */
bool device_unload(char *why, size_t size);

/**
 * device_module - the module of a build tree that this program stands in
 * @path: room for its path
 *
 * Return: false if there is none: then it is modprobe's business.
 */
bool device_module(char *path, size_t size);

#endif
