"""Files on the disk: whole or absent; JSON, tracers, volumes, pictures and films."""
