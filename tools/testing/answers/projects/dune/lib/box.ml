(* SPDX-License-Identifier: GPL-2.0 *)
(* SPDX-License-Identifier: GPL-2.0 *)
let surface side = 6 * Square.area side
