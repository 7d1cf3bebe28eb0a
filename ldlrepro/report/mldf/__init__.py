"""What only the chapter on MLDF shows."""
