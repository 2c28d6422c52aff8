"""Part-of-speech taggers and supertaggers."""
