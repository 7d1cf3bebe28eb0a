"""A paper that nobody wrote: the example of a small one."""
