/* A constant that several files of this folder share. */
#pragma once

/* Particles nearer than this to a wall sum over the panels themselves, in cells. */
static const double vt_pairs_within = 1.5;
