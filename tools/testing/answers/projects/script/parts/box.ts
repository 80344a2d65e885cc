// SPDX-License-Identifier: GPL-2.0
import { area, Side } from "./area";

export function box(side: Side): number {
	return 6 * area(side);
}
