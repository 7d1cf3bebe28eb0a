"""What only the pages that compare all methods show."""
