! SPDX-License-Identifier: GPL-2.0
program main
  use shapes
  implicit none
  print *, square_area(2.0) + circle_area(1.0)
end program
