"""JUDGED BY PEOPLE: whether society holds what an embedding holds, asked in a study that is kept in one file."""
