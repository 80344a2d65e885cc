(* SPDX-License-Identifier: GPL-2.0 *)
(* SPDX-License-Identifier: GPL-2.0 *)
val area : int -> int
