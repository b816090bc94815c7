package sql

import "context"

type mode interface{ Mode() string }

type plain struct{}

func (plain) Mode() string { return "plain" }

type several []string

func (several) Mode() string { return "several" }

// TakeEmpty takes no lock: an interface with an empty struct in it is not nil.
func (s *Shelf) TakeEmpty(ctx context.Context, name string) error {
	var m mode = plain{}
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if m == nil {
		if _, err := tx.ExecContext(ctx, "SELECT name FROM names WHERE name = $1 FOR UPDATE", name); err != nil {
			return err
		}
	}
	if err := s.insert(ctx, tx, name); err != nil {
		return err
	}
	return tx.Commit()
}

// TakeNone takes no lock: an interface with an empty slice, or a nil pointer, in it is not nil.
func (s *Shelf) TakeNone(ctx context.Context, name string) error {
	var m mode = several(nil)
	var p *plain
	var q any = p
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if m == nil || q == nil {
		if _, err := tx.ExecContext(ctx, "SELECT name FROM names WHERE name = $1 FOR UPDATE", name); err != nil {
			return err
		}
	}
	if err := s.insert(ctx, tx, name); err != nil {
		return err
	}
	return tx.Commit()
}

// TakeAsserted takes no lock: an empty struct has the methods of its type.
func (s *Shelf) TakeAsserted(ctx context.Context, name string) error {
	var q any = plain{}
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, ok := q.(mode); !ok {
		if _, err := tx.ExecContext(ctx, "SELECT name FROM names WHERE name = $1 FOR UPDATE", name); err != nil {
			return err
		}
	}
	if err := s.insert(ctx, tx, name); err != nil {
		return err
	}
	return tx.Commit()
}

// TakePerhaps takes the lock where there is no mode.
func (s *Shelf) TakePerhaps(ctx context.Context, name string, how int) error {
	var m mode
	switch how {
	case 1:
		m = plain{}
	case 2:
		m = several(nil)
	}
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if m == nil {
		if _, err := tx.ExecContext(ctx, "SELECT name FROM names WHERE name = $1 FOR UPDATE", name); err != nil {
			return err
		}
	}
	if err := s.insert(ctx, tx, name); err != nil {
		return err
	}
	return tx.Commit()
}
