package compare

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/txrobust/robust/internal/sqlgen"
)

// File is a file of kept cases: declarations, rows, and calls that must do the
// same on the server and in the model.
//
//	CREATE …;
//	-- rows
//	INSERT …;
//	-- calls
//	SELECT * FROM f(1, 'a');
//	CALL p();                  -- unmodelled: a reason
//	SELECT * FROM g();         -- aborts
//
// A call whose comment has nothing to say must commit. After
//
//	-- mixes
//
// each line is an interleaving of calls at REPEATABLE READ: the calls, each with a
// semicolon, and the numbers of those, from 0, that go on. Each call is BEGIN, SELECT 1,
// the call itself and COMMIT.
//
//	f(1); g(); -- 0 0 1 1 1 1 0 0
type File struct {
	decls, rows string
	calls       []expected
	mixes       []mixed
}

// mixed is an interleaving of calls.
type mixed struct {
	calls []expected
	order []int
}

// expected is a call with what must become of it.
type expected struct {
	name, args string
	result     Result
	reason     string
}

// ParseFile reads a file of cases.
func ParseFile(text string) (*File, error) {
	decls, rest, ok := strings.Cut(text, "\n-- rows\n")
	if !ok {
		return nil, fmt.Errorf("a file of cases has a line: -- rows")
	}
	rows, calls, ok := strings.Cut("\n"+rest, "\n-- calls\n")
	if !ok {
		return nil, fmt.Errorf("a file of cases has a line: -- calls")
	}
	f := &File{decls: decls + "\n", rows: rows + "\n"}
	calls, mixes, _ := strings.Cut("\n"+calls, "\n-- mixes\n")
	for _, line := range strings.Split(mixes, "\n") {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		sql, order, _ := strings.Cut(line, "; --")
		var m mixed
		for _, n := range strings.Fields(order) {
			i, err := strconv.Atoi(n)
			if err != nil {
				return nil, fmt.Errorf("an order is numbers: %q", line)
			}
			m.order = append(m.order, i)
		}
		for _, c := range strings.Split(sql, ";") {
			name, args, _ := strings.Cut(strings.TrimSuffix(strings.TrimSpace(c), ")"), "(")
			m.calls = append(m.calls, expected{name: name, args: args})
		}
		f.mixes = append(f.mixes, m)
	}
	for _, line := range strings.Split(calls, "\n") {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		sql, want, _ := strings.Cut(line, "; --")
		e := expected{}
		word, reason, _ := strings.Cut(strings.TrimSpace(want), ": ")
		switch word {
		case "":
			e.result = Commits
		case "aborts":
			e.result = Aborts
		case "undecided": // a bound runs out
			e.result = TooLong
		case "unmodelled":
			e.result, e.reason = Unmodelled, reason
		default:
			return nil, fmt.Errorf("a call commits, aborts, is undecided or unmodelled, not %q", word)
		}
		sql = strings.TrimSuffix(strings.TrimSpace(sql), ";")
		sql, ok = strings.CutPrefix(sql, "SELECT * FROM ")
		if !ok {
			if sql, ok = strings.CutPrefix(sql, "CALL "); !ok {
				return nil, fmt.Errorf("a call is SELECT * FROM f(…) or CALL p(…), not %q", line)
			}
		}
		if e.name, e.args, ok = strings.Cut(strings.TrimSuffix(sql, ")"), "("); !ok {
			return nil, fmt.Errorf("a call has arguments in parentheses: %q", line)
		}
		f.calls = append(f.calls, e)
	}
	return f, nil
}

// Check runs the cases of a file, and gives what is wrong.
func (f *File) Check(p *Pairs) ([]string, error) {
	s := p.Server
	if err := s.reset(); err != nil {
		return nil, err
	}
	if err := s.exec(f.decls); err != nil {
		return nil, err
	}
	if err := s.sequences(); err != nil {
		return nil, err
	}
	var names []string
	for _, c := range f.calls {
		names = append(names, c.name)
	}
	for _, m := range f.mixes {
		for _, c := range m.calls {
			if !slices.Contains(names, c.name) {
				names = append(names, c.name)
			}
		}
	}
	m, err := translateText(s.Link, f.decls, names)
	if err != nil {
		return nil, err
	}
	on := &app{server: s, model: m, rows: m.rowQueries()}
	if err := s.exec(f.rows); err != nil {
		return nil, err
	}
	if err := on.look(); err != nil {
		return nil, err
	}
	var wrong []string
	for _, c := range f.calls {
		t, args, err := s.routine(c.name, c.args)
		if err != nil {
			return nil, fmt.Errorf("%s(%s): %w", c.name, c.args, err)
		}
		got := on.compare(t, args)
		if got.Result != c.result || c.reason != "" && got.Class != c.reason {
			wrong = append(wrong, fmt.Sprintf("%s(%s) %s, and should be: %s %s\n%s\n%s", c.name, c.args, got.Result, c.result, c.reason, got.Class, got.Details))
		}
	}
	restore := on.restore()
	for _, m := range f.mixes {
		var mix Mix
		for _, c := range m.calls {
			t, args, err := s.routine(c.name, c.args)
			if err != nil {
				return nil, fmt.Errorf("%s(%s): %w", c.name, c.args, err)
			}
			mix.Txns, mix.Args = append(mix.Txns, t), append(mix.Args, args)
		}
		left := slices.Clone(m.order)
		got, err := p.play(on, &mix, func(can []int) int {
			for len(left) > 0 {
				i := left[0]
				left = left[1:]
				if slices.Contains(can, i) {
					return i
				}
			}
			return can[0]
		})
		if err != nil {
			return nil, err
		}
		if got.Result != Commits && got.Result != Aborts {
			wrong = append(wrong, fmt.Sprintf("%v %s %s\n%s", m, got.Result, got.Class, got.Details))
		}
		if err := s.exec(restore); err != nil {
			return nil, err
		}
	}
	return wrong, nil
}

// routine finds a function or procedure, and what its arguments are.
func (s *Server) routine(name, args string) (*sqlgen.Txn, []*string, error) {
	rows, err := s.run(`SELECT p.prokind, p.prorettype::regtype, p.proretset, format_type(a.oid, NULL), a.oid::regtype
		FROM pg_proc p LEFT JOIN LATERAL unnest(p.proargtypes) WITH ORDINALITY a(oid, n) ON true WHERE p.proname = '` + name + `' AND p.pronamespace = 'public'::regnamespace ORDER BY a.n`)
	if err != nil {
		return nil, nil, err
	}
	if len(rows[0]) == 0 {
		return nil, nil, fmt.Errorf("there is no such function")
	}
	first := rows[0][0]
	t := &sqlgen.Txn{Name: name, Void: *first.texts[1] == "void", Set: *first.texts[2] == "t"}
	if *first.texts[0] == "p" {
		t.Kind, t.Void = sqlgen.Procedure, true
	}
	if strings.TrimSpace(args) == "" {
		return t, nil, nil
	}
	values, err := s.run("SELECT " + args)
	if err != nil {
		return nil, nil, err
	}
	for i, r := range rows[0] {
		if r.texts[3] != nil {
			t.Params = append(t.Params, sqlgen.Param{Name: fmt.Sprint("p", i+1), Type: &sqlgen.Type{Name: *r.texts[3], Base: *r.texts[4]}})
		}
	}
	if len(t.Params) != len(values[0][0].texts) {
		return nil, nil, fmt.Errorf("it has %d parameters", len(t.Params))
	}
	return t, values[0][0].texts, nil
}
