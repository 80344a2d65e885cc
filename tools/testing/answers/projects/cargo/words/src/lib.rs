// SPDX-License-Identifier: GPL-2.0
include!(concat!(env!("OUT_DIR"), "/table.rs"));
