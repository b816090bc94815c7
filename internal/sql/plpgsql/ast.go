package plpgsql

// Span is a part of the body: the bytes from Start to End. Blank, if not
// empty, is a part of it that does not count (an INTO clause).
type Span struct {
	Start, End int
	Blank      [2]int
}

// Empty reports whether there is nothing.
func (s Span) Empty() bool { return s.Start >= s.End }

// Name is a dotted name with its place.
type Name struct {
	Parts []string
	At    int
}

// Body is a parsed function body.
type Body struct {
	// Conflict is the argument of #variable_conflict, or "".
	Conflict string
	Block    *Block
}

// Decl is a declared variable. Exactly one of Type, Alias and Cursor says
// what it is.
type Decl struct {
	At       int
	Name     string
	Constant bool
	Type     Span
	NotNull  bool
	Default  Span
	Alias    string
	Cursor   bool
	Args     bool // a cursor has parameters
	Query    Span // of a cursor, if it is bound
}

// Into is an INTO clause.
type Into struct {
	Strict  bool
	Targets []Name
}

// Stmt is a statement.
type Stmt interface {
	// Place is the offset of its first token.
	Place() int
}

// At is the offset of a statement's first token.
type At int

// Place gives the offset.
func (a At) Place() int { return int(a) }

// The statements.
type (
	// Block is BEGIN … END with its declarations and exception handlers.
	Block struct {
		At
		Label    string
		Decls    []Decl
		Body     []Stmt
		Handlers []Handler
	}
	// Handler is WHEN conditions THEN Body.
	Handler struct {
		At
		Conds []Condition
		Body  []Stmt
	}
	// Assign is target := expr. Subscripts are what stands in brackets after
	// the name, without the colons of a Slice; Deep says that fields follow them.
	Assign struct {
		At
		Target     Name
		Subscripts []Span
		Deep       bool
		Slice      bool
		Expr       Span
	}
	// Branch is a condition with its statements.
	Branch struct {
		Cond Span
		Body []Stmt
	}
	// If is IF … ELSIF … ELSE.
	If struct {
		At
		Branches []Branch
		Else     []Stmt
	}
	// Case is the CASE statement; Subject may be empty. Without HasElse,
	// no match is an error.
	Case struct {
		At
		Subject  Span
		Branches []Branch
		HasElse  bool
		Else     []Stmt
	}
	// Loop is LOOP, or WHILE when Cond is not empty.
	Loop struct {
		At
		Label string
		Cond  Span
		Body  []Stmt
	}
	// ForRange is FOR Var IN [REVERSE] From..To [BY By].
	ForRange struct {
		At
		Label        string
		Var          string
		Reverse      bool
		From, To, By Span
		Body         []Stmt
	}
	// ForQuery is FOR targets IN query. Kind says what the query is.
	ForQuery struct {
		At
		Label   string
		Targets []Name
		Kind    QueryKind
		Query   Span
		Using   []Span // of EXECUTE
		Body    []Stmt
	}
	// Foreach is FOREACH targets [SLICE n] IN ARRAY expr.
	Foreach struct {
		At
		Label   string
		Targets []Name
		Slice   bool
		Expr    Span
		Body    []Stmt
	}
	// Exit is EXIT or CONTINUE.
	Exit struct {
		At
		Continue bool
		Label    string
		When     Span
	}
	// Return is RETURN [expr].
	Return struct {
		At
		Expr Span
	}
	// ReturnNext is RETURN NEXT [expr].
	ReturnNext struct {
		At
		Expr Span
	}
	// ReturnQuery is RETURN QUERY query, or RETURN QUERY EXECUTE.
	ReturnQuery struct {
		At
		Dynamic bool // EXECUTE: Query is an expression that gives the query
		Using   []Span
		Query   Span
	}
	// Raise is RAISE. Error says whether it is an error, State what its
	// SQLSTATE is: "" if that is told when it runs. Again says that it raises
	// the error that is being handled. Args are the expressions in it.
	Raise struct {
		At
		Error bool
		Again bool
		State string
		// Args are the arguments of the format, Formatted of them, and the options of USING.
		Args      []Span
		Formatted int
	}
	// Assert is ASSERT cond [, message].
	Assert struct {
		At
		Cond    Span
		Message Span
	}
	// SQL is an SQL command, PERFORM (whose Query lacks the word) and CALL.
	SQL struct {
		At
		Perform bool
		Query   Span
		Into    *Into
	}
	// Execute is EXECUTE Query [INTO Into] [USING Using].
	Execute struct {
		At
		Into  *Into
		Query Span // an expression that gives the command
		Using []Span
	}
	// GetDiagnostics is GET [CURRENT | STACKED] DIAGNOSTICS.
	GetDiagnostics struct {
		At
		Stacked bool
		Items   []DiagItem
	}
	// Cursor is OPEN, FETCH, MOVE and CLOSE, named by Verb. Name is its cursor
	// if the statement says no more than that, and that is one row for FETCH.
	Cursor struct {
		At
		Verb  string
		Name  string
		Into  *Into
		Query Span // of OPEN … FOR
		// Given is what OPEN, FETCH and MOVE compute for a cursor, in the form of an
		// expression: its arguments, as a call of it, or a number of rows.
		Given Span
	}
	// EndTxn is COMMIT or ROLLBACK. Last says that it may stand there, and nothing of the body runs after it.
	EndTxn struct {
		At
		Rollback, Last bool
	}
	// Null is NULL.
	Null struct{ At }
)

// DiagItem is target = Item in GET DIAGNOSTICS.
type DiagItem struct {
	Target Name
	Item   string
}

// QueryKind is what a FOR loop goes over.
type QueryKind uint8

const (
	Static  QueryKind = iota // an SQL query
	Dynamic                  // EXECUTE
	OfCursor
)

// Children gives the statement lists inside a statement.
func Children(s Stmt) [][]Stmt {
	switch s := s.(type) {
	case *Block:
		out := [][]Stmt{s.Body}
		for _, h := range s.Handlers {
			out = append(out, h.Body)
		}
		return out
	case *If:
		return branches(s.Branches, s.Else)
	case *Case:
		return branches(s.Branches, s.Else)
	case *Loop:
		return [][]Stmt{s.Body}
	case *ForRange:
		return [][]Stmt{s.Body}
	case *ForQuery:
		return [][]Stmt{s.Body}
	case *Foreach:
		return [][]Stmt{s.Body}
	}
	return nil
}

func branches(bs []Branch, rest []Stmt) [][]Stmt {
	var out [][]Stmt
	for _, b := range bs {
		out = append(out, b.Body)
	}
	return append(out, rest)
}

// Walk calls f for every statement, outer ones first.
func Walk(list []Stmt, f func(Stmt)) {
	for _, s := range list {
		f(s)
		for _, c := range Children(s) {
			Walk(c, f)
		}
	}
}

// SpanKind says how the text of a span is to be parsed.
type SpanKind uint8

const (
	ExprSpan    SpanKind = iota // an expression: what may follow SELECT
	CommandSpan                 // an SQL command
)

// Spans calls f for the SQL that stands directly in a statement.
func Spans(s Stmt, f func(Span, SpanKind)) {
	expr := func(list ...Span) {
		for _, x := range list {
			if !x.Empty() {
				f(x, ExprSpan)
			}
		}
	}
	command := func(x Span) {
		if !x.Empty() {
			f(x, CommandSpan)
		}
	}
	switch s := s.(type) {
	case *Block:
		for _, d := range s.Decls {
			expr(d.Default)
			command(d.Query)
		}
	case *Assign:
		expr(s.Subscripts...)
		expr(s.Expr)
	case *If:
		for _, b := range s.Branches {
			expr(b.Cond)
		}
	case *Case:
		expr(s.Subject)
		for _, b := range s.Branches {
			expr(b.Cond)
		}
	case *Loop:
		expr(s.Cond)
	case *ForRange:
		expr(s.From, s.To, s.By)
	case *ForQuery:
		if s.Kind == Static {
			command(s.Query)
		} else {
			expr(s.Query)
			expr(s.Using...)
		}
	case *Foreach:
		expr(s.Expr)
	case *Exit:
		expr(s.When)
	case *Return:
		expr(s.Expr)
	case *ReturnNext:
		expr(s.Expr)
	case *ReturnQuery:
		if s.Dynamic {
			expr(s.Query)
			expr(s.Using...)
		} else {
			command(s.Query)
		}
	case *Execute:
		expr(s.Query)
		expr(s.Using...)
	case *Raise:
		expr(s.Args...)
	case *Assert:
		expr(s.Cond)
	case *SQL:
		if s.Perform {
			expr(s.Query)
		} else {
			command(s.Query)
		}
	case *Cursor:
		expr(s.Given)
		command(s.Query)
	}
}
