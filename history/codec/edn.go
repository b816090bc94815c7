package codec

import (
	"bytes"

	"github.com/txrobust/robust/history"
)

// ednReader reads what Jepsen writes: a stream of maps, or one vector or list of
// them. The same as JSON is one array of objects.
type ednReader struct {
	b    *history.Builder
	j    *jepsen
	json bool
}

func (r *ednReader) file(in *input) error {
	p := &parser{input: in, json: r.json}
	inside, err := p.enter("[(")
	if err != nil {
		return err
	}
	if r.json && !inside {
		return p.errorf("expected an array of operations")
	}
	for {
		if inside {
			if more, err := p.more(); err != nil {
				return err
			} else if !more {
				break
			}
		} else if err := p.space(); err != nil {
			return err
		} else if _, ok := p.peek(); !ok {
			break
		}
		line, m, err := p.located()
		if err != nil {
			return err
		}
		e, err := parseEvent(m)
		if err == nil {
			err = r.j.add(e, line, history.At(in.file, int64(line)))
		}
		if err != nil {
			return in.errorAt(line, 0, "%v", err)
		}
	}
	if err := p.end(); err != nil {
		return err
	}
	return r.finish(in)
}

func (r *ednReader) finish(in *input) error {
	if line, err := r.j.finish(); err != nil {
		return in.errorAt(line, 0, "%v", err)
	}
	return nil
}

// located reads a value, and gives the line on which it begins.
func (p *parser) located() (line int, a at, err error) {
	if err := p.space(); err != nil {
		return 0, at{}, err
	}
	line = p.line
	a, err = p.read()
	return line, a, err
}

// logReader reads the lines that Jepsen logs while it runs: level, logger, -,
// and then process, type, function and value, separated by tabs.
type logReader struct{ ednReader }

func (r *logReader) file(in *input) error {
	for {
		text, ok := in.text()
		if !ok {
			break
		}
		line := in.line - 1
		if len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		if _, rest, ok := bytes.Cut(text, []byte(" - ")); ok {
			text = rest
		}
		fields := bytes.SplitN(text, []byte{'\t'}, 4)
		if len(fields) != 4 {
			return in.lineErrorf("%s, expected process, type, function and value, separated by tabs", show(text))
		}
		// The fields are those of a map of EDN, without its keys.
		var m []byte
		for i, key := range []string{"{:process ", " :type ", " :f ", " :value "} {
			m = append(append(m, key...), bytes.TrimSpace(fields[i])...)
		}
		m = append(m, "\n}"...)
		p := &parser{input: newInput(in.ctx, bytes.NewReader(m), in.name, in.file)}
		p.line = line
		a, err := p.read()
		if err != nil {
			return in.errorAt(line, 0, "%s, expected process, type, function and value", show(text))
		}
		if err := p.end(); err != nil {
			return in.errorAt(line, 0, "%s, expected process, type, function and value", show(text))
		}
		e, err := parseEvent(a)
		if err == nil {
			err = r.j.add(e, line, history.At(in.file, int64(line)))
		}
		if err != nil {
			return in.errorAt(line, 0, "%v", err)
		}
	}
	if in.err != nil {
		return in.err
	}
	return r.finish(in)
}
