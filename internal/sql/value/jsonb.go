package value

import (
	"encoding/json"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/txrobust/robust/internal/ir"
)

// IsScalar reports whether the value has no parts.
func (j JSON) IsScalar() bool {
	switch j.V.(type) {
	case []JSON, JSONObject:
		return false
	}
	return true
}

// TypeName is what jsonb_typeof says.
func (j JSON) TypeName() string {
	switch j.V.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case json.Number:
		return "number"
	case string:
		return "string"
	case []JSON:
		return "array"
	}
	return "object"
}

// rank orders the types of values.
func (j JSON) rank() int {
	return slices.Index([]string{"null", "string", "number", "boolean", "array", "object"}, j.TypeName())
}

// AsText gives the value as ->> does.
func (j JSON) AsText() ir.Value {
	switch x := j.V.(type) {
	case nil:
		return ir.Null
	case string:
		return ir.Text(x)
	}
	return ir.Text(j.String())
}

// Field gives the value of a key.
func (j JSON) Field(key string) *JSON {
	o, _ := j.V.(JSONObject)
	for i := range o {
		if o[i].Key == key {
			return &o[i].Value
		}
	}
	return nil
}

// Index gives an element, from the end if i is negative. A scalar is its own element.
func (j JSON) Index(i int64) *JSON {
	list, ok := j.V.([]JSON)
	if !ok && j.IsScalar() {
		list = []JSON{j}
	}
	if i < 0 {
		i += int64(len(list))
	}
	if i < 0 || i >= int64(len(list)) {
		return nil
	}
	return &list[i]
}

// arrayIndex reads an element of a path as an index.
func arrayIndex(s string) (int64, bool) {
	i, err := strconv.ParseInt(strings.TrimLeft(s, Space), 10, 32)
	return i, err == nil
}

// At follows a path.
func (j JSON) At(path []string) *JSON {
	here := &j
	for _, step := range path {
		switch here.V.(type) {
		case JSONObject:
			here = here.Field(step)
		case []JSON:
			i, ok := arrayIndex(step)
			if !ok {
				return nil
			}
			here = here.Index(i)
		default:
			return nil
		}
		if here == nil {
			return nil
		}
	}
	return here
}

// Contains is @>. At the top, an array contains a scalar that is an element.
func (j JSON) Contains(k JSON, top bool) bool {
	switch x := j.V.(type) {
	case JSONObject:
		other, ok := k.V.(JSONObject)
		if !ok {
			return false
		}
		for _, m := range other {
			if v := j.Field(m.Key); v == nil || !v.Contains(m.Value, false) {
				return false
			}
		}
		return true
	case []JSON:
		other, ok := k.V.([]JSON)
		if !ok {
			if !top || !k.IsScalar() {
				return false
			}
			other = []JSON{k}
		}
		for _, e := range other {
			if !slices.ContainsFunc(x, func(o JSON) bool { return o.Contains(e, false) }) {
				return false
			}
		}
		return true
	}
	return k.IsScalar() && j.String() == k.String()
}

// Has is the operator ?.
func (j JSON) Has(key string) bool {
	switch x := j.V.(type) {
	case JSONObject:
		return j.Field(key) != nil
	case []JSON:
		return slices.ContainsFunc(x, func(e JSON) bool { return e.V == any(key) })
	}
	return j.V == any(key)
}

// Concat is ||.
func (j JSON) Concat(k JSON) JSON {
	x, ok := j.V.(JSONObject)
	y, ok2 := k.V.(JSONObject)
	if ok && ok2 {
		members := x.members()
		for _, m := range y {
			members[m.Key] = m.Value
		}
		return Object(members)
	}
	list := func(j JSON) []JSON {
		if l, ok := j.V.([]JSON); ok {
			return l
		}
		return []JSON{j}
	}
	return JSON{append(slices.Clone(list(j)), list(k)...)}
}

// ByJSON compares values of jsonb.
func ByJSON(a, b ir.Value) (int, error) {
	x, err := JSONOf(a)
	if err != nil {
		return 0, err
	}
	y, err := JSONOf(b)
	if err != nil {
		return 0, err
	}
	return x.compare(y, true), nil
}

// compare orders by type, then by the number of parts, then by the parts. At the top
// an empty array comes before all scalars.
func (j JSON) compare(k JSON, top bool) int {
	if x, ok := j.V.([]JSON); top && ok && len(x) == 0 && k.IsScalar() {
		return -1
	}
	if y, ok := k.V.([]JSON); top && ok && len(y) == 0 && j.IsScalar() {
		return 1
	}
	if c := j.rank() - k.rank(); c != 0 {
		return c
	}
	switch x := j.V.(type) {
	case bool:
		return ir.Compare(ir.Bool(x), ir.Bool(k.V.(bool)))
	case string:
		return strings.Compare(x, k.V.(string))
	case json.Number:
		return j.Rational().Cmp(k.Rational())
	case []JSON:
		y := k.V.([]JSON)
		if len(x) != len(y) {
			return len(x) - len(y)
		}
		for i := range x {
			if c := x[i].compare(y[i], false); c != 0 {
				return c
			}
		}
	case JSONObject:
		y := k.V.(JSONObject)
		if len(x) != len(y) {
			return len(x) - len(y)
		}
		for i := range x {
			if c := strings.Compare(x[i].Key, y[i].Key); c != 0 {
				return c
			}
			if c := x[i].Value.compare(y[i].Value, false); c != 0 {
				return c
			}
		}
	}
	return 0
}

// Rational is the value of a number.
func (j JSON) Rational() *big.Rat {
	n, _ := j.V.(json.Number)
	r, ok := Rational(n.String())
	if !ok {
		return new(big.Rat)
	}
	return r
}

// WithoutNulls takes the members of objects away that are null.
func (j JSON) WithoutNulls() JSON {
	switch x := j.V.(type) {
	case []JSON:
		out := []JSON{}
		for _, e := range x {
			out = append(out, e.WithoutNulls())
		}
		return JSON{out}
	case JSONObject:
		out := JSONObject{}
		for _, m := range x {
			if m.Value.V != nil {
				out = append(out, JSONMember{m.Key, m.Value.WithoutNulls()})
			}
		}
		return JSON{out}
	}
	return j
}

// Pretty is jsonb_pretty.
func (j JSON) Pretty(b *strings.Builder, indent int) {
	line := func(n int) {
		b.WriteByte('\n')
		b.WriteString(strings.Repeat("    ", n))
	}
	switch x := j.V.(type) {
	case []JSON:
		b.WriteByte('[')
		for i, e := range x {
			if i > 0 {
				b.WriteByte(',')
			}
			line(indent + 1)
			e.Pretty(b, indent+1)
		}
		line(indent)
		b.WriteByte(']')
	case JSONObject:
		b.WriteByte('{')
		for i, m := range x {
			if i > 0 {
				b.WriteByte(',')
			}
			line(indent + 1)
			writeString(b, m.Key)
			b.WriteString(": ")
			m.Value.Pretty(b, indent+1)
		}
		line(indent)
		b.WriteByte('}')
	default:
		j.write(b)
	}
}

// PathChange is what happens at the end of a path.
type PathChange uint8

const (
	Create PathChange = iota // replace, or add what is not there
	ReplaceOnly
	InsertBefore
	InsertAfter
	Remove
)

// Adds reports whether something is added where the path leads to nothing.
func (c PathChange) Adds() bool { return c == Create || c == InsertBefore || c == InsertAfter }

// Changed gives the value with a change at the end of a path, which is not empty.
func (j JSON) Changed(path []string, c PathChange, by JSON) (JSON, error) {
	return j.changedAt(path, 1, c, by)
}

// changedAt is changed; path is what is left of the path behind the step before
// number depth.
func (j JSON) changedAt(path []string, depth int, c PathChange, by JSON) (JSON, error) {
	switch x := j.V.(type) {
	case []JSON:
		return changedList(x, path, depth, c, by)
	case JSONObject:
		members := x.members()
		old, exists := members[path[0]]
		switch last := len(path) == 1; {
		case !exists && last && c.Adds(), exists && last && (c == Create || c == ReplaceOnly):
			members[path[0]] = by
		case exists && last && c == Remove:
			delete(members, path[0])
		case exists && last:
			return j, Failure("22023", "cannot replace existing key")
		case exists:
			v, err := old.changedAt(path[1:], depth+1, c, by)
			if err != nil {
				return j, err
			}
			members[path[0]] = v
		}
		return Object(members), nil
	}
	return j, nil
}

// changedList is changedAt for an array.
func changedList(list []JSON, path []string, depth int, c PathChange, by JSON) (JSON, error) {
	i, ok := arrayIndex(path[0])
	if !ok {
		return JSON{}, Failure("22P02", "path element at position %d is not an integer: %q", depth, path[0])
	}
	n := int64(len(list))
	before := i < -n // the index of nothing before the list
	if i < 0 {
		i += n
	}
	if before {
		i = math.MinInt64
	}
	list = slices.Clone(list)
	last := len(path) == 1
	switch exists := i >= 0 && i < n; {
	case !exists && last && c.Adds() && (before || n == 0):
		list = append([]JSON{by}, list...)
	case !exists && last && c.Adds():
		list = append(list, by)
	case !exists:
	case !last:
		v, err := list[i].changedAt(path[1:], depth+1, c, by)
		if err != nil {
			return JSON{}, err
		}
		list[i] = v
	case c == InsertBefore:
		list = slices.Insert(list, int(i), by)
	case c == InsertAfter:
		list = slices.Insert(list, int(i)+1, by)
	case c == Remove:
		list = slices.Delete(list, int(i), int(i)+1)
	default:
		list[i] = by
	}
	return JSON{list}, nil
}

// Size is the number of parts.
func (j JSON) Size() int {
	switch x := j.V.(type) {
	case []JSON:
		return len(x)
	case JSONObject:
		return len(x)
	}
	return 1
}

// Without takes keys of an object, or elements of an array that are such strings,
// away.
func (j JSON) Without(keys []string) (JSON, error) {
	switch x := j.V.(type) {
	case []JSON:
		return JSON{slices.DeleteFunc(slices.Clone(x), func(e JSON) bool {
			s, ok := e.V.(string)
			return ok && slices.Contains(keys, s)
		})}, nil
	case JSONObject:
		return JSON{slices.DeleteFunc(slices.Clone(x), func(m JSONMember) bool { return slices.Contains(keys, m.Key) })}, nil
	}
	return j, Failure("22023", "cannot delete from scalar")
}

// JSONText is a value as JSON, as to_json gives it.
func (t *Type) JSONText(v ir.Value) (string, error) {
	if v.IsNull() {
		return "null", nil
	}
	s, known := t.Output(v)
	switch {
	case t.Elem != nil:
		parts, err := t.JSONElements(v)
		return "[" + strings.Join(parts, ",") + "]", err
	case !known:
		return "", ir.ErrNotKnown
	}
	switch t.Name {
	case "bool":
		return PrintBool(nil, v), nil
	case "int2", "int4", "int8", "numeric", "float4", "float8", "json", "jsonb":
		return s, nil
	case "timestamp", "timestamptz":
		s = isoStamp(s)
	}
	return QuoteJSON(s), nil
}

// isoStamp writes a timestamp as XML Schema has it.
func isoStamp(s string) string {
	date, clock, ok := strings.Cut(s, " ")
	if !ok {
		return s // infinity
	}
	clock, era, christ := strings.Cut(clock, " ")
	if strings.HasSuffix(clock, "+00") {
		clock += ":00"
	}
	if christ {
		clock += " " + era
	}
	return date + "T" + clock
}

// JSONElements gives the elements of an array as JSON.
func (t *Type) JSONElements(v ir.Value) ([]string, error) {
	var parts []string
	for _, e := range t.Elems(v) {
		s, err := t.Elem.JSONText(e)
		if err != nil {
			return nil, err
		}
		parts = append(parts, s)
	}
	return parts, nil
}

// ToJSON is a value as jsonb.
func (t *Type) ToJSON(v ir.Value) (JSON, error) {
	switch {
	case v.IsNull():
		return JSON{}, nil
	case t.Elem != nil:
		list := []JSON{}
		for _, e := range t.Elems(v) {
			j, err := t.Elem.ToJSON(e)
			if err != nil {
				return JSON{}, err
			}
			list = append(list, j)
		}
		return JSON{list}, nil
	}
	s, err := t.JSONText(v)
	if err != nil {
		return JSON{}, err
	}
	return ParseJSON(s)
}

// JSONKey is a value as the key of an object.
func (t *Type) JSONKey(v ir.Value) (string, error) {
	switch {
	case v.IsNull():
		return "", Failure("22023", "a key must not be null")
	case t.Elem != nil || t.Name == "json" || t.Name == "jsonb":
		return "", Failure("22023", "key value must be scalar, not array, composite, or json")
	}
	s, err := t.JSONText(v)
	if err != nil {
		return "", err
	}
	if s[0] == '"' {
		return unquoteJSON(s)
	}
	return s, nil
}

// At follows a path.
func (n JSONNode) At(path []string) (*JSONNode, error) {
	here := &n
	for depth, step := range path {
		var err error
		switch i, ok := arrayIndex(step); {
		case here.Kind == '[' && ok && i < 0 && depth > 0:
			return nil, ir.ErrNotKnown // the server counts in another array
		case here.Kind == '{' && len(path) > 1 && here.doubled():
			return nil, ir.ErrNotKnown // the server may find a part of the first value
		case here.Kind == '{':
			here, err = here.Field(step)
		case here.Kind == '[' && ok:
			here = here.Index(i)
		default:
			here = nil
		}
		if here == nil {
			return nil, err
		}
	}
	return here, nil
}

// doubled reports whether two keys of an object are equal.
func (n JSONNode) doubled() bool {
	seen := map[string]bool{}
	for _, k := range n.keys {
		key, err := unquoteJSON(k)
		if err != nil || seen[key] {
			return true
		}
		seen[key] = true
	}
	return false
}

// WithoutNulls writes a json without the members that are null.
func (n JSONNode) WithoutNulls(b *strings.Builder) error {
	switch n.Kind {
	case '{', '[':
		b.WriteByte(n.Kind)
		some := false
		for i, item := range n.Items {
			if n.Kind == '{' && item.Kind == 'n' {
				continue
			}
			if some {
				b.WriteByte(',')
			}
			some = true
			if n.Kind == '{' {
				key, err := unquoteJSON(n.keys[i])
				if err != nil {
					return err
				}
				writeString(b, key)
				b.WriteByte(':')
			}
			if err := item.WithoutNulls(b); err != nil {
				return err
			}
		}
		b.WriteByte(map[byte]byte{'{': '}', '[': ']'}[n.Kind])
	case '"':
		s, err := unquoteJSON(n.Text)
		if err != nil {
			return err
		}
		writeString(b, s)
	default:
		b.WriteString(n.Text)
	}
	return nil
}
