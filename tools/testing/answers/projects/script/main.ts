// SPDX-License-Identifier: GPL-2.0
import { box } from "./parts/box";
import names from "./parts/names.json";

console.log(names.first, box(2));
