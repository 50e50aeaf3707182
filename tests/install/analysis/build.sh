c++ -std=c++20 -o two_launches two_launches.cpp $(pkg-config --cflags --libs libmeasure-analysis) \
    "-Wl,-rpath,$(pkg-config --variable=libdir libmeasure-analysis)"
