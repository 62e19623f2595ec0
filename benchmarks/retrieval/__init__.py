"""Retrieval quality: test collections, and what a ranked list of their documents is worth."""
