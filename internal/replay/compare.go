package replay

import (
	"encoding/json"
	"fmt"
	"math/big"
	"net/netip"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/txrobust/robust/internal/witness"
)

// renaming says which value of the server stands for one of the model that the server
// chooses or computes.
type renaming struct {
	server map[witness.Cell]string
	// taken has the values of the server that stand for a fresh one, with what gives them,
	// so that no two do.
	taken map[source]bool
}

// source is a value, and what gives it.
type source struct{ of, text string }

func newRenaming() *renaming {
	return &renaming{map[witness.Cell]string{}, map[source]bool{}}
}

func (r *renaming) clone() *renaming {
	out := newRenaming()
	for k, v := range r.server {
		out.server[k] = v
	}
	for k, v := range r.taken {
		out.taken[k] = v
	}
	return out
}

// matches reports whether a value of the server is the one of the model, and takes over
// what a soft one stands for.
func (r *renaming) matches(want witness.Cell, got *string, typ string) bool {
	if want.Kind == "null" || got == nil {
		return want.Kind == "null" && got == nil || want.Soft == witness.Any || want.Soft == witness.Computed
	}
	switch want.Soft {
	case witness.Any:
		return true
	case witness.Fresh, witness.Computed:
		if known, ok := r.server[want]; ok {
			return known == *got
		}
		if want.Soft == witness.Fresh {
			from := source{want.Of, *got}
			if r.taken[from] {
				return false
			}
			r.taken[from] = true
		}
		r.server[want] = *got
		return true
	}
	return sameValue(want, *got, typ)
}

// sameValue compares a value with what a server prints.
func sameValue(want witness.Cell, got, typ string) bool {
	switch want.Kind {
	case "int", "num":
		return sameNumber(want.Text, got)
	case "bool":
		yes := map[string]string{"t": "true", "true": "true", "1": "true", "f": "false", "false": "false", "0": "false"}
		return yes[got] == want.Text
	case "time":
		a, ok1 := instant(want.Text)
		b, ok2 := instant(got)
		return ok1 && ok2 && a == b
	case "array":
		return sameArray(want.Text, got)
	case "opaque":
		return want.Text == got || sameJSON(want.Text, got) || sameAddress(want.Text, got)
	}
	if typ == "bpchar" {
		return strings.TrimRight(want.Text, " ") == strings.TrimRight(got, " ")
	}
	return want.Text == got
}

// sameNumber compares decimals, or floating-point numbers with all their digits.
func sameNumber(want, got string) bool {
	a, ok := new(big.Rat).SetString(want)
	if !ok {
		return false
	}
	b, ok := new(big.Rat).SetString(got)
	if !ok {
		return false
	}
	if a.Cmp(b) == 0 {
		return true
	}
	const digits = 15 // that a float64 always keeps
	x, _ := a.Float64()
	y, _ := b.Float64()
	return x == y && len(strings.Trim(got, "-.0")) >= digits
}

// layouts are how servers print points in time, dates and times of day.
var layouts = []string{
	"2006-01-02 15:04:05.999999-07", "2006-01-02 15:04:05.999999-07:00", "2006-01-02 15:04:05.999999", "2006-01-02",
	"15:04:05.999999-07", "15:04:05.999999",
}

// instant reads a point in time, in microseconds; a time of day counts from midnight.
func instant(text string) (int64, bool) {
	for _, layout := range layouts {
		t, err := time.Parse(layout, text)
		switch {
		case err != nil:
		case strings.HasPrefix(layout, "15"):
			return int64(t.Sub(time.Date(0, 1, 1, 0, 0, 0, 0, t.Location())) / time.Microsecond), true
		default:
			return t.UnixMicro(), true
		}
	}
	return 0, false
}

func sameJSON(a, b string) bool {
	var x, y any
	return json.Unmarshal([]byte(a), &x) == nil && json.Unmarshal([]byte(b), &y) == nil && reflect.DeepEqual(x, y)
}

// sameAddress compares addresses of networks: servers leave out the length of a whole one.
func sameAddress(a, b string) bool {
	whole := func(s string) string {
		addr, bits, _ := strings.Cut(s, "/")
		if x, err := netip.ParseAddr(addr); err == nil && (bits == "" || bits == strconv.Itoa(x.BitLen())) {
			return x.String()
		}
		return s
	}
	return whole(a) == whole(b)
}

// sameArray compares arrays of one dimension, element by element.
func sameArray(want, got string) bool {
	a, ok1 := elements(want)
	b, ok2 := elements(got)
	if !ok1 || !ok2 || len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] && !sameElement(a[i], b[i]) {
			return false
		}
	}
	return true
}

// sameElement compares elements whose kind is not told: numbers, truth values and
// points in time, which the model counts in microseconds.
func sameElement(want, got string) bool {
	if sameNumber(want, got) || want == "true" && got == "t" || want == "false" && got == "f" {
		return true
	}
	micros, err := strconv.ParseInt(want, 10, 64)
	at, ok := instant(got)
	return err == nil && ok && micros == at
}

// elements splits {a,"b c",NULL}.
func elements(s string) (out []string, ok bool) {
	body, ok1 := strings.CutPrefix(s, "{")
	body, ok2 := strings.CutSuffix(body, "}")
	if !ok1 || !ok2 {
		return nil, false
	}
	for body != "" {
		var b strings.Builder
		if body[0] == '"' {
			i := 1
			for ; i < len(body) && body[i] != '"'; i++ {
				if body[i] == '\\' {
					i++
				}
				if i < len(body) {
					b.WriteByte(body[i])
				}
			}
			if i >= len(body) {
				return nil, false
			}
			body = strings.TrimPrefix(body[i+1:], ",")
		} else {
			var part string
			part, body, _ = strings.Cut(body, ",")
			b.WriteString(part)
		}
		out = append(out, b.String())
	}
	return out, true
}

// maxTries bounds the search for a matching of rows.
const maxTries = 100_000

// matching finds for each row that is wanted another one of the server's.
type matching struct {
	want  [][]*witness.Cell
	got   [][]*string
	types []string
	used  []bool
	as    [][]*witness.Cell // for each row of got, the one that it is, or nil
	tries int
}

// matchRows reports whether the rows that are wanted are among those of the server, or
// with exact, are all of them, in whatever order. It gives what soft values stand for
// then, and the rows in a form that does not depend on them. Cells that are nil match
// everything.
func matchRows(r *renaming, want [][]*witness.Cell, got [][]*string, types []string, exact bool) (names *renaming, rows []string, ok bool) {
	if exact && len(want) != len(got) || len(want) > len(got) {
		return nil, nil, false
	}
	m := &matching{want: slices.Clone(want), got: got, types: types, used: make([]bool, len(got)), as: make([][]*witness.Cell, len(got))}
	// Rows with few soft values leave the fewest choices.
	slices.SortStableFunc(m.want, func(a, b []*witness.Cell) int { return softCells(a) - softCells(b) })
	if names, ok = m.next(r, 0); !ok {
		return nil, nil, false
	}
	for i, row := range got {
		rows = append(rows, canonical(m.as[i], row))
	}
	slices.Sort(rows)
	return names, rows, true
}

// canonical writes a row with what soft values stand for.
func canonical(as []*witness.Cell, row []*string) string {
	s := ""
	for i, cell := range row {
		switch {
		case as != nil && as[i] != nil && as[i].Soft != witness.Hard:
			s += fmt.Sprintf("~%s %q,", as[i].Soft, as[i].Of+as[i].Text)
		case cell == nil:
			s += "NULL,"
		default:
			s += fmt.Sprintf("%q,", *cell)
		}
	}
	return s
}

func softCells(row []*witness.Cell) int {
	n := 0
	for _, c := range row {
		if c == nil || c.Soft != witness.Hard {
			n++
		}
	}
	return n
}

func (m *matching) next(r *renaming, n int) (*renaming, bool) {
	if n == len(m.want) {
		return r, true
	}
	if m.tries++; m.tries > maxTries {
		return nil, false
	}
	for i, row := range m.got {
		if m.used[i] || len(row) != len(m.want[n]) {
			continue
		}
		try := r.clone()
		if !m.row(try, m.want[n], row) {
			continue
		}
		m.used[i], m.as[i] = true, m.want[n]
		if out, ok := m.next(try, n+1); ok {
			return out, true
		}
		m.used[i], m.as[i] = false, nil
	}
	return nil, false
}

func (m *matching) row(r *renaming, want []*witness.Cell, got []*string) bool {
	for i, c := range want {
		typ := ""
		if i < len(m.types) {
			typ = m.types[i]
		}
		if c != nil && !r.matches(*c, got[i], typ) {
			return false
		}
	}
	return true
}

// rowsText writes rows in a line, at most a few.
func rowsText(rows [][]*string) string {
	const most = 5
	var parts []string
	for i, row := range rows {
		if i == most {
			parts = append(parts, "… ("+strconv.Itoa(len(rows))+" rows)")
			break
		}
		cells := make([]string, len(row))
		for k, c := range row {
			cells[k] = "NULL"
			if c != nil {
				cells[k] = *c
			}
		}
		parts = append(parts, "("+strings.Join(cells, ", ")+")")
	}
	if parts == nil {
		return "no rows"
	}
	return strings.Join(parts, " ")
}

// wantText writes rows that are wanted.
func wantText(rows [][]*witness.Cell) string {
	list := make([][]*string, len(rows))
	for i, row := range rows {
		for _, c := range row {
			switch {
			case c == nil:
				s := "…"
				list[i] = append(list[i], &s)
			case c.Kind == "null":
				list[i] = append(list[i], nil)
			default:
				list[i] = append(list[i], &c.Text)
			}
		}
	}
	return rowsText(list)
}
