"""Which pronoun a translator chooses where the language it translates from leaves it open."""
