"""What knows nothing of fluids: checks of arguments, optional packages, progress."""
