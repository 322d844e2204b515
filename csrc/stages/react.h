/* What burning works on: see react.c. */
#ifndef VORTON_STAGES_REACT_H
#define VORTON_STAGES_REACT_H

#include "core/parallel.h"
#include "state/ambient.h"

/* A law of combustion in single precision. */
typedef struct vt_burning {
    float rate, ignition;   /* 1/s; K, below which nothing burns */
    float activation;       /* K; 0: the rate is the same at all temperatures */
    float flame_rate, soot; /* 1/s; share */
    float heating;          /* heat of combustion / heat capacity: what burning all of it adds, K */
    float radiation, mixing; /* 1/(K^3 s); 1/s */
    int32_t euler;           /* method.burning */
} vt_burning;

/* Columns of the vortons, by row; temperature and the shares are changed. */
typedef struct vt_react_rows {
    const float *position, *volume, *age;
    const float *volume_temperature; /* NULL: the volumes stay */
    float *temperature, *fuel, *flame, *smoke, *mixture;
} vt_react_rows;

/* Sums over vortons, in kg and kg K. */
typedef struct vt_reacted {
    double burnt;           /* fuel that has burnt, kg */
    double radiated, mixed; /* mass x fall of the temperature, kg K */
} vt_reacted;

enum { VT_REACT_BLOCK = 2048 };

#endif
