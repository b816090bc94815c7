package codec

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/txrobust/robust/history"
)

// Write writes a history in a format that is one file. Losses say, a sentence
// each, what the format could not hold: if there are none, reading it back gives
// the same history (history.Diff).
func Write(ctx context.Context, out io.Writer, h *history.History, f Format) (losses []string, err error) {
	g, err := writable(f)
	if err != nil {
		return nil, err
	}
	if g.apart {
		return nil, fmt.Errorf("a history in the format %s is a folder, which does not fit one stream", f)
	}
	return g.encode(ctx, h, func(string) (io.WriteCloser, error) { return nopCloser{out}, nil })
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

// Save writes a history to a file, or to a new folder if that is what the format demands. A file whose name
// ends with .gz is compressed. Nothing is left behind if it fails, and an existing file is replaced only when
// all is written. A device or pipe is not replaced, but written to.
func Save(ctx context.Context, path string, h *history.History, f Format) (losses []string, err error) {
	g, err := writable(f)
	if err != nil {
		return nil, err
	}
	if g.apart || f == Dbcop && !strings.HasSuffix(path, ".bincode") {
		return saveFolder(ctx, path, h, g)
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return g.encode(ctx, h, func(string) (io.WriteCloser, error) { return os.OpenFile(path, os.O_WRONLY, 0) })
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return nil, err
	}
	defer os.Remove(tmp.Name()) // fails when it was renamed
	var out io.WriteCloser = tmp
	if strings.HasSuffix(path, ".gz") {
		out = &gzipFile{gzip.NewWriter(tmp), tmp}
	}
	losses, err = g.encode(ctx, h, func(string) (io.WriteCloser, error) { return out, nil })
	if err != nil {
		tmp.Close()
		return nil, err
	}
	if err := os.Chmod(tmp.Name(), 0o644); err != nil {
		return nil, err
	}
	return losses, os.Rename(tmp.Name(), path)
}

type gzipFile struct {
	*gzip.Writer
	file *os.File
}

func (g *gzipFile) Close() error {
	if err := g.Writer.Close(); err != nil {
		g.file.Close()
		return err
	}
	return g.file.Close()
}

func saveFolder(ctx context.Context, path string, h *history.History, g format) ([]string, error) {
	if _, err := os.Lstat(path); err == nil {
		return nil, fmt.Errorf("%s exists; name a new folder for the format %s", path, g.name)
	}
	tmp, err := os.MkdirTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(tmp) // does nothing when it was renamed
	losses, err := g.encode(ctx, h, func(name string) (io.WriteCloser, error) {
		return os.Create(filepath.Join(tmp, name))
	})
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(tmp, 0o755); err != nil {
		return nil, err
	}
	return losses, os.Rename(tmp, path)
}

func writable(f Format) (format, error) {
	g, ok := f.find()
	if !ok || g.write == nil {
		return g, fmt.Errorf("histories cannot be written in the format %q; those that can are %s", f, strings.Join(Names(true), ", "))
	}
	return g, nil
}

func (g format) encode(ctx context.Context, h *history.History, create func(string) (io.WriteCloser, error)) ([]string, error) {
	w, err := g.run(ctx, h, create)
	if err != nil {
		return nil, err
	}
	return w.losses, nil
}

func (g format) run(ctx context.Context, h *history.History, create func(string) (io.WriteCloser, error)) (*writer, error) {
	w := &writer{ctx: ctx, h: h, g: g, create: create}
	if err := g.write(w); err != nil {
		return nil, err
	}
	if !w.wrote || h.NumTxns() == 1 && h.NumKeys() == 0 {
		return nil, w.nothing()
	}
	for _, list := range []*[]string{&w.losses, &w.doubts} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	return w, nil
}

// writer writes one history.
type writer struct {
	ctx    context.Context
	h      *history.History
	g      format
	create func(name string) (io.WriteCloser, error)
	losses []string
	// doubts are those losses that may change a verdict.
	doubts []string
	out    io.Writer // the file
	wrote  bool      // there is something in the files
}

// file writes one file of the history.
func (w *writer) file(name string, write func(out *bufio.Writer) error) error {
	f, err := w.create(name)
	if err != nil {
		return err
	}
	w.out = f
	out := bufio.NewWriterSize(w, bufferSize)
	if err := write(out); err != nil {
		f.Close()
		return err
	}
	if err := out.Flush(); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// nothing is the error that no transaction can be written.
func (w *writer) nothing() error {
	return fmt.Errorf("the history has no transaction that the format %s can hold; choose another format, such as %s", w.g.name, Compact)
}

// any tells whether one of the transactions, without the initial one, is written.
func (w *writer) any(written func(history.Txn) bool) bool {
	for t := history.Txn(1); int(t) < w.h.NumTxns(); t++ {
		if written(t) {
			return true
		}
	}
	return false
}

// Write writes to the file that is written now.
func (w *writer) Write(b []byte) (int, error) {
	w.wrote = w.wrote || len(b) > 0
	return w.out.Write(b)
}

func (w *writer) lose(format string, args ...any) {
	w.losses = append(w.losses, fmt.Sprintf(format, args...)+".")
}

// doubt says that something is lost on which a verdict may depend.
func (w *writer) doubt(format string, args ...any) {
	w.lose(format, args...)
	w.doubts = append(w.doubts, fmt.Sprintf(format, args...)+".")
}

// loseIf counts things that are lost.
func (w *writer) loseIf(n int, format string) {
	if n > 0 {
		w.lose(format, n)
	}
}

// registers makes sure that there is nothing but reads and writes of registers.
func (w *writer) registers(also ...history.Kind) error {
	for o := range history.Op(w.h.NumOps()) {
		kind := w.h.Kind(o)
		if kind != history.Read && kind != history.Write && !slices.Contains(also, kind) {
			return w.refuse(o, "%s, which the format %s does not have", w.h.Words(o), w.g.name)
		}
	}
	return nil
}

// refuse is an error about an operation, with its place.
func (w *writer) refuse(o history.Op, format string, args ...any) error {
	msg := fmt.Sprintf(format, args...)
	if at := w.h.Locate(w.h.Place(w.h.TxnOf(o))); at != "" {
		msg = at + ": " + msg
	}
	return fmt.Errorf("%s; choose another format, such as %s", msg, Compact)
}

// committed decides which transactions a format writes as committed that knows no
// unknown outcomes: those that committed, and those whose writes a committed one
// read. The writes of others may just as well not have happened.
func (w *writer) committed() []bool {
	w.h = w.h.Settled()
	h := w.h
	out := make([]bool, h.NumTxns())
	unknown := 0
	for t := range out {
		out[t] = h.Status(history.Txn(t)) == history.Committed
		if h.Status(history.Txn(t)) == history.Unknown {
			unknown++
		}
	}
	if unknown == 0 {
		return out
	}
	must, may := w.readFrom()
	read, open := 0, 0
	for t := range out {
		switch {
		case h.Status(history.Txn(t)) != history.Unknown:
		case must[t]:
			out[t] = true
			read++
		case may[t]:
			out[t] = true
			open++
		}
	}
	w.loseIf(read, "%d transactions of unknown outcome whose writes were read are written as committed")
	if open > 0 {
		w.doubt("%d transactions of unknown outcome that may have been read from are written as committed", open)
	}
	w.loseIf(unknown-read-open, "%d transactions of unknown outcome whose writes nobody read are left out")
	return out
}

// skips tells whether a read of the transaction is not written: its result is
// not known, or does not count.
func (w *writer) skips(o history.Op) bool {
	h := w.h
	return h.Kind(o).Reads() && (!h.Known(o) || h.Status(h.TxnOf(o)) == history.Unknown)
}

// loseReads counts the reads whose result is not known, those of aborted
// transactions only if they are left out, too.
func (w *writer) loseReads(aborted bool) {
	n := 0
	for o := range history.Op(w.h.NumOps()) {
		s := w.h.Status(w.h.TxnOf(o))
		if w.h.Kind(o).Reads() && !w.h.Known(o) && (s == history.Committed || aborted && s == history.Aborted) {
			n++
		}
	}
	w.loseIf(n, "%d reads whose result is not known are left out")
}

// loseOrder says that stamps are lost, unless there are none.
func (w *writer) loseOrder() {
	h := w.h
	clocks := false
	for t := range history.Txn(h.NumTxns()) {
		started, ended := h.Clock(t)
		clocks = clocks || started != history.NoTime || ended != history.NoTime
	}
	switch {
	case h.Order() != history.NoOrder:
		w.doubt("The format has no times, so nothing is known about the real-time order")
	case clocks:
		w.lose("The format has no times")
	}
}

// loseNumbers says that the numbers of transactions are lost.
func (w *writer) loseNumbers() {
	for t := range history.Txn(w.h.NumTxns()) {
		if _, ok := w.h.Number(t); ok {
			w.lose("The format has no numbers of transactions")
			return
		}
	}
}

// losePositions says that names of sessions are lost which are not their places.
// The initial transaction may have a session before them.
func (w *writer) losePositions(initial bool) {
	first := int64(0)
	if initial {
		first = 1
	}
	for s := range history.Session(w.h.NumSessions()) {
		if w.h.SessionName(s) != history.Int(int64(s)+first) {
			w.lose("The format has no names of sessions")
			return
		}
	}
}

// sessionNumbers gives every session a number: its name if all names are
// different numbers from 0, and else its place. Ordered says that reading puts
// them in the order of their numbers.
func (w *writer) sessionNumbers(ordered bool) []int64 {
	h := w.h
	numbers := make([]int64, h.NumSessions())
	seen := map[int64]bool{}
	named := true
	for s := range numbers {
		name := h.SessionName(history.Session(s))
		named = named && name.Kind == history.IntName && name.Int >= 0 && !seen[name.Int]
		numbers[s] = name.Int
		seen[name.Int] = true
	}
	if !named {
		w.lose("The format has numbers for names of sessions")
		for s := range numbers {
			numbers[s] = int64(s)
		}
	}
	if ordered && !slices.IsSorted(numbers) {
		w.lose("Sessions are put in the order of their numbers")
	}
	return numbers
}

// txnNumbers gives every transaction a number: its own if all that are written
// have different ones from 0.
func (w *writer) txnNumbers(written func(history.Txn) bool) []int64 {
	h := w.h
	numbers := make([]int64, h.NumTxns())
	seen := make(map[int64]bool, h.NumTxns())
	numbered, some := true, false
	for t := history.Txn(1); int(t) < len(numbers); t++ {
		n, ok := h.Number(t)
		some = some || ok
		if written(t) {
			numbered = numbered && ok && n >= 0 && !seen[n]
			seen[n] = true
			numbers[t] = n
		} else if ok {
			w.lose("Transactions that did not commit lose their numbers")
		}
	}
	if numbered {
		return numbers
	}
	if some {
		w.lose("Transactions get other numbers, for theirs are not all different and not negative")
	}
	for t := range numbers {
		numbers[t] = int64(t) - 1
	}
	return numbers
}

// integers gives keys and values integers, for formats that have nothing else.
type integers struct {
	w *writer
	// keys and values are nil if the names are used.
	keyed, valued bool
	values        map[history.Value]int64
	zero          bool // 0 stands for the initial version
	identities    bool
}

// integers prepares the numbers of keys and values. zero says that the format
// means the initial version by 0; reserved values have another meaning there.
func (w *writer) integers(zero bool, reserved ...int64) (*integers, error) {
	h := w.h
	n := &integers{w: w, keyed: true, valued: true, zero: zero, values: map[history.Value]int64{}}
	for k := range history.Key(h.NumKeys()) {
		n.keyed = n.keyed && h.KeyName(k).Kind == history.IntName
	}
	all, some := true, false
	for o := history.Op(h.NumKeys()); int(o) < h.NumOps(); o++ {
		if id := h.Version(o); id != history.NoValue {
			some = true
		} else if h.Kind(o).Writes() {
			all = false
		}
	}
	n.identities = some && all && !w.readsValues()
	if n.identities {
		w.lose("The identities of versions are written instead of values")
	} else if some {
		w.loseIdentities()
	}
	for o := history.Op(0); int(o) < h.NumOps(); o++ {
		v := n.meant(o)
		if v <= history.Initial {
			continue
		}
		name := h.ValueName(v)
		if name.Kind != history.IntName || zero && name.Int == 0 || slices.Contains(reserved, name.Int) {
			n.valued = false
		}
		if given := h.Value(history.Op(h.Key(o))); zero && h.InitialGiven(h.Key(o)) && given != history.Initial && v == given && int(o) >= h.NumKeys() && h.Kind(o).Writes() {
			return nil, w.refuse(o, "the value %s of the key %s is the initial one and written, too, which the format %s cannot tell apart", name, h.KeyName(h.Key(o)), w.g.name)
		}
	}
	if !n.keyed {
		w.lose("Keys are numbered, for the format has no other names")
	}
	if !n.valued {
		w.lose("Values are numbered, for the format has no other names, or means something else by some")
	}
	return n, nil
}

// meant is what identifies the version that an operation reads or writes.
func (n *integers) meant(o history.Op) history.Value {
	h := n.w.h
	if v := h.Version(o); v == history.Initial || v != history.NoValue && n.identities {
		return v
	}
	return h.Value(o)
}

func (n *integers) key(k history.Key) int64 {
	if n.keyed {
		return n.w.h.KeyName(k).Int
	}
	return int64(k)
}

// value is the number of the version that an operation reads or writes.
func (n *integers) value(o history.Op) int64 {
	h := n.w.h
	v := n.meant(o)
	if given := h.Value(history.Op(h.Key(o))); v == history.Initial && !n.zero && h.InitialGiven(h.Key(o)) && given > history.Initial {
		return n.number(given)
	}
	if v == history.Initial {
		return 0
	}
	if k := h.Key(o); n.zero && h.InitialGiven(k) && v == h.Value(history.Op(k)) {
		return 0
	}
	return n.number(v)
}

func (n *integers) number(v history.Value) int64 {
	if n.valued {
		return n.w.h.ValueName(v).Int
	}
	number, ok := n.values[v]
	if !ok {
		number = int64(len(n.values)) + 1
		n.values[v] = number
	}
	return number
}

// loseInitials says that initial values are lost, unless they are all Initial
// and the format has those.
func (w *writer) loseInitials() {
	for k := range history.Key(w.h.NumKeys()) {
		if w.h.InitialGiven(k) && w.h.Value(history.Op(k)) != history.Initial {
			w.lose("The initial values of keys are all written as one")
			return
		}
	}
}

// needsInitial tells whether somebody reads or writes the initial value, or the
// recording has initial values.
func (w *writer) needsInitial() bool {
	h := w.h
	for o := history.Op(h.NumKeys()); int(o) < h.NumOps(); o++ {
		if h.Version(o) == history.Initial || h.Value(o) == history.Initial {
			return true
		}
	}
	return len(w.givens()) > 0
}

// loseFirst says that the first transaction will be taken for the initial one,
// if it will.
func (w *writer) loseFirst(committed []bool, rule history.InitialRule) {
	h := w.h
	first, keys := history.NoSession, map[history.Key]bool{}
	for t := history.Txn(1); int(t) < h.NumTxns(); t++ {
		o, end := h.Ops(t)
		written := h.Status(t) != history.Unknown && rule != history.AllKeys || committed[t]
		if !written || o == end && rule == history.AllKeys {
			continue
		}
		if first == h.SessionOf(t) {
			return
		}
		if first != history.NoSession {
			break
		}
		first = h.SessionOf(t)
		for ; o < end; o++ {
			if w.skips(o) {
				continue
			}
			if k := h.Key(o); h.Kind(o) != history.Write || keys[k] || rule == history.AllInitial && h.Value(o) != history.Initial {
				return
			} else {
				keys[k] = true
			}
		}
	}
	if len(keys) > 0 && (rule == history.AllInitial || len(keys) == h.NumKeys()) {
		w.doubt("The first transaction looks like the initial one, and will be read as such")
	}
}

// givens are the keys whose initial value is in the recording.
func (w *writer) givens() []history.Key {
	var keys []history.Key
	for k := range history.Key(w.h.NumKeys()) {
		if w.h.InitialGiven(k) {
			keys = append(keys, k)
		}
	}
	return keys
}

// every calls f for all transactions but the initial one, and looks at the
// context from time to time.
func (w *writer) every(s history.Session, f func(history.Txn) error) error {
	t, end := w.h.Txns(s)
	for ; t < end; t++ {
		if t%1024 == 0 && w.ctx.Err() != nil {
			return w.ctx.Err()
		}
		if err := f(t); err != nil {
			return err
		}
	}
	return nil
}

// Losses says what would be lost if a history were written.
func Losses(ctx context.Context, h *history.History, f Format) ([]string, error) {
	w, err := f.try(ctx, h)
	if err != nil {
		return nil, err
	}
	return w.losses, nil
}

// Bytes writes a history in a format of one file to memory.
func Bytes(ctx context.Context, h *history.History, f Format) ([]byte, []string, error) {
	var b bytes.Buffer
	losses, err := Write(ctx, &b, h, f)
	return b.Bytes(), losses, err
}

// File is a file of a history that was written.
type File struct {
	Name string
	Text []byte
}

// Files writes a history in a format to memory: all files of its folder, or the one
// that it is. The error says what the format does not have.
func Files(ctx context.Context, h *history.History, f Format) (files []File, losses []string, err error) {
	g, err := writable(f)
	if err != nil {
		return nil, nil, err
	}
	var names []string
	var texts []*bytes.Buffer
	losses, err = g.encode(ctx, h, func(name string) (io.WriteCloser, error) {
		names, texts = append(names, name), append(texts, &bytes.Buffer{})
		return nopCloser{texts[len(texts)-1]}, nil
	})
	for i, name := range names {
		files = append(files, File{name, texts[i].Bytes()})
	}
	return files, losses, err
}
