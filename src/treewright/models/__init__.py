"""Models: parsers and taggers of each formalism, their training, evaluation and packing."""
