# SPDX-License-Identifier: BSD-3-Clause
# Shows a public source to doxygen as it wants it; what compilers and people read stays without its commands.

# The comment on top of a header is the file's. Line numbers stay: the licence makes place.
1s|^// SPDX.*|/// \\file|
1s|^/\* SPDX.*||
2s|^/\*\*|/** \\file|
# ".." between two words ends no sentence.
/\/\/\/|^ \*|\/\*\*/s/ \.\. / … /g

# The Fortran module has the names of measure.h, which says what they mean. Later versions of doxygen find no words of
# another language by \copybrief, and want words for types and their members too.
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
/measure_message/!s/^    ([a-z][a-z0-9_() ]* )?(function|subroutine) (measure_[a-z0-9_]+)\(.*/    !> See %\3 of measure.h.\
&/
s/^    subroutine (plan|point)_set_.*/    !> See measure_\1_set_* of measure.h.\
&/
s/^    interface (measure_(plan|point)_set)$/    !> See the functions %\1_* of measure.h.\
&/
s/^    type(, bind\(C\))? :: (measure_[a-z_]+)/    !> See %\2 of measure.h.\
&/
s/^        (real|integer|character|type)\([^)]*\) :: .*/& !< as in measure.h/
# A callback is a function and, to a later doxygen, a type as well: both need words.
s/^        (integer\(c_int\) function|subroutine) measure_([a-z]+)\(.* bind\(C\)/    !> See \2 of measure_operation of measure.h.\
&\
    !> See \2 of measure_operation of measure.h./
