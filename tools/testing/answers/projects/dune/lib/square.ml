(* SPDX-License-Identifier: GPL-2.0 *)
(* SPDX-License-Identifier: GPL-2.0 *)
let area side = side * side
