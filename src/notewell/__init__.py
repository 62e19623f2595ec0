"""Notewell: a notes server for AI agents and for the people who own what agents write."""

__version__ = "0.1.0"
