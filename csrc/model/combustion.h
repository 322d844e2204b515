/* The law of combustion of a simulation.
 *
 * Mixing takes heat alone: the fluid that would take over fuel, flame and smoke is not followed,
 * and with them the heat that the fuel has yet to release would be lost. Smoke thins out as its
 * tracers spread. */
#pragma once

#include "vorton.h"

/* A law of combustion in single precision. */
typedef struct vt_burning {
    float rate, ignition;   /* 1/s; K, below which nothing burns */
    float activation;       /* K; 0: the rate is the same at all temperatures */
    float flame_rate, soot; /* 1/s; share */
    float heating;          /* heat of combustion / heat capacity: what burning all of it adds, K */
    float radiation, mixing; /* 1/(K^3 s); 1/s */
    int32_t euler;           /* method.burning */
} vt_burning;

/* `rate`, or where that is 0 what it is by default, 1/s. */
double vti_burning_rate(const vt_combustion *combustion);

/* The law of combustion as its kernel takes it. */
vt_burning vti_burning_of(const vt_combustion *combustion);
