"""Along which axis: directions of bias, and what lies along them."""
