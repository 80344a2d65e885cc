(* SPDX-License-Identifier: GPL-2.0 *)
(* SPDX-License-Identifier: GPL-2.0 *)
let () = Printf.printf "%s %d\n" Words.first (Shapes.Box.surface 2)
