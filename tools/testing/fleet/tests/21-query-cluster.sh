#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# server: cluster
#
# The queries of 20-query.sh, on tables that are spread over two shards.

. "${0%/*}/20-query.sh"
