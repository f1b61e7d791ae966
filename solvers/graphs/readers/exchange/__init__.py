"""Readers of the formats in which programs exchange graphs: XML, JSON, GML, Pajek, matrices, METIS."""
