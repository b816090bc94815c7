package witness

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/txrobust/robust/history/codec"
	"github.com/txrobust/robust/internal/quote"
)

// SQL is the command with its values as constants.
func (c *Command) SQL() string {
	s := ""
	for i, part := range c.Text {
		s += part
		if i < len(c.Args) {
			s += c.Args[i].SQL
		}
	}
	return s
}

// terminated ends a statement by end. A comment at its end must not swallow that.
func terminated(sql, end string) string {
	last := sql[strings.LastIndexByte(sql, '\n')+1:]
	if strings.Contains(last, "--") {
		return sql + "\n" + end
	}
	return sql + end
}

// place is where a step of the schedule stands in the scripts.
type place struct {
	file        string
	first, last int // lines
}

// scriptWriter writes a script per session. Consecutive steps of one session are one
// step there.
type scriptWriter struct {
	w     *Witness
	order []int // sessions by their first step
	names map[int]string
	lines map[int][]string
	where []place
	// known are the variables of psql that hold what the server has given for a value,
	// by session and value.
	known map[int]map[Cell]string
	// needed counts by value and session how many commands to come are sent with it.
	needed map[int]map[Cell]int
	last   int // the session of the last step
}

// scripts gives the script of every session, and the places of the steps.
func (w *Witness) scripts() ([]codec.File, []place) {
	if w.Plan == nil || w.Plan.NotRun != "" || w.Plan.Dialect != Postgres {
		return nil, nil
	}
	s := &scriptWriter{w: w, names: map[int]string{}, lines: map[int][]string{}, known: map[int]map[Cell]string{}, needed: map[int]map[Cell]int{}, last: -1}
	for _, st := range w.Plan.Execution.Steps {
		s.count(st, 1)
	}
	for _, st := range w.Plan.Execution.Steps {
		s.count(st, -1)
		s.step(st)
	}
	var out []codec.File
	for _, n := range s.order {
		out = append(out, codec.File{Name: s.names[n], Text: []byte(strings.Join(s.lines[n], "\n") + "\n")})
	}
	return out, s.where
}

// count adds n for each value of a command that the server chooses.
func (s *scriptWriter) count(st Step, n int) {
	if st.Command == nil {
		return
	}
	for _, a := range st.Command.Args {
		if a.Value.Soft == Fresh {
			if s.needed[st.Session] == nil {
				s.needed[st.Session] = map[Cell]int{}
			}
			s.needed[st.Session][a.Value] += n
		}
	}
}

func (s *scriptWriter) step(st Step) {
	n := st.Session
	var begins []string
	if s.names[n] == "" {
		s.order = append(s.order, n)
		s.names[n] = fmt.Sprintf("%d-%s.sql", len(s.order), quote.FileName(s.w.first(n)))
		s.lines[n] = []string{"-- " + quote.Line(fmt.Sprintf("psql window %d: %s", len(s.order), s.w.described(n))),
			"-- README.txt says when to run which step."}
		begins = s.w.Plan.Session
		s.known[n] = map[Cell]string{}
	}
	if s.last != n {
		s.lines[n] = append(s.lines[n], "", fmt.Sprintf("-- step %d", len(s.where)+1))
		s.where = append(s.where, place{file: s.names[n], first: len(s.lines[n]) + 1})
		s.last = n
		for _, sql := range begins {
			s.lines[n] = append(s.lines[n], sql+";")
		}
	}
	s.lines[n] = append(s.lines[n], strings.Split(s.text(st), "\n")...)
	if st.Waits {
		s.lines[n] = append(s.lines[n], "-- It waits until the next step is done.")
	}
	s.where[len(s.where)-1].last = len(s.lines[n])
}

// text is what a step is in psql.
func (s *scriptWriter) text(st Step) string {
	switch st.Kind {
	case StepBegin:
		return "BEGIN ISOLATION LEVEL " + s.w.Plan.LevelOf(st.Transaction) + ";"
	case StepSnapshot:
		return "SELECT 1;"
	case StepCommit:
		return "COMMIT;"
	case StepRollback:
		return "ROLLBACK;"
	case StepCommand:
		return s.command(st.Session, st.Command)
	}
	panic("witness: unknown step " + string(st.Kind))
}

// command writes a command. Values that the server has given before stand in it as
// variables of psql, and values that are needed later become such.
func (s *scriptWriter) command(session int, c *Command) string {
	out := ""
	for i, part := range c.Text {
		out += part
		if i == len(c.Args) {
			break
		}
		if name := s.known[session][c.Args[i].Value]; name != "" && c.Args[i].Value.Soft == Fresh {
			out += ":'" + name + "'"
			continue
		}
		out += c.Args[i].SQL
	}
	prefix := fmt.Sprintf("s%d_", len(s.where))
	if s.keeps(session, c, prefix) {
		return terminated(out, " \\gset "+prefix)
	}
	return terminated(out, ";")
}

var psqlVariable = regexp.MustCompile(`^[A-Za-z0-9_]+$`)

// keeps makes variables of the values in the row of a command that are needed later,
// and reports whether there are any.
func (s *scriptWriter) keeps(session int, c *Command, prefix string) bool {
	keeps := false
	if len(c.Want.Rows) != 1 {
		return false
	}
	for i, cell := range c.Want.Rows[0] {
		if cell == nil || s.needed[session][*cell] == 0 || i >= len(c.Columns) || !psqlVariable.MatchString(c.Columns[i]) {
			continue
		}
		s.known[session][*cell] = prefix + c.Columns[i]
		keeps = true
	}
	return keeps
}
