package history

// TakePreloaded makes values that were read but never written initial values, if
// the recording looks as if it had begun on loaded tables: no read returned the
// Initial value, nobody gave initial values, at most one value of every key came
// from nowhere, and that is so for at least one in ten of the keys that are read,
// and for eight. It must be called after everything was added.
//
// Without that such a value is out of thin air, which is what the rule may hide:
// it trusts that a database does not invent one value for each of many keys, and
// says so in a note.
func (b *Builder) TakePreloaded() bool {
	h := b.h
	if b.err != nil || b.initials != nil {
		return false
	}
	type version struct {
		k Key
		v Value
	}
	written := map[version]bool{}
	for o, kind := range h.kind {
		if kind.Writes() {
			written[version{h.key[o], h.value[o]}] = true
		}
	}
	read := map[Key]bool{}
	loaded := map[Key]Value{}
	see := func(k Key, v Value) bool {
		if v == NoValue {
			return true
		}
		read[k] = true
		if v == Initial {
			return false
		}
		if written[version{k, v}] {
			return true
		}
		old, ok := loaded[k]
		loaded[k] = v
		return !ok || old == v
	}
	for o, kind := range h.kind {
		if kind == Read && !see(h.key[o], h.value[o]) {
			return false
		}
	}
	for i, k := range h.rowKeys {
		if !see(k, h.rowValues[i]) {
			return false
		}
	}
	if len(loaded) < 8 || 10*len(loaded) < len(read) {
		return false
	}
	for k, v := range loaded {
		b.SetInitial(k, v)
	}
	b.Note("The values of %d keys that are read but never written are taken for what these keys held before the recording.", len(loaded))
	return b.err == nil
}
