"""Helpers for programs that show what vorton bakes; each is a module that imports its host late."""
