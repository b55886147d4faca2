"""Published figures of the five works, beside what is computed here."""
