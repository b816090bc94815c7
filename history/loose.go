package history

import "fmt"

// Some formats do not say the data type of a key with every operation: reading
// nil may mean a register without a value or an empty list. The operations below
// leave it open, and Build settles it by what else is done with the key.

// loose is what is known of the type of a key by such operations.
type loose uint8

const (
	looseOne   loose = 1 << iota // a read returned one value
	looseMany                    // a read returned several
	looseAdd                     // an add to a set or a counter
	looseWrite                   // a write of a register, or an add to a set
	looseNil                     // a read returned nothing, or it is not known what
)

// fits are the operations that a key of a type may have.
var fits = map[Type]loose{
	Register: looseOne | looseWrite | looseNil,
	List:     looseMany | looseNil,
	Set:      looseMany | looseAdd | looseWrite | looseNil,
	Counter:  looseOne | looseAdd | looseNil,
}

var looseNames = []string{"one value is read", "several values are read", "a value is added", "a value is written"}

// ReadAny adds a read of a register or a counter. If it returned Initial or
// NoValue it may be one of a list or a set, too.
func (b *Builder) ReadAny(k Key, v Value) {
	if v > Initial {
		b.loosen(k, looseOne)
	} else {
		b.loosen(k, looseNil)
	}
	b.op(Read, k, v)
}

// ReadMany adds a read of a list or a set that returned elements, which it copies.
func (b *Builder) ReadMany(k Key, elements []Value) {
	b.loosen(k, looseMany)
	b.listOp(ReadList, k, elements)
}

// AddAny adds an operation that adds an element to a set or an amount to a
// counter.
func (b *Builder) AddAny(k Key, v Value) { b.loosen(k, looseAdd); b.op(Add, k, v) }

// WriteAny adds a write of a register, or of an element of a set.
func (b *Builder) WriteAny(k Key, v Value) { b.loosen(k, looseWrite); b.op(Write, k, v) }

func (b *Builder) loosen(k Key, l loose) {
	if int(k) >= len(b.loose) {
		b.loose = append(b.loose, make([]loose, b.h.keys.len()-len(b.loose))...)
	}
	if b.loose[k]&l != 0 {
		return
	}
	b.loose[k] |= l
	if int(k) < len(b.typed) && b.typed[k] != Untyped && !misfit(b.loose[k], b.typed[k]) {
		return
	}
	if int(k) < len(b.typed) && b.typed[k] != Untyped {
		b.fail("%s", b.misfits(k, b.typed[k]))
	}
}

func misfit(l loose, t Type) bool { return l&^fits[t] != 0 }

func (b *Builder) misfits(k Key, t Type) string {
	for i, what := range looseNames {
		if l := loose(1 << i); b.loose[k]&l&^fits[t] != 0 {
			return fmt.Sprintf("the key %s is a %s, but %s; every key needs one data type", b.KeyName(k), t, what)
		}
	}
	panic("history: a key fits")
}

// settle decides the types of keys with loose operations, and the kinds of these.
func (b *Builder) settle() error {
	if b.loose == nil {
		return nil
	}
	b.typed = append(b.typed, make([]Type, b.h.keys.len()-len(b.typed))...)
	for k, l := range b.loose {
		if l == 0 {
			continue
		}
		if b.typed[k] == Untyped {
			b.typed[k] = guess(l)
		}
		if misfit(l, b.typed[k]) {
			return fmt.Errorf("%s%s", b.locate(Key(k)), b.misfits(Key(k), b.typed[k]))
		}
	}
	h := b.h
	for o, k := range h.key {
		if k < 0 || int(k) >= len(b.loose) || b.loose[k] == 0 {
			continue
		}
		switch t := b.typed[k]; {
		case h.kind[o] == Read && t == Counter:
			h.kind[o] = ReadCounter
		case h.kind[o] == Read && (t == List || t == Set):
			h.kind[o] = ReadList
			if t == Set {
				h.kind[o] = ReadSet
			}
			if h.value[o] == Initial {
				h.value[o] = b.list(0, 0)
			}
		case h.kind[o] == ReadList && t == Set:
			h.kind[o] = ReadSet
		case h.kind[o] == Write && t == Set:
			h.kind[o] = Add
		case h.kind[o] == Add && t == Counter:
			h.kind[o] = Increment
		}
	}
	return nil
}

// guess gives the type of a key that has only loose operations.
func guess(l loose) Type {
	switch {
	case l&looseMany != 0 && l&(looseAdd|looseWrite) != 0:
		return Set
	case l&looseMany != 0:
		return List
	case l&looseAdd != 0 && l&looseOne != 0:
		return Counter
	case l&looseAdd != 0:
		return Set
	}
	return Register
}

// locate says where a key is used, with a colon; nothing if not known.
func (b *Builder) locate(k Key) string {
	for i, t := range b.owner {
		end := len(b.h.key)
		if i+1 < len(b.start) {
			end = int(b.start[i+1])
		}
		for _, used := range b.h.key[b.start[i]:end] {
			if used != k || t == noTxn || b.h.places == nil {
				continue
			}
			if at := locate(b.h.files, b.h.places[t]); at != "" {
				return at + ": "
			}
		}
	}
	return ""
}
