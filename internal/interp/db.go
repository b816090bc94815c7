package interp

import (
	"encoding/binary"
	"sort"
	"strings"

	"github.com/txrobust/robust/internal/ir"
)

// DB is an immutable database state: for every table its rows, sorted by key.
type DB struct {
	tabs []*tab
	repr string // canonical form, filled by key
}

type tab struct {
	rows []row
	repr string
}

// row is one row. key encodes the values of the primary key.
type row struct {
	key  string
	vals []ir.Value
}

// NewDB makes the state with the given rows, a list per table of p.
func NewDB(p *ir.Program, rows [][][]ir.Value) *DB {
	db := &DB{tabs: make([]*tab, len(p.Tables))}
	for i, t := range p.Tables {
		db.tabs[i] = &tab{}
		for _, vals := range rows[i] {
			conv := make([]ir.Value, len(vals))
			for c, v := range vals {
				conv[c] = v.Convert(t.Columns[c].Type)
			}
			db = db.put(i, row{keyOf(t, conv), conv})
		}
	}
	return db
}

// InitialDB makes the state with the rows that the program declares.
func InitialDB(p *ir.Program) *DB {
	rows := make([][][]ir.Value, len(p.Tables))
	for i, t := range p.Tables {
		rows[i] = t.Rows
	}
	return NewDB(p, rows)
}

// Rows gives the rows of table number t. They must not be changed.
func (db *DB) Rows(t int) [][]ir.Value {
	out := make([][]ir.Value, len(db.tabs[t].rows))
	for i, r := range db.tabs[t].rows {
		out[i] = r.vals
	}
	return out
}

// KeyOf gives the key of a row as Op.Key and RowLock.Key have it.
func KeyOf(t *ir.Table, row []ir.Value) string { return keyOf(t, row) }

func keyOf(t *ir.Table, vals []ir.Value) string { return encode(vals, t.Key) }

// encode makes a string that is equal for equal values; integers and text
// sort as they should.
func encode(vals []ir.Value, cols []int) string {
	var b []byte
	for _, c := range cols {
		b = appendValue(b, vals[c])
	}
	return string(b)
}

func appendValue(b []byte, v ir.Value) []byte {
	b = append(b, byte(v.Kind))
	switch v.Kind {
	case ir.KindNull:
	case ir.KindInt, ir.KindTime, ir.KindBool:
		b = binary.BigEndian.AppendUint64(b, uint64(v.I)^1<<63)
	default:
		b = append(append(b, v.S...), 0)
	}
	return b
}

func (t *tab) find(key string) (int, bool) {
	i := sort.Search(len(t.rows), func(i int) bool { return t.rows[i].key >= key })
	return i, i < len(t.rows) && t.rows[i].key == key
}

func (db *DB) get(t int, key string) []ir.Value {
	if i, ok := db.tabs[t].find(key); ok {
		return db.tabs[t].rows[i].vals
	}
	return nil
}

func (db *DB) with(t int, rows []row) *DB {
	out := &DB{tabs: append([]*tab(nil), db.tabs...)}
	out.tabs[t] = &tab{rows: rows}
	return out
}

// put adds or replaces a row.
func (db *DB) put(t int, r row) *DB {
	old := db.tabs[t].rows
	i, ok := db.tabs[t].find(r.key)
	rows := make([]row, 0, len(old)+1)
	rows = append(append(rows, old[:i]...), r)
	if ok {
		i++
	}
	return db.with(t, append(rows, old[i:]...))
}

// remove deletes the row with the key, if it is there.
func (db *DB) remove(t int, key string) *DB {
	old := db.tabs[t].rows
	i, ok := db.tabs[t].find(key)
	if !ok {
		return db
	}
	rows := make([]row, 0, len(old))
	return db.with(t, append(append(rows, old[:i]...), old[i+1:]...))
}

// String is a canonical form: equal exactly for equal states.
func (db *DB) String() string {
	if db.repr == "" {
		var b strings.Builder
		for _, t := range db.tabs {
			if t.repr == "" {
				var enc []byte
				for _, r := range t.rows {
					for _, v := range r.vals {
						enc = appendValue(enc, v)
					}
					enc = append(enc, 0xfe)
				}
				t.repr = string(append(enc, 0xff))
			}
			b.WriteString(t.repr)
		}
		db.repr = b.String()
	}
	return db.repr
}
