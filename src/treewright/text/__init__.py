"""From characters to words: tokens, sentences, multiword tokens, lemmas."""
