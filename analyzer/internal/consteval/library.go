package consteval

import (
	"fmt"
	"go/types"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/txrobust/robust/internal/client"
)

// holed reports whether a part of a text is not known.
func holed(s string) bool { return strings.Contains(s, client.Hole) }

// cutHole gives what a text begins with for sure.
func cutHole(s string) string {
	lead, _, _ := strings.Cut(s, client.Hole)
	return lead
}

// join appends texts; of holes beside each other it makes one.
func join(list ...string) string {
	s := strings.Join(list, "")
	for strings.Contains(s, client.Hole+client.Hole) {
		s = strings.ReplaceAll(s, client.Hole+client.Hole, client.Hole)
	}
	return s
}

// onTexts are functions of texts without holes, by their full names.
var onTexts = map[string]any{
	"strings.ToLower":     strings.ToLower,
	"strings.ToUpper":     strings.ToUpper,
	"strings.TrimSpace":   strings.TrimSpace,
	"strings.Trim":        strings.Trim,
	"strings.TrimLeft":    strings.TrimLeft,
	"strings.TrimRight":   strings.TrimRight,
	"strings.TrimPrefix":  strings.TrimPrefix,
	"strings.TrimSuffix":  strings.TrimSuffix,
	"strings.ReplaceAll":  strings.ReplaceAll,
	"strings.Replace":     strings.Replace,
	"strings.Contains":    strings.Contains,
	"strings.HasPrefix":   strings.HasPrefix,
	"strings.HasSuffix":   strings.HasSuffix,
	"strings.EqualFold":   strings.EqualFold,
	"strings.Index":       strings.Index,
	"strings.LastIndex":   strings.LastIndex,
	"strings.Count":       strings.Count,
	"strings.Repeat":      strings.Repeat,
	"strings.Split":       strings.Split,
	"strings.Fields":      strings.Fields,
	"strconv.Quote":       strconv.Quote,
	"strconv.Itoa":        strconv.Itoa,
	"strconv.FormatInt":   strconv.FormatInt,
	"strconv.FormatBool":  strconv.FormatBool,
	"strings.ContainsAny": strings.ContainsAny,
	"strings.CutPrefix":   strings.CutPrefix,
	"strings.CutSuffix":   strings.CutSuffix,
	"strings.Cut":         strings.Cut,
}

// onBuilders are the methods of strings.Builder and bytes.Buffer that are followed.
var onBuilders = map[string]bool{"WriteString": true, "WriteByte": true, "WriteRune": true, "String": true, "Len": true, "Grow": true, "Reset": true}

// invoke is a call.
func (r *run) invoke(f *frame, v *ssa.Call) Value {
	var args []Value
	for _, a := range v.Call.Args {
		args = append(args, r.value(f, a))
	}
	if b, ok := v.Call.Value.(*ssa.Builtin); ok {
		return r.builtin(b.Name(), args)
	}
	fn := v.Call.StaticCallee()
	if fn == nil || fn.Parent() != nil { // a method of an interface, or a closure
		hide(r.value(f, v.Call.Value))
		hide(args...)
		return Unknown{}
	}
	if w, ok := r.library(fn, args); ok {
		return w
	}
	if len(fn.Blocks) == 0 || r.Opaque != nil && r.Opaque(fn) || fn.Synthetic == "package initializer" {
		hide(args...)
		return Unknown{}
	}
	switch out := r.call(fn, args); len(out) {
	case 0:
		return Unknown{}
	case 1:
		return out[0]
	default:
		return tuple(out)
	}
}

func (r *run) builtin(name string, args []Value) Value {
	switch name {
	case "len":
		switch x := args[0].(type) {
		case string:
			if !holed(x) {
				return int64(len(x))
			}
		case *slice:
			return int64(x.n)
		case Nil:
			return int64(0)
		}
		return Unknown{}
	case "append":
		return appended(args[0], args[1])
	}
	hide(args...)
	return Unknown{}
}

// appended is append(x, more...).
func appended(x, more Value) Value {
	add, ok := more.(*slice)
	if _, isNil := more.(Nil); isNil {
		return x
	}
	old := &slice{of: &array{}}
	switch x := x.(type) {
	case *slice:
		old = x
	case Nil:
	default:
		ok = false
	}
	if !ok {
		hide(x, more)
		return Unknown{}
	}
	switch room := len(old.of.elems) - old.n; {
	case room > 0 && add.n <= room:
		for i, c := range add.of.elems[:add.n] {
			old.of.elems[old.n+i].store(c.load())
		}
		return &slice{old.of, old.n + add.n}
	case old.n+add.n > maxParts:
		panic(giveUp{})
	}
	out := &slice{&array{}, old.n + add.n}
	for _, c := range slices.Concat(old.of.elems[:old.n], add.of.elems[:add.n]) {
		out.of.elems = append(out.of.elems, c.twin())
	}
	return out
}

// library is a call of a function of a library that is known.
func (r *run) library(fn *ssa.Function, args []Value) (v Value, ok bool) {
	name := fn.String()
	switch name {
	case "fmt.Sprintf":
		return sprintf(args[0], args[1]), true
	case "fmt.Fprintf":
		if b, ok := args[0].(Boxed); ok && isBuilder(deref(b.T)) {
			return r.onBuilder("WriteString", []Value{b.V, sprintf(args[1], args[2])}), true
		}
	case "strings.Join":
		return joined(args[0], args[1]), true
	case "bytes.NewBufferString":
		return pointer{&cell{v: textOf(args[0])}}, true
	}
	if recv := fn.Signature.Recv(); recv != nil && isBuilder(deref(recv.Type())) && onBuilders[fn.Name()] {
		return r.onBuilder(fn.Name(), args), true
	}
	if of := onTexts[name]; of != nil {
		return compute(of, args), true
	}
	return nil, false
}

func deref(t types.Type) types.Type {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}

// onBuilder is a method of strings.Builder or bytes.Buffer.
func (r *run) onBuilder(name string, args []Value) Value {
	p, ok := args[0].(pointer)
	if !ok {
		return Unknown{}
	}
	have, ok := p.to.v.(string)
	if !ok {
		return Unknown{}
	}
	switch name {
	case "WriteString":
		p.to.v = join(have, textOf(args[1]))
	case "WriteByte", "WriteRune":
		if c, ok := args[1].(int64); ok {
			p.to.v = join(have, string(rune(c)))
		} else {
			p.to.v = join(have, client.Hole)
		}
	case "Reset":
		p.to.v = ""
	case "String":
		return have
	case "Len":
		return r.builtin("len", []Value{have})
	}
	if s, ok := p.to.v.(string); ok && len(s) > maxText {
		panic(giveUp{})
	}
	return Unknown{}
}

// joined is strings.Join.
func joined(list, sep Value) Value {
	if _, isNil := list.(Nil); isNil {
		return ""
	}
	s, ok := list.(*slice)
	if !ok {
		return client.Hole
	}
	out := ""
	for i, c := range s.of.elems[:s.n] {
		if i > 0 {
			out = join(out, textOf(sep))
		}
		out = join(out, textOf(c.load()))
	}
	return out
}

// Apply calls a function of texts by its full name. The result is a string, an int64 or a bool; ok is
// false if the function is not known, or does not take these arguments.
func Apply(name string, args []Value) (out Value, ok bool) {
	of := onTexts[name]
	if of == nil || reflect.TypeOf(of).NumIn() != len(args) || reflect.TypeOf(of).NumOut() != 1 {
		return nil, false
	}
	defer func() {
		switch r := recover().(type) {
		case nil:
		case giveUp, dead:
			out, ok = nil, false
		default:
			panic(r)
		}
	}()
	switch v := compute(of, args).(type) {
	case string, int64, bool:
		return v, true
	}
	return nil, false
}

// compute calls a function of onTexts, if all arguments are known.
func compute(of any, args []Value) (out Value) {
	fn := reflect.ValueOf(of)
	in := make([]reflect.Value, len(args))
	size, times := 1, int64(1)
	for i, a := range args {
		t := fn.Type().In(i)
		switch a := a.(type) {
		case string:
			if holed(a) {
				return unknownOf(fn.Type())
			}
			size += len(a)
			in[i] = reflect.ValueOf(a)
		case int64:
			times = max(times, a)
			in[i] = reflect.ValueOf(a)
		case bool:
			in[i] = reflect.ValueOf(a)
		default:
			hide(a)
			return unknownOf(fn.Type())
		}
		in[i] = in[i].Convert(t)
	}
	if of := fn.Pointer(); of == reflect.ValueOf(strings.Repeat).Pointer() && times*int64(size) > maxText {
		panic(giveUp{})
	}
	defer func() {
		if r := recover(); r != nil { // a negative count
			panic(dead{})
		}
	}()
	results := fn.Call(in)
	if len(results) == 1 {
		return fromGo(results[0])
	}
	var list tuple
	for _, v := range results {
		list = append(list, fromGo(v))
	}
	return list
}

// unknownOf gives results of which nothing is known.
func unknownOf(t reflect.Type) Value {
	if t.NumOut() == 1 {
		return Unknown{}
	}
	out := make(tuple, t.NumOut())
	for i := range out {
		out[i] = Unknown{}
	}
	return out
}

func fromGo(v reflect.Value) Value {
	switch v.Kind() {
	case reflect.String:
		return v.String()
	case reflect.Bool:
		return v.Bool()
	case reflect.Slice:
		a := &array{}
		for i := range v.Len() {
			a.elems = append(a.elems, &cell{v: v.Index(i).String()})
		}
		return &slice{a, v.Len()}
	}
	return v.Int()
}

// verb is a directive of a format.
var verb = regexp.MustCompile(`%([-+# 0]*\d*)([a-zA-Z%])`)

// sprintf is fmt.Sprintf. What it makes of values whose type has methods, of texts
// with holes in a width, and so on, is not known.
func sprintf(format, args Value) Value {
	text, ok := format.(string)
	if !ok {
		return client.Hole
	}
	list, _ := args.(*slice)
	out, k := "", 0
	for {
		m := verb.FindStringSubmatchIndex(text)
		at := strings.IndexByte(text, '%')
		if at < 0 {
			return join(out, text)
		}
		if m == nil || m[0] != at || holed(text[:at]) { // one of another form
			return join(out, cutHole(text[:at]), client.Hole)
		}
		spec, letter := text[m[0]:m[1]], text[m[4]:m[5]]
		out, text = join(out, text[:at]), text[m[1]:]
		if letter == "%" {
			out = join(out, "%")
			continue
		}
		var v Value = Unknown{}
		if list != nil && k < list.n {
			v = list.of.elems[k].load()
		}
		k++
		out = join(out, formatted(spec, letter, v))
	}
}

// formatted is one value in the text of Sprintf.
func formatted(spec, letter string, v Value) string {
	b, ok := v.(Boxed)
	if !ok || hasMethods(b.T) {
		return client.Hole
	}
	switch x := b.V.(type) {
	case string:
		switch {
		case !holed(x) && strings.Contains("svqxX", letter):
			return fmt.Sprintf(spec, x)
		case spec == "%s" || spec == "%v":
			return x
		}
	case int64:
		if strings.Contains("dvxXob", letter) {
			return fmt.Sprintf(spec, x)
		}
	case bool:
		if strings.Contains("tv", letter) {
			return fmt.Sprintf(spec, x)
		}
	}
	return client.Hole
}

// hasMethods reports whether a type may say how it is printed.
func hasMethods(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.NumMethods() > 0
}
