"""Scenes: bodies, effects and forces in them, their JSON, and what they are warned of."""
