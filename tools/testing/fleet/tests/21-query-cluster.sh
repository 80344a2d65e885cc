#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# server: cluster
#
# What 20-query.sh asks, of tables that are spread over two shards.

. "${0%/*}/20-query.sh"
