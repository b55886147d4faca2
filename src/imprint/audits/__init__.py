"""THE AUDIT: every kind that applies, asked of one subject; one that cannot run says why, and the rest goes on."""
