"""What only the chapter on MSLP shows."""
