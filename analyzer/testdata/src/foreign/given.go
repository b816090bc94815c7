package foreign

import (
	"database/sql"

	"example.org/scan"
)

// Started gives functions away that get a transaction.
func Started() error {
	if err := scan.InTx(func(tx *sql.Tx) error {
		_, err := tx.Exec("DELETE FROM t WHERE n = 1") // want `DELETE FROM t WHERE n = 1`
		return err
	}); err != nil {
		return err
	}
	if err := scan.InTx(named); err != nil {
		return err
	}
	if err := scan.Receive(received); err != nil {
		return err
	}
	return scan.Start(worker{})
}

func named(tx *sql.Tx) error {
	_, err := tx.Exec("DELETE FROM t WHERE n = 2") // want `DELETE FROM t WHERE n = 2`
	return err
}

func received(m *scan.Message) error {
	_, err := m.Tx.Exec("DELETE FROM t WHERE id = $1", m.ID) // want `DELETE FROM t WHERE id = $1 (m.ID)`
	return err
}

type worker struct{}

// Work is what a library calls.
func (worker) Work(tx *sql.Tx, id int) error {
	_, err := tx.Exec("UPDATE t SET n = 3 WHERE id = $1", id) // want `UPDATE t SET n = 3 WHERE id = $1 (id)`
	return err
}

// helper is what nobody calls: its callers would have the transaction.
func helper(tx *sql.Tx) error {
	_, err := tx.Exec("DELETE FROM t WHERE n = 4")
	return err
}

type runner interface {
	run(f func(tx *sql.Tx, note *holder) error) error
}

type holder struct{ tx *sql.Tx }

func (h *holder) clear() error {
	_, err := h.tx.Exec("DELETE FROM t WHERE n = 5") // want `DELETE FROM t WHERE n = 5`
	return err
}

// Ran gives a function to an interface that nothing implements, which gets a transaction in a struct.
func Ran(r runner) error {
	return r.run(func(_ *sql.Tx, h *holder) error { return h.clear() })
}
