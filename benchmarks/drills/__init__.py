"""Fault drills: many processes on one file, kills, races and full disks, and what must be true afterwards."""
