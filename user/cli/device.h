/* SPDX-License-Identifier: GPL-2.0 */
/* Opens the module's device; loads the module for that if necessary, and unloads it later. */
#ifndef ETRACE_DEVICE_H
#define ETRACE_DEVICE_H

#include <stdbool.h>
#include <stddef.h>

/**
 * device_open - open /dev/etrace, loading the module on demand
 * @verbose: print where the module comes from
 * @why: on failure, what is wrong and what to do, for the user
 *
 * Return: a descriptor, or -1.
 */
int device_open(bool verbose, char *why, size_t size);

/**
 * device_unload - unload the module, if device_open() has loaded it
 * @why: on failure, why it stays loaded and what to do, for the user
 *
 * Call it when this program no longer uses the module.  If others use it, it stays.
 *
 * Return: false if this program loaded the module and it stays loaded.
 */
bool device_unload(char *why, size_t size);

/**
 * device_module - find the module in the build tree that this program is in
 * @path: room for its path
 *
 * Return: false if none; modprobe must then find it.
 */
bool device_module(char *path, size_t size);

#endif
