"""What each paper ran: methods, grids, data sets, protocol. Declarations, not code."""
