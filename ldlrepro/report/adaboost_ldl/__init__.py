"""What only the chapter on Adaboost-LDL shows."""
