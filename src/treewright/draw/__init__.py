"""Drawings of analyses as SVG: CCG derivations, constituency trees, arcs, tags."""
