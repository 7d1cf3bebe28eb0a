"""What only the chapter on StructRF shows."""
