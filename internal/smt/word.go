package smt

// Word is a name of the program inside the name of a symbol. Names of symbols
// are put together with separators, such as t.c for a column and t.c? for where
// it is NULL; a name of the program has none of these, so that names that are
// put together of different ones are different.
func Word(name string) string { return Escape(name, isWord) }

func isWord(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '$'
}
