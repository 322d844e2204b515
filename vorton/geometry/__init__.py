"""Shapes, meshes, and meshes that deform."""
