"""The names of a network's heads, by formalism."""

TAG, FEATS, LEMMA, ARCS = "tag", "feats", "lemma", "arcs"
SUPER, SLOTS = "super", "slots"
SPANS, POS = "spans", "pos"
DEPENDENCY, CCG, CONSTITUENCY = (ARCS, TAG, FEATS, LEMMA), (SUPER, SLOTS, TAG), (SPANS, POS)
CHAIN = " "  # between the labels of a chain of nodes, the topmost first
