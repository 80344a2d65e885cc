! SPDX-License-Identifier: GPL-2.0
module circle
  implicit none
  include 'pi.inc'
contains
  pure real function circle_area(radius)
    real, intent(in) :: radius
    circle_area = pi * radius * radius
  end function
end module
