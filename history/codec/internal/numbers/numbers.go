// Package numbers maps the numbers that a recording gives to transactions.
package numbers

import "github.com/txrobust/robust/history"

// Map maps the numbers of a recording to transactions. Most are small.
type Map struct {
	small []history.Txn
	large map[int64]history.Txn
}

// Get gives the transaction of a number, if there is one.
func (m *Map) Get(n int64) (history.Txn, bool) {
	if 0 <= n && n < int64(len(m.small)) {
		return m.small[n], m.small[n] != 0
	}
	t, ok := m.large[n]
	return t, ok
}

// Set says which transaction has a number.
func (m *Map) Set(n int64, t history.Txn) {
	// An array that is at most a quarter full wastes no more than a map.
	if 0 <= n && n < 4*int64(t)+1024 {
		if n >= int64(len(m.small)) {
			m.small = append(m.small, make([]history.Txn, max(int(n)+1, 2*len(m.small))-len(m.small))...)
			for l, t := range m.large {
				if 0 <= l && l < int64(len(m.small)) {
					m.small[l] = t
					delete(m.large, l)
				}
			}
		}
		m.small[n] = t
		return
	}
	if m.large == nil {
		m.large = map[int64]history.Txn{}
	}
	m.large[n] = t
}
