"""What only the chapter on LDL forests shows."""
