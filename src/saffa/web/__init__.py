"""The page in the browser and the JSON behind it: see a shorter video before it is made."""
