"""Judging a look at the table: the most probable explanation, or a question."""
