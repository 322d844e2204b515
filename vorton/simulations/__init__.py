"""A scene as a simulation: its state, views on it, changes of it, saved and made again."""
