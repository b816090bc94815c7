package flags

import (
	"flag"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Choice declares a flag whose value is one of names. An empty value is allowed
// only as the default.
func Choice(fs *flag.FlagSet, to *string, name, value string, names []string, usage string) {
	*to = value
	fs.Var(&choice{to, names}, name, usage)
}

type choice struct {
	to    *string
	names []string
}

func (c *choice) Set(s string) error {
	if !slices.Contains(c.names, s) {
		return fmt.Errorf("it is %s", Or(c.names))
	}
	*c.to = s
	return nil
}

func (c *choice) String() string {
	if c.to == nil {
		return ""
	}
	return *c.to
}

// Or joins the parts of a choice: "a, b or c".
func Or(list []string) string {
	if n := len(list); n > 1 {
		return strings.Join(list[:n-1], ", ") + " or " + list[n-1]
	}
	return strings.Join(list, "")
}

// Choices gives the values that a flag may have, nil if they are not a short list.
func Choices(f *flag.Flag) []string {
	if c, ok := f.Value.(*choice); ok {
		return c.names
	}
	return nil
}

// Whole declares a flag that is a whole number of at least least. The value of
// an unsigned flag fits in 32 bits.
func Whole[T int | uint](fs *flag.FlagSet, to *T, name string, value T, least int64, usage string) {
	*to = value
	most := int64(math.MaxInt)
	if _, unsigned := any(value).(uint); unsigned {
		most = math.MaxUint32
	}
	fs.Var(&whole[T]{to, least, most}, name, usage)
}

type whole[T int | uint] struct {
	to          *T
	least, most int64
}

func (w *whole[T]) Set(s string) error {
	n, err := strconv.ParseInt(s, 10, 64)
	switch {
	case err == nil && n >= w.least && n <= w.most:
		*w.to = T(n)
		return nil
	case w.most == math.MaxInt:
		return fmt.Errorf("it must be a whole number from %d on", w.least)
	}
	return fmt.Errorf("it must be a whole number between %d and %d", w.least, w.most)
}

func (w *whole[T]) String() string {
	if w.to == nil {
		return "0"
	}
	return strconv.FormatInt(int64(*w.to), 10)
}

func (w *whole[T]) placeholder() string { return "N" }

// Time declares a flag that is a time of at least least. 0 stands for none where
// least is 0.
func Time(fs *flag.FlagSet, to *time.Duration, name string, value, least time.Duration, usage string) {
	*to = value
	fs.Var(&span{to, least}, name, usage)
}

type span struct {
	to    *time.Duration
	least time.Duration
}

func (p *span) Set(s string) error {
	d, err := time.ParseDuration(s)
	switch {
	case err != nil:
		return fmt.Errorf("it must be a time with its unit, such as 30s or 5m")
	case d < 0, d < p.least:
		return fmt.Errorf("a time is positive")
	}
	*p.to = d
	return nil
}

func (p *span) String() string {
	if p.to == nil {
		return "0s"
	}
	return p.to.String()
}

func (p *span) placeholder() string { return "TIME" }

// wrongValue matches what package flag says of a value that does not fit.
var wrongValue = regexp.MustCompile(`(?s)^invalid (?:boolean )?value ("(?:[^"\\]|\\.)*") for (?:flag )?-([^:]+): (.*)$`)

// Fault says in words what package flag says of flags that are not there, and of values that
// they must not have.
func Fault(fs *flag.FlagSet, err error) string {
	if name, unknown := strings.CutPrefix(err.Error(), "flag provided but not defined: -"); unknown {
		if near := Nearest(name, names(fs)); near != "" {
			return "there is no flag -" + name + ", but -" + near
		}
		return "there is no flag -" + name
	}
	m := wrongValue.FindStringSubmatch(err.Error())
	if m == nil {
		return err.Error()
	}
	value, unquoted := strconv.Unquote(m[1])
	if unquoted != nil {
		value = m[1]
	}
	if value == "" {
		value = `""`
	}
	return "-" + m[2] + " " + value + ": " + Reason(fs.Lookup(m[2]), m[3])
}

// Reason says in words why a value does not fit a flag: package flag says of those that it
// reads itself only that they cannot be parsed.
func Reason(f *flag.Flag, said string) string {
	switch {
	case said != "parse error":
		return said
	case isSwitch(f):
		return "it is true or false"
	}
	return "it must be a number"
}
