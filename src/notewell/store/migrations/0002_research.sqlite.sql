-- The full-text tables of the public record (number 1).
{create_fulltext:1}
