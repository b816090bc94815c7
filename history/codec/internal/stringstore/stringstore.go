// Package stringstore makes histories of registers of the operations on a store of strings.
package stringstore

import (
	"fmt"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/history/codec/internal/ednode"
)

// Store takes the operations of a store of strings, as Knossos and Porcupine record them:
// get, put, and append, which adds to the end of the string of a key. A key begins empty.
//
// In a history such a key is a register. What an append read and wrote as a whole is not
// recorded, but the strings show it that others got: they consist of what was put and
// appended. An append that is in none of them read something that is not known, and wrote
// something that nobody read.
type Store struct{ ops []stringOp }

type stringOp struct {
	Op
	text string // that was put, appended or got
}

// Op is an operation.
type Op struct {
	Txn history.Txn
	F   string // get, put or append
	Key history.Name
	// Ended is how it ended, in the words of Jepsen, and Known tells whether the value of a get
	// is its result.
	Ended string
	Known bool
}

// Add takes an operation and its value, which is no node if there is none.
func (s *Store) Add(op Op, value ednode.Node) error {
	o := stringOp{Op: op}
	switch {
	case value.T != nil && value.Shape() == ednode.StringNode:
		o.text = value.Word()
	case value.T != nil && value.Shape() == ednode.IntNode:
		o.text = value.String()
	case value.T != nil && value.Shape() != ednode.NilNode || op.F != "get":
		return fmt.Errorf("the operation %s without a string as its :value", op.F)
	}
	s.ops = append(s.ops, o)
	return nil
}

// Finish adds the operations to the history.
func (s *Store) Finish(b *history.Builder) error {
	keys := map[history.Name]*stringKey{}
	for _, o := range s.ops {
		k := keys[o.Key]
		if k == nil {
			k = &stringKey{puts: map[string]bool{"": true}, appends: map[string]bool{}, before: map[string]string{}}
			keys[o.Key] = k
		}
		switch {
		case o.F == "append" && (k.appends[o.text] || o.text == ""):
			return fmt.Errorf("the string %q is appended twice to the key %s, or empty: it is not known which append a get shows", o.text, o.Key)
		case o.F == "append":
			k.appends[o.text] = true
		case o.F == "put":
			k.puts[o.text] = true
		}
	}
	for _, o := range s.ops {
		if o.F == "get" && o.Known {
			if err := keys[o.Key].show(o.text); err != nil {
				return fmt.Errorf("key %s: %w", o.Key, err)
			}
		}
	}
	for i, o := range s.ops {
		b.Resume(o.Txn)
		o.record(b, keys[o.Key], i)
	}
	return b.Err()
}

// record adds an operation, the i-th, to the history.
func (o stringOp) record(b *history.Builder, keys *stringKey, i int) {
	k := b.Key(o.Key)
	value := func(text string) history.Value {
		if text == "" {
			return history.Initial
		}
		return b.Value(history.String(text))
	}
	before, shown := keys.before[o.text]
	switch {
	case o.F == "get" && o.Known:
		b.Read(k, value(o.text))
	case o.F == "get":
		b.Read(k, history.NoValue)
	case o.F == "put":
		b.Write(k, value(o.text))
	case !shown:
		b.Write(k, b.Value(history.Name{Kind: history.TextName, Text: fmt.Sprintf("…%s (%d)", o.text, i)}))
	default:
		if o.Ended == "fail" {
			b.Read(k, history.NoValue)
		} else {
			b.Read(k, value(before))
		}
		b.Write(k, value(before+o.text))
	}
}

// stringKey is what was done with a key.
type stringKey struct {
	puts, appends map[string]bool
	// before is what the key held when something was appended, as far as gets show it.
	before map[string]string
}

// show takes a string that somebody got apart: something that was put, and then what was
// appended. One that does not consist of that is out of thin air.
func (k *stringKey) show(text string) error {
	lengths := map[int]bool{}
	for a := range k.appends {
		lengths[len(a)] = true
	}
	ways, last := make([]int, len(text)+1), make([]int, len(text)+1)
	for i := range ways {
		if k.puts[text[:i]] {
			ways[i] = 1
		}
		for n := range lengths {
			if n <= i && ways[i-n] > 0 && k.appends[text[i-n:i]] {
				ways[i], last[i] = ways[i]+ways[i-n], n
			}
		}
		if ways[i] = min(ways[i], 2); ways[i] > 1 && i == len(text) {
			return fmt.Errorf("the string %q may have been put and appended in more than one way, and so it is not known which writes it shows", text)
		}
	}
	if ways[len(text)] == 0 {
		return nil
	}
	for i := len(text); last[i] > 0; i -= last[i] {
		piece := text[i-last[i] : i]
		if _, ok := k.before[piece]; !ok {
			k.before[piece] = text[:i-last[i]]
		}
	}
	return nil
}
