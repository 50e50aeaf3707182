rpath="-Wl,-rpath,$(pkg-config --variable=libdir libmeasure-regions)"
regions="$(pkg-config --cflags --libs libmeasure-regions) $rpath"
c++ -std=c++20 -o regions_in_an_application regions_in_an_application.cpp $regions
cc -o regions_in_c regions_in_c.c $regions
mpifort -c "$(pkg-config --variable=fortran_source libmeasure)"
mpifort -c "$(pkg-config --variable=fortran_source libmeasure-regions)"
mpifort -o regions_in_fortran regions_in_fortran.f90 libmeasure.o libmeasure_regions.o $regions
