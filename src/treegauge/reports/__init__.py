"""Tables, drawings and pages: how results look."""
