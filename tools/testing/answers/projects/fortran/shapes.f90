! SPDX-License-Identifier: GPL-2.0
module shapes
  use square
  use circle
  implicit none
end module
