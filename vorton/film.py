"""Films of a scene or of a bake: what `vorton preview` does."""

from .preview.film import make_film

__all__ = ["make_film"]
