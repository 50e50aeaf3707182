c++ -std=c++20 -O2 -o program program.cpp $(pkg-config --cflags --libs libmeasure) \
    "-Wl,-rpath,$(pkg-config --variable=libdir libmeasure)"
