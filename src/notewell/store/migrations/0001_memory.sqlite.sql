-- The small memories' shared full-text tables (number 0); a memory that grows large gets tables of its own.
{create_fulltext:0};

-- Pieces of three letters of each distinct word, to find words by a part of them: written when a word first appears in a
-- memory and when it goes, by triggers, since only the engine knows which of the two an upsert was.
CREATE VIRTUAL TABLE word_pieces USING fts5(word, content='', contentless_delete=1, detail=none, tokenize='trigram');
{create_trigger:space_words_appear AFTER INSERT ON space_words:INSERT INTO word_pieces (rowid, word) VALUES (new.rowid, new.word)};
{create_trigger:space_words_go AFTER DELETE ON space_words:DELETE FROM word_pieces WHERE rowid = old.rowid};
