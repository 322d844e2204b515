"""What brings vortons and tracers into the fluid."""
