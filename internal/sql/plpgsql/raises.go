package plpgsql

import (
	"slices"
	"strings"
)

// Raises reports whether statements of a body always end by an error, and
// commit nothing before it.
func Raises(list []Stmt, src string) bool {
	leaves := false
	Walk(list, func(s Stmt) {
		switch s := s.(type) {
		case *Return, *Exit, *EndTxn, *Execute:
			leaves = true
		case *SQL: // what CALL and DO run may commit
			word, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(s.Query.Text(src))), " ")
			leaves = leaves || word == "call" || word == "do"
		}
	})
	if len(list) == 0 || leaves {
		return false
	}
	switch s := list[len(list)-1].(type) {
	case *Raise:
		return s.Error
	case *Block:
		return len(s.Handlers) == 0 && Raises(s.Body, src)
	case *If:
		return Raises(s.Else, src) && !slices.ContainsFunc(s.Branches, func(br Branch) bool { return !Raises(br.Body, src) })
	}
	return false
}

// markLast marks what ends the transaction as the last statement that runs. Ends says that nothing follows
// the list. In a block with EXCEPTION, and in a loop, nothing is marked.
func markLast(list []Stmt, ends bool) {
	for i := len(list) - 1; i >= 0; i-- {
		switch s := list[i].(type) {
		case *Null:
			continue
		case *Return:
			ends = s.Expr.Empty()
			continue
		case *EndTxn:
			s.Last = ends
		case *If:
			for _, br := range s.Branches {
				markLast(br.Body, ends)
			}
			markLast(s.Else, ends)
		case *Case:
			for _, br := range s.Branches {
				markLast(br.Body, ends)
			}
			markLast(s.Else, ends)
		case *Block:
			if len(s.Handlers) == 0 {
				markLast(s.Body, ends)
			}
		}
		ends = false
	}
}

// Confine says that no end of a transaction is the last statement: each is an error.
func (b *Body) Confine() {
	Walk([]Stmt{b.Block}, func(s Stmt) {
		if s, ok := s.(*EndTxn); ok {
			s.Last = false
		}
	})
}
