# SPDX-License-Identifier: BSD-3-Clause
# Shows a public source to doxygen as it wants it; what compilers and people read stays without its commands.

# The comment on top of a header is the file's. Line numbers stay: the licence makes place.
1s|^// SPDX.*|/// \\file|
1s|^/\* SPDX.*||
2s|^/\*\*|/** \\file|
# ".." between two words ends no sentence.
/\/\/\/|^ \*|\/\*\*|!>/s/ \.\.( |$)/ …\1/g

# The Fortran module. Interfaces of what a submodule has are shown as procedures.
1s|^! SPDX.*|!> \\file|
1,/^module/s/^!( |$)/!> /
/^    ! Regions: /,/^    end interface/{
s/^    (end )?interface$//
s/^        module (.*\()/    \1/
s/^        end (function|subroutine)/    end \1/
}
s/^module libmeasure/\
!> The Fortran interface: see libmeasure.f90.\
&/
# A callback is a function and, to a later doxygen, a type as well: both need words.
s/^        (integer\(c_int\) function|subroutine) measure_([a-z]+)\(.* bind\(C\)/    !> See \2 of measure_operation of measure.h.\
&\
    !> See \2 of measure_operation of measure.h./
