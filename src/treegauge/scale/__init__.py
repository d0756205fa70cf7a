"""Many files, many cores, many machines."""
