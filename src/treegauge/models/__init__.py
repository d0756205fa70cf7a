"""Models: what is learned from a reference (counts and weights), their files, the bundled ones, how well they fit."""
