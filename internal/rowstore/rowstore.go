// Package rowstore has immutable states of a database: the rows of every table by their keys.
package rowstore

import (
	"encoding/binary"
	"fmt"
	"sort"
	"strconv"
	"strings"

	"github.com/txrobust/robust/internal/ir"
)

// DB is an immutable database state: for every table its rows, sorted by key.
type DB struct {
	Tabs []*Table
	repr string // canonical form, filled by key
}

// Table is the rows of one table, sorted by key.
type Table struct {
	Rows []Row
	repr string
}

// Row is one row. Key encodes the values of the primary key.
type Row struct {
	Key  string
	Vals []ir.Value
}

// New makes the state with the given rows, a list per table of p.
func New(p *ir.Program, rows [][][]ir.Value) *DB {
	db := &DB{Tabs: make([]*Table, len(p.Tables))}
	for i, t := range p.Tables {
		db.Tabs[i] = &Table{}
		for _, vals := range rows[i] {
			conv := make([]ir.Value, len(vals))
			for c, v := range vals {
				conv[c] = v.Convert(t.Columns[c].Type)
			}
			db = db.Put(i, Row{KeyOf(t, conv), conv})
		}
	}
	return db
}

// Initial makes the state with the rows that the program declares.
func Initial(p *ir.Program) *DB {
	rows := make([][][]ir.Value, len(p.Tables))
	for i, t := range p.Tables {
		rows[i] = t.Rows
	}
	return New(p, rows)
}

// Rows gives the rows of table number t. They must not be changed.
func (db *DB) Rows(t int) [][]ir.Value {
	out := make([][]ir.Value, len(db.Tabs[t].Rows))
	for i, r := range db.Tabs[t].Rows {
		out[i] = r.Vals
	}
	return out
}

// KeyOf gives the key of a row.
func KeyOf(t *ir.Table, vals []ir.Value) string { return Encode(vals, t.Key) }

// Encode makes a string that is equal for equal values; integers and text
// sort as they should.
func Encode(vals []ir.Value, cols []int) string {
	var b []byte
	for _, c := range cols {
		b = AppendValue(b, vals[c])
	}
	return string(b)
}

// AppendValue adds a value so that equal ones, and no others, look the same.
func AppendValue(b []byte, v ir.Value) []byte {
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

func (t *Table) find(key string) (int, bool) {
	i := sort.Search(len(t.Rows), func(i int) bool { return t.Rows[i].Key >= key })
	return i, i < len(t.Rows) && t.Rows[i].Key == key
}

// Get gives the row with the key, or nil.
func (db *DB) Get(t int, key string) []ir.Value {
	if i, ok := db.Tabs[t].find(key); ok {
		return db.Tabs[t].Rows[i].Vals
	}
	return nil
}

func (db *DB) with(t int, rows []Row) *DB {
	out := &DB{Tabs: append([]*Table(nil), db.Tabs...)}
	out.Tabs[t] = &Table{Rows: rows}
	return out
}

// Put adds or replaces a row.
func (db *DB) Put(t int, r Row) *DB {
	old := db.Tabs[t].Rows
	i, ok := db.Tabs[t].find(r.Key)
	rows := make([]Row, 0, len(old)+1)
	rows = append(append(rows, old[:i]...), r)
	if ok {
		i++
	}
	return db.with(t, append(rows, old[i:]...))
}

// Remove deletes the row with the key, if it is there.
func (db *DB) Remove(t int, key string) *DB {
	old := db.Tabs[t].Rows
	i, ok := db.Tabs[t].find(key)
	if !ok {
		return db
	}
	rows := make([]Row, 0, len(old))
	return db.with(t, append(append(rows, old[:i]...), old[i+1:]...))
}

// Only is the state of one table.
func (db *DB) Only(t int) *DB { return &DB{Tabs: db.Tabs[t : t+1]} }

// String is a canonical form: equal exactly for equal states.
func (db *DB) String() string {
	if db.repr == "" {
		var b strings.Builder
		for _, t := range db.Tabs {
			if t.repr == "" {
				var enc []byte
				for _, r := range t.Rows {
					for _, v := range r.Vals {
						enc = AppendValue(enc, v)
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

// Fresh is the n-th FRESH value of type t that an instance with an ID draws; it is one of the domain d, if that is not nil and has so many.
func Fresh(t ir.Type, d ir.Domain, id, n int) ir.Value {
	i := int64(ir.FirstFresh + id*1000 + n)
	if d != nil {
		if v, ok := d.Sample(int(i)); ok {
			return v
		}
	}
	switch t.Kind {
	case ir.KindInt:
		return ir.Int(i)
	case ir.KindTime:
		return ir.Time(i)
	case ir.KindNum:
		return ir.Int(i).Convert(t)
	case ir.KindText:
		return ir.Text("fresh" + strconv.FormatInt(i, 10))
	case ir.KindOpaque:
		return ir.Opaque("fresh" + strconv.FormatInt(i, 10))
	}
	panic(fmt.Sprintf("rowstore: no fresh value of type %s", t))
}
