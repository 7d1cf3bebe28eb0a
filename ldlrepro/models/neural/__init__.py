"""Neural networks with one hidden layer."""
