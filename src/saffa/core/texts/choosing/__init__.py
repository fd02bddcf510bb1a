"""Ways to find the steps among the sections of a text, a file for each family of shapes."""
