"""Bakes: frames of a simulation as files, branches and other frames of them."""
