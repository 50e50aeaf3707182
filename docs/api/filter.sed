# SPDX-License-Identifier: BSD-3-Clause
# Shows a public source to doxygen as it wants it; what compilers and people read stays without its commands.

# The comment on top of a header is the file's. Line numbers stay: the licence makes place.
1s|^// SPDX.*|/// \\file|
1s|^/\* SPDX.*||
2s|^/\*\*|/** \\file|
# ".." between two words ends no sentence.
/\/\/\/|^ \*|\/\*\*/s/ \.\. / … /g

# The Fortran module has the names of measure.h, which says what they mean.
1s|^! SPDX.*|!> \\file|
1,/^module/s/^!( |$)/!> /
# Interfaces of what a submodule has are shown as procedures.
/^    ! Regions: /,/^    end interface/{
s/^    (end )?interface$//
s/^        module (.*\()/    \1/
s/^        end (function|subroutine)/    end \1/
}
s/^module libmeasure/\
!> The Fortran interface: see libmeasure.f90.\
&/
s/^    enum, bind\(C\)/    !> See measure_code and measure_invalid_reason of measure.h.\
&/
s/^        enumerator :: .*/& !< as in measure.h, in capitals there/
s/^    ! (What an error says.*)/    !> \1/
/measure_message/!s/^    ([a-z][a-z0-9_() ]* )?(function|subroutine) (measure_[a-z0-9_]+)\(.*/    !> \\copybrief measure.h::\3\
    !>\
    !> See %\3 of measure.h.\
&/
