"""The model file above counts and weights: building, merging, saving, bundled ones, how well one fits."""
