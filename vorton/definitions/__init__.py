"""What definitions are made of, numbers and places that change in time, the fluid, the method."""
