! SPDX-License-Identifier: GPL-2.0
module square
  implicit none
contains
  pure real function square_area(side)
    real, intent(in) :: side
    square_area = side * side
  end function
end module
