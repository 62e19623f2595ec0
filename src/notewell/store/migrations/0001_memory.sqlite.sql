-- The small memories' shared full-text tables (number 0); a memory that grows large gets tables of its own.
{create_fulltext:0}
