"""Methods for the age of a face, from features: labels are ages, a year apart, from 0."""
