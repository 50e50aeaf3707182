/* SPDX-License-Identifier: BSD-3-Clause */
/* Regions in a C application. */
#include "c_api_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void path_in(struct world const* world, char const* name, char path[4096]) {
    snprintf(path, 4096, "%s/%s", world->folder, name);
}

static void enter_both(struct world const* world, measure_region const* outer, measure_region const* inner) {
    measure_region_begin(outer);
    measure_region_begin(inner);
    MPI_Barrier(world->comm);
    measure_region_end(inner);
    measure_region_end(outer);
}

void test_regions(struct world const* world) {
    char path[4096];
    measure_regions* regions = NULL;
    measure_region const *step = NULL, *halo = NULL, *again = NULL;
    measure_regions_options options = {.name = "solver", .file = path, .timer = world->timer, .samples = 3};
    measure_error error;
    int i;
    path_in(world, "regions.jsonl", path);
    CHECK(measure_regions_create(world->team, &options, sizeof options, &regions, &error) == MEASURE_OK);
    CHECK(measure_regions_on(regions));
    CHECK(measure_regions_get(regions, "step", &step, &error) == MEASURE_OK && step != NULL);
    CHECK(measure_regions_get(regions, "halo", &halo, &error) == MEASURE_OK && halo != step);
    CHECK(measure_regions_get(regions, "step", &again, &error) == MEASURE_OK && again == step);
    for (i = 0; i < 10; ++i)
        enter_both(world, step, halo);
    CHECK(measure_regions_end(regions, &error) == MEASURE_OK && error.message[0] == 0);
    CHECK(!measure_regions_on(regions));
    enter_both(world, step, halo);
    CHECK(measure_regions_end(regions, &error) == MEASURE_OK);
    measure_regions_free(regions);

    /* Switched off: nothing is measured and no file is created. */
    options.file = "";
    CHECK(measure_regions_create(world->team, &options, sizeof options, &regions, &error) == MEASURE_OK);
    CHECK(!measure_regions_on(regions) && measure_regions_get(regions, "step", &step, &error) == MEASURE_OK);
    enter_both(world, step, NULL);
    CHECK(measure_regions_end(regions, &error) == MEASURE_OK);
    measure_regions_free(regions);

    /* The environment decides if the program does not. */
    path_in(world, "asked_for.jsonl", path);
    setenv("MEASURE_REGIONS", path, 1);
    CHECK(measure_regions_create(world->team, NULL, 0, &regions, &error) == MEASURE_OK);
    unsetenv("MEASURE_REGIONS");
    CHECK(measure_regions_on(regions) && measure_regions_get(regions, "step", &step, &error) == MEASURE_OK);
    enter_both(world, step, NULL);
    CHECK(measure_regions_end(regions, &error) == MEASURE_OK);
    measure_regions_free(regions);
}

static void test_wrong_options(struct world const* world) {
    struct {
        char const* name;
        char const* file;
    } const as_it_was = {"older", ""};
    measure_regions* regions = NULL;
    measure_regions_options options = {.file = "/dev/null", .samples = 0};
    measure_error error;
    CHECK(measure_regions_create(world->team, (measure_regions_options const*)&as_it_was, sizeof as_it_was, &regions,
                                 &error) == MEASURE_OK);
    measure_regions_free(regions);
    FAILS(measure_regions_create(world->team, &options, sizeof options + 1, &regions, &error), MEASURE_ERROR_ARGUMENT,
          "the options of the regions have");
    CHECK(regions == NULL);
    /* One rank passes a bad argument; every rank gets the error. */
    options.samples = world->rank == world->size - 1 ? -1 : 0;
    FAILS(measure_regions_create(world->team, &options, sizeof options, &regions, &error), MEASURE_ERROR_ARGUMENT,
          "regions keep 0 samples or more");
    options.samples = 2000000;
    FAILS(measure_regions_create(world->team, &options, sizeof options, &regions, &error), MEASURE_ERROR_ARGUMENT,
          "at most 1000000 samples");
    options.samples = 0;
    options.file = "/no/such/folder/regions.jsonl";
    FAILS(measure_regions_create(world->team, &options, sizeof options, &regions, &error), MEASURE_ERROR_ARGUMENT,
          "/no/such/folder/regions.jsonl");
    FAILS(measure_regions_create(world->team, NULL, 0, NULL, &error), MEASURE_ERROR_ARGUMENT,
          "the place for the regions");
    FAILS(measure_regions_create(NULL, NULL, 0, &regions, &error), MEASURE_ERROR_ARGUMENT, "the communicator is NULL");
}

void test_regions_that_cannot_be(struct world const* world) {
    measure_regions_options options = {.file = "/dev/full"};
    measure_regions* regions = NULL;
    measure_region const* region = NULL;
    measure_error error;
    test_wrong_options(world);
    CHECK(measure_regions_create(world->team, &options, sizeof options, &regions, &error) == MEASURE_OK);
    FAILS(measure_regions_get(regions, "a/b", &region, &error), MEASURE_ERROR_ARGUMENT, "'a/b'");
    CHECK(region == NULL);
    FAILS(measure_regions_get(regions, "", &region, &error), MEASURE_ERROR_ARGUMENT, "''");
    FAILS(measure_regions_get(regions, NULL, &region, &error), MEASURE_ERROR_ARGUMENT, "the name of the region");
    FAILS(measure_regions_get(regions, "a", NULL, &error), MEASURE_ERROR_ARGUMENT, "the place for the region");
    FAILS(measure_regions_get(NULL, "a", &region, &error), MEASURE_ERROR_ARGUMENT,
          "the pointer to the regions is NULL");
    CHECK(measure_regions_get(regions, "a", &region, &error) == MEASURE_OK);
    measure_region_begin(region);
    measure_region_end(region);
    measure_region_end(region);
    FAILS(measure_regions_end(regions, &error), MEASURE_ERROR_FILE, "cannot be written");
    CHECK(measure_regions_end(regions, &error) == MEASURE_OK);
    measure_regions_free(regions);

    FAILS(measure_regions_end(NULL, &error), MEASURE_ERROR_ARGUMENT, "the pointer to the regions is NULL");
    CHECK(!measure_regions_on(NULL));
    measure_region_begin(NULL);
    measure_region_end(NULL);
    measure_regions_free(NULL);
}
