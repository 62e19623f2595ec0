"""One store on both engines, the same questions to both, and where their answers differ."""
