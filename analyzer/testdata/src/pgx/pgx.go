// Package shop uses what pgx has beside the methods of database/sql.
package shop

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

type item struct {
	ID    int
	Name  string `db:"title"`
	Price *int
}

var errDear = errors.New("dear")

// Collect has functions that collect rows: in structs, values and pointers.
func Collect(ctx context.Context, db *pgxpool.Pool, id int) error {
	return pgx.BeginFunc(ctx, db, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, "SELECT id, title, price FROM items WHERE id > $1", id) // want `SELECT id, title, price FROM items WHERE id > $1 (id)`
		if err != nil {
			return err
		}
		list, err := pgx.CollectRows(rows, pgx.RowToStructByName[item])
		if err != nil {
			return err
		}
		rows, _ = tx.Query(ctx, "SELECT id, title, price FROM items WHERE id = $1", id) // want `SELECT id, title, price FROM items WHERE id = $1 (id)`
		one, err := pgx.CollectOneRow(rows, pgx.RowToStructByPos[item])
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		rows, _ = tx.Query(ctx, "SELECT max(price) FROM items") // want `SELECT max(price) FROM items`
		most, err := pgx.CollectExactlyOneRow(rows, pgx.RowTo[int])
		if err != nil {
			return err
		}
		rows, _ = tx.Query(ctx, "SELECT id, title, price FROM items WHERE price = $1", most) // want `SELECT id, title, price FROM items WHERE price = $1 (row)`
		dear, err := pgx.CollectOneRow(rows, pgx.RowToAddrOfStructByName[item])
		if err != nil {
			return err
		}
		rows, _ = tx.Query(ctx, "SELECT id FROM items") // want `SELECT id FROM items`
		ids, err := pgx.AppendRows([]int{1}, rows, pgx.RowTo[int])
		if err != nil {
			return err
		}
		rows, _ = tx.Query(ctx, "SELECT title FROM items") // want `SELECT title FROM items`
		if _, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (string, error) { var s string; return s, row.Scan(&s) }); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, "INSERT INTO seen (item, dear, n, m) VALUES ($1, $2, $3, $4)", one.ID, dear.Name, len(list), len(ids)) // want `INSERT INTO seen (item, dear, n, m) VALUES ($1, $2, $3, $4) (row.ID_1, row.Name_2, rows.len, len(v_6))`
		return err
	})
}

// Each has a function for each row, which may end the loop.
func Each(ctx context.Context, db *pgxpool.Pool, least int) error {
	return pgx.BeginTxFunc(ctx, db, pgx.TxOptions{IsoLevel: pgx.Serializable}, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, "SELECT id, price FROM items WHERE price > $1", least) // want `rows of SELECT id, price FROM items WHERE price > $1 (least)`
		if err != nil {
			return err
		}
		var id, price int
		n := 0
		_, err = pgx.ForEachRow(rows, []any{&id, &price}, func() error {
			if price > 100 {
				return errDear
			}
			n++
			_, err := tx.Exec(ctx, "UPDATE items SET price = $1 WHERE id = $2", price+1, id) // want `UPDATE items SET price = $1 WHERE id = $2 (price_3 + 1, id_3)`
			return err
		})
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, "INSERT INTO log (n) VALUES ($1)", n) // want `INSERT INTO log (n) VALUES ($1) (n_4)`
		return err
	})
}

// Batches are sent with the transaction, or by themselves.
func Batches(ctx context.Context, db *pgxpool.Pool, id int) error {
	var later pgx.Batch
	later.Queue("DELETE FROM log WHERE item = $1", id)
	if err := db.SendBatch(ctx, &later).Close(); err != nil { // want `DELETE FROM log WHERE item = $1 (id)`
		return err
	}
	tx, err := db.Begin(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback(ctx)
	b := &pgx.Batch{}
	b.Queue("UPDATE items SET price = 1 WHERE id = $1", id) // want `UPDATE items SET price = 1 WHERE id = $1 (id)`
	if id > 1 {
		b.Queue("DELETE FROM seen WHERE item = $1", id) // want `DELETE FROM seen WHERE item = $1 (id)`
	}
	res := tx.SendBatch(ctx, b)
	if _, err := res.Exec(); err != nil {
		return err
	}
	if err := res.Close(); err != nil {
		return err
	}
	return tx.Commit(ctx)
}

// Answered takes results in the order in which the statements were queued.
func Answered(ctx context.Context, db *pgxpool.Pool, id int) error {
	return pgx.BeginFunc(ctx, db, func(tx pgx.Tx) error {
		var b pgx.Batch
		b.Queue("UPDATE items SET price = 3 WHERE id = $1", id) // want `UPDATE items SET price = 3 WHERE id = $1 (id)`
		b.Queue("SELECT price FROM items WHERE id = $1", id)    // want `SELECT price FROM items WHERE id = $1 (id)`
		b.Queue("SELECT id FROM items WHERE price = 3")         // want `SELECT id FROM items WHERE price = 3`
		res := tx.SendBatch(ctx, &b)
		tag, err := res.Exec()
		if err != nil {
			return err
		}
		var price int
		if err := res.QueryRow().Scan(&price); err != nil {
			return err
		}
		rows, err := res.Query()
		if err != nil {
			return err
		}
		one, err := pgx.CollectExactlyOneRow(rows, pgx.RowTo[int])
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, "INSERT INTO log (n, m, o) VALUES ($1, $2, $3)", tag.RowsAffected(), price, one) // want `INSERT INTO log (n, m, o) VALUES ($1, $2, $3) (affected, price, row)`
		return err
	})
}

// AnsweredBefore has a batch that was filled before the transaction began.
func AnsweredBefore(ctx context.Context, db *pgxpool.Pool, id int) error {
	var b pgx.Batch
	b.Queue("UPDATE items SET price = 4 WHERE id = $1", id)
	return pgx.BeginFunc(ctx, db, func(tx pgx.Tx) error {
		tag, err := tx.SendBatch(ctx, &b).Exec() // want `UPDATE items SET price = 4 WHERE id = $1 (id)`
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, "INSERT INTO log (n) VALUES ($1)", tag.RowsAffected()) // want `INSERT INTO log (n) VALUES ($1) (affected)`
		return err
	})
}

// AnsweredMixed has a batch that was filled before the transaction began, and gets more.
func AnsweredMixed(ctx context.Context, db *pgxpool.Pool, id int) error {
	var b pgx.Batch
	b.Queue("SELECT price FROM items WHERE id = 12")
	return pgx.BeginFunc(ctx, db, func(tx pgx.Tx) error {
		b.Queue("SELECT price FROM items WHERE id = 13") // want `SELECT price FROM items WHERE id = 13`
		var price int
		if err := tx.SendBatch(ctx, &b).QueryRow().Scan(&price); err != nil { // want `SELECT price FROM items WHERE id = 12`
			return err
		}
		_, err := tx.Exec(ctx, "INSERT INTO log (n) VALUES ($1)", price) // want `INSERT INTO log (n) VALUES ($1) (price)`
		return err
	})
}

// AnsweredPerhaps queues a statement under a condition: the second result is that of one or the other.
func AnsweredPerhaps(ctx context.Context, db *pgxpool.Pool, id int) error {
	return pgx.BeginFunc(ctx, db, func(tx pgx.Tx) error {
		var b pgx.Batch
		if id > 1 {
			b.Queue("DELETE FROM seen WHERE item = $1", id) // want `DELETE FROM seen WHERE item = $1 (id)`
		}
		b.Queue("UPDATE items SET price = 5 WHERE id = $1", id) // want `UPDATE items SET price = 5 WHERE id = $1 (id)`
		tag, err := tx.SendBatch(ctx, &b).Exec()
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, "INSERT INTO log (n) VALUES ($1)", tag.RowsAffected()) // want `INSERT INTO log (n) VALUES ($1) (affected)`
		return err
	})
}

// AnsweredInLoop queues in a loop, in front of a statement of its own.
func AnsweredInLoop(ctx context.Context, db *pgxpool.Pool, ids []int) error {
	return pgx.BeginFunc(ctx, db, func(tx pgx.Tx) error {
		var b pgx.Batch
		for _, id := range ids {
			b.Queue("DELETE FROM seen WHERE item = $1", id) // want `DELETE FROM seen WHERE item = $1 (element)`
		}
		b.Queue("UPDATE items SET price = 6") // want `UPDATE items SET price = 6`
		tag, err := tx.SendBatch(ctx, &b).Exec()
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, "INSERT INTO log (n) VALUES ($1)", tag.RowsAffected()) // want `INSERT INTO log (n) VALUES ($1) (affected)`
		return err
	})
}

// AnsweredInRows queues for each row, in front of a statement of its own.
func AnsweredInRows(ctx context.Context, db *pgxpool.Pool, id int) error {
	return pgx.BeginFunc(ctx, db, func(tx pgx.Tx) error {
		var b pgx.Batch
		rows, err := tx.Query(ctx, "SELECT item FROM seen") // want `rows of SELECT item FROM seen`
		if err != nil {
			return err
		}
		var item int
		if _, err := pgx.ForEachRow(rows, []any{&item}, func() error {
			b.Queue("DELETE FROM seen WHERE item = $1", item) // want `DELETE FROM seen WHERE item = $1 (item_3)`
			return nil
		}); err != nil {
			return err
		}
		b.Queue("UPDATE items SET price = 8") // want `UPDATE items SET price = 8`
		tag, err := tx.SendBatch(ctx, &b).Exec()
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, "INSERT INTO log (n) VALUES ($1)", tag.RowsAffected()) // want `INSERT INTO log (n) VALUES ($1) (affected)`
		return err
	})
}

// AnsweredLater takes results in a loop: which one it is says the round.
func AnsweredLater(ctx context.Context, db *pgxpool.Pool, id int) error {
	return pgx.BeginFunc(ctx, db, func(tx pgx.Tx) error {
		var b pgx.Batch
		b.Queue("UPDATE items SET price = 7 WHERE id = $1", id) // want `UPDATE items SET price = 7 WHERE id = $1 (id)`
		b.Queue("DELETE FROM seen WHERE item = $1", id)         // want `DELETE FROM seen WHERE item = $1 (id)`
		res := tx.SendBatch(ctx, &b)
		for range 2 {
			tag, err := res.Exec()
			if err != nil {
				return err
			}
			if _, err := tx.Exec(ctx, "INSERT INTO log (n) VALUES ($1)", tag.RowsAffected()); err != nil { // want `INSERT INTO log (n) VALUES ($1) (affected)`
				return err
			}
		}
		return res.Close()
	})
}

// CountsPointers counts rows of which only pointers are collected.
func CountsPointers(ctx context.Context, db *pgxpool.Pool) error {
	return pgx.BeginFunc(ctx, db, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, "SELECT id, title, price FROM items WHERE price > 1") // want `SELECT id, title, price FROM items WHERE price > 1`
		list, err := pgx.CollectRows(rows, pgx.RowToAddrOfStructByName[item])
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, "INSERT INTO log (n) VALUES ($1)", len(list)) // want `INSERT INTO log (n) VALUES ($1) (affected)`
		return err
	})
}

// CountsLonger counts the rows with an element that the list had.
func CountsLonger(ctx context.Context, db *pgxpool.Pool) error {
	return pgx.BeginFunc(ctx, db, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, "SELECT id FROM items WHERE price > 2") // want `SELECT id FROM items WHERE price > 2`
		list, err := pgx.AppendRows([]int{4}, rows, pgx.RowTo[int])
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, "INSERT INTO log (n) VALUES ($1)", len(list)) // want `INSERT INTO log (n) VALUES ($1) (len(v_1))`
		return err
	})
}

// drop takes a result.
func drop(res pgx.BatchResults) error {
	_, err := res.Exec()
	return err
}

// AnsweredBehind takes the second result behind a function that takes the first one.
func AnsweredBehind(ctx context.Context, db *pgxpool.Pool, id int) error {
	return pgx.BeginFunc(ctx, db, func(tx pgx.Tx) error {
		var b pgx.Batch
		b.Queue("DELETE FROM seen WHERE item = $1", id) // want `DELETE FROM seen WHERE item = $1 (id)`
		b.Queue("SELECT price FROM items WHERE id = 9") // want `SELECT price FROM items WHERE id = 9`
		res := tx.SendBatch(ctx, &b)
		if err := drop(res); err != nil {
			return err
		}
		var price int
		if err := res.QueryRow().Scan(&price); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, "INSERT INTO log (n) VALUES ($1)", price) // want `INSERT INTO log (n) VALUES ($1) (price)`
		return err
	})
}

// AnsweredElsewhere gives the results to a function that is not known.
func AnsweredElsewhere(ctx context.Context, db *pgxpool.Pool, id int, use func(pgx.BatchResults)) error {
	return pgx.BeginFunc(ctx, db, func(tx pgx.Tx) error {
		var b pgx.Batch
		b.Queue("SELECT price FROM items WHERE id = 10") // want `SELECT price FROM items WHERE id = 10`
		b.Queue("SELECT price FROM items WHERE id = 11") // want `SELECT price FROM items WHERE id = 11`
		res := tx.SendBatch(ctx, &b)
		use(res)
		var price int
		if err := res.QueryRow().Scan(&price); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, "INSERT INTO log (n) VALUES ($1)", price) // want `INSERT INTO log (n) VALUES ($1) (price)`
		return err
	})
}

// QueuedBefore fills a batch in a loop before the transaction begins.
func QueuedBefore(ctx context.Context, db *pgxpool.Pool, ids []int) error {
	var b pgx.Batch
	for _, id := range ids {
		b.Queue("DELETE FROM seen WHERE item = $1", id)
	}
	return pgx.BeginFunc(ctx, db, func(tx pgx.Tx) error {
		return tx.SendBatch(ctx, &b).Close() // want `unknown *: SendBatch of a batch that is not known`
	})
}

// SendsGiven sends a batch of its caller, of which nobody knows what it has.
func SendsGiven(ctx context.Context, db *pgxpool.Pool, b *pgx.Batch) error {
	return pgx.BeginFunc(ctx, db, func(tx pgx.Tx) error {
		return tx.SendBatch(ctx, b).Close() // want `unknown *: SendBatch of a batch that is not known`
	})
}

// QueuedLate sends with a context of its own: what is queued is sent where the batch is.
func QueuedLate(ctx context.Context, db *pgxpool.Pool, id int) error {
	return pgx.BeginFunc(ctx, db, func(tx pgx.Tx) error {
		waiting, cancel := context.WithCancel(ctx)
		defer cancel()
		var b, loop pgx.Batch
		b.Queue("UPDATE items SET price = 2 WHERE id = $1", id) // not here
		for range id {
			loop.Queue("DELETE FROM log")
		}
		tx.SendBatch(waiting, &b).Close()           // want `UPDATE items SET price = 2 WHERE id = $1 (id)`
		return tx.SendBatch(waiting, &loop).Close() // want `unknown *: SendBatch of a batch that is not known`
	})
}

// Copies insert any rows into a table, which may not be known.
func Copies(ctx context.Context, db *pgxpool.Pool, name string, rows [][]any) error {
	tx, err := db.Begin(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback(ctx)
	if _, err := tx.CopyFrom(ctx, pgx.Identifier{"items"}, []string{"id"}, pgx.CopyFromRows(rows)); err != nil { // want `INSERT INTO "items" ("id") VALUES ($1) (id)`
		return err
	}
	if _, err := tx.CopyFrom(ctx, pgx.Identifier{name}, []string{"id"}, pgx.CopyFromRows(rows)); err != nil { // want `unknown *: CopyFrom`
		return err
	}
	if _, err := tx.Exec(ctx, "DELETE FROM items WHERE id = @id AND title = @name", pgx.NamedArgs{"id": len(rows), "name": name}); err != nil { // want `DELETE FROM items WHERE id = @id AND title = @name (id: len(rows), name: name)`
		return err
	}
	return tx.Commit(ctx)
}

// pool is a type of the program's own that embeds the library's.
type pool struct {
	*pgxpool.Pool
	builder string
}

// store has a pool, and works on anything that begins transactions.
type store struct {
	db     *pool
	source interface {
		Begin(ctx context.Context) (pgx.Tx, error)
	}
}

// Embedded runs functions in transactions of a pool that is embedded, and of what nobody knows.
func (s *store) Embedded(ctx context.Context, id int) error {
	err := pgx.BeginFunc(ctx, s.db, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, "UPDATE items SET price = 2 WHERE id = $1", id) // want `UPDATE items SET price = 2 WHERE id = $1 (id)`
		return err
	})
	if err != nil {
		return err
	}
	return pgx.BeginFunc(ctx, s.source, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, "UPDATE items SET price = 3 WHERE id = $1", id) // want `UPDATE items SET price = 3 WHERE id = $1 (id)`
		return err
	})
}

// Below sends statements through the connection below that of pgx.
func Below(ctx context.Context, db *pgxpool.Pool, id []byte) error {
	c, err := db.Acquire(ctx)
	if err != nil {
		return err
	}
	defer c.Release()
	low := c.Conn().PgConn()
	if low.PID() == 0 {
		return nil
	}
	if _, err := low.Exec(ctx, "UPDATE items SET price = 0").ReadAll(); err != nil { // want `UPDATE items SET price = 0`
		return err
	}
	low.ExecParams(ctx, "DELETE FROM items WHERE id = $1", [][]byte{id}, nil, nil, nil) // want `DELETE FROM items WHERE id = $1`
	_, err = low.ExecPrepared(ctx, "clear", nil, nil, nil).Close()                      // want `…`
	return err
}
