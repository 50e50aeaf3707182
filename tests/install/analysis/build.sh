c++ -std=c++20 -o two_starts two_starts.cpp $(pkg-config --cflags --libs libmeasure-analysis) \
    "-Wl,-rpath,$(pkg-config --variable=libdir libmeasure-analysis)"
