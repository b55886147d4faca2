"""THE MAIN JOB: every room asked in turn about one embedding, and what they say collected as findings."""
