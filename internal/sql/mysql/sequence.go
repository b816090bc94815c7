package mysql

// Sequence writes CREATE SEQUENCE of MariaDB. ok is false for another statement, and for a sequence that begins again: its values are not new.
func (s *Schema) Sequence(st *Statement) (list []Placed, ok bool) {
	c := &Cursor{St: st, I: 1}
	if c.Accept("OR", "REPLACE"); !st.First("CREATE") || !c.Accept("SEQUENCE") || st.Has("CYCLE") {
		return nil, false
	}
	maybe := ""
	if c.Accept("IF", "NOT", "EXISTS") {
		maybe = "IF NOT EXISTS "
	}
	if !c.Peek().IsName() {
		return nil, false
	}
	return []Placed{{st.Tokens[0].From, "CREATE SEQUENCE " + maybe + identifier(c.TableName())}}, true
}

// sequences writes NEXT VALUE FOR s, NEXTVAL(s) and LASTVAL(s) as functions of the name of s.
func sequences(list []piece) []piece {
	named := func(i int, function string) {
		list[i].out = function + "('" + identifier(list[i].Text) + "')"
	}
	for i := range list {
		switch {
		case next(list, i, "NEXT", "PREVIOUS") && next(list, i+1, "VALUE") && next(list, i+2, "FOR") && i+3 < len(list) && list[i+3].IsName() && !next(list, i+4, "."):
			named(i+3, sequenceFunctions[list[i].Is("NEXT")])
			list[i].out, list[i+1].out, list[i+2].out = "", "", ""
		case next(list, i, "NEXTVAL", "LASTVAL") && next(list, i+1, "(") && i+3 < len(list) && list[i+2].IsName() && next(list, i+3, ")"):
			named(i+2, sequenceFunctions[list[i].Is("NEXTVAL")])
			list[i].out, list[i+1].out, list[i+3].out = "", "", ""
			list[i+2].space = true
		}
	}
	return list
}

// sequenceFunctions are the functions for the next value of a sequence, and for the last one that the session took.
var sequenceFunctions = map[bool]string{true: "nextval", false: "currval"}
