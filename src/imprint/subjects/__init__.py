"""WHAT IS MEASURED, by one door: files, models, servers and objects in; an Embedding or an Encoder out."""
