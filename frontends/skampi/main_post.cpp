// SPDX-License-Identifier: BSD-3-Clause
#include "suite_post.hpp"

int main(int argc, char** argv) { return program::run_main(argc, argv, skampi::post_suite()); }
