package smt

import (
	"bufio"
	"math/big"
	"strings"
)

// sexp is an S-expression: an atom or a list.
type sexp struct {
	atom string // with its quotes
	list []sexp
}

func (s sexp) String() string {
	if s.atom != "" {
		return s.atom
	}
	parts := make([]string, len(s.list))
	for i, x := range s.list {
		parts[i] = x.String()
	}
	return "(" + strings.Join(parts, " ") + ")"
}

// is reports whether s is a list of n that starts with a word.
func (s sexp) is(word string, n int) bool { return len(s.list) == n && n > 0 && s.list[0].atom == word }

// readSexp reads one S-expression.
func readSexp(r *bufio.Reader) (sexp, error) {
	open := [][]sexp{}
	for {
		c, err := r.ReadByte()
		if err != nil {
			return sexp{}, err
		}
		var s sexp
		switch {
		case c == ' ' || c == '\n' || c == '\r' || c == '\t':
			continue
		case c == '(':
			open = append(open, nil)
			continue
		case c == ')' && len(open) > 0:
			s.list = open[len(open)-1]
			open = open[:len(open)-1]
		default:
			if s.atom, err = readAtom(r, c); err != nil {
				return sexp{}, err
			}
		}
		if len(open) == 0 {
			return s, nil
		}
		open[len(open)-1] = append(open[len(open)-1], s)
	}
}

// readAtom reads an atom after its first byte. Bars and double quotes enclose anything.
func readAtom(r *bufio.Reader, first byte) (string, error) {
	atom := []byte{first}
	for enclosed := first == '|' || first == '"'; ; {
		c, err := r.ReadByte()
		if err != nil {
			return "", err
		}
		switch {
		case enclosed:
			atom = append(atom, c)
			if c == first {
				return string(atom), nil
			}
			continue
		case strings.IndexByte(" \n\r\t()", c) >= 0:
			return string(atom), r.UnreadByte()
		}
		atom = append(atom, c)
	}
}

// value is the value that Z3 printed: a truth value or a number. It is nil for a number
// that is not rational, and for other terms.
func (s sexp) value() *big.Rat {
	switch {
	case s.atom == "true":
		return oneRat
	case s.atom == "false":
		return zeroRat
	case s.atom != "" && s.atom[0] >= '0' && s.atom[0] <= '9':
		if r, ok := new(big.Rat).SetString(s.atom); ok {
			return r
		}
	case s.is("-", 2):
		if r := s.list[1].value(); r != nil {
			return new(big.Rat).Neg(r)
		}
	case s.is("/", 3):
		x, y := s.list[1].value(), s.list[2].value()
		if x != nil && y != nil && y.Sign() != 0 {
			return new(big.Rat).Quo(x, y)
		}
	}
	return nil
}
