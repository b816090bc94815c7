package robust_test

import (
	"testing"

	"github.com/txrobust/robust"
	"github.com/txrobust/robust/report"
)

// TestNotValid: a check that is NOT VALID says nothing of the rows that are there, and refuses each
// row that is written and breaks it, also where an UPDATE sets none of its columns.
func TestNotValid(t *testing.T) {
	const broken, fine = "n = 77 AND m = 0", "n <> 77 AND m = 0"
	for _, tc := range []struct {
		name, check, rows, write string
		want                     report.Verdict
	}{
		{"other columns of rows that break it", "CHECK (n <> 77) NOT VALID", broken, "UPDATE c SET m = 2 WHERE id = b", robust.Robust},
		{"all rows satisfy it", "CHECK (n <> 77)", fine, "UPDATE c SET m = 2 WHERE id = b", robust.NotRobust},
		{"other columns of rows that satisfy it", "CHECK (n <> 77) NOT VALID", fine, "UPDATE c SET m = 2 WHERE id = b", robust.NotRobust},
		{"rows that are mended", "CHECK (n <> 77) NOT VALID", broken, "UPDATE c SET n = 7 WHERE id = b", robust.NotRobust},
		{"rows that break it after all", "CHECK (n <> 77) NOT VALID", fine, "UPDATE c SET n = 77 WHERE id = b", robust.Robust},
		{"another key", "CHECK (n <> 77) NOT VALID", broken, "UPDATE c SET id = -b WHERE id = b", robust.Robust},
		{"another key of a row that satisfies it", "CHECK (n <> 77) NOT VALID", fine, "UPDATE c SET id = -b WHERE id = b", robust.NotRobust},
		{"a new row that breaks it", "CHECK (n <> 77) NOT VALID", broken, "INSERT INTO c VALUES (b, 77, 0)", robust.Robust},
		{"a function that is not known", "CHECK (n <> 77 OR to_tsvector('simple', 'a') @@ 'a'::tsquery) NOT VALID", broken, "UPDATE c SET m = 2 WHERE id = b", robust.Unknown},
	} {
		t.Run(tc.name, func(t *testing.T) {
			rep := reportOf(t, `CREATE TABLE c (id int PRIMARY KEY, n int NOT NULL, m int NOT NULL);
ALTER TABLE c ADD CONSTRAINT ck `+tc.check+`;
CREATE FUNCTION f(a int, b int) RETURNS void LANGUAGE plpgsql AS $$ BEGIN
  IF EXISTS (SELECT 1 FROM c WHERE id = a AND `+tc.rows+`) THEN `+tc.write+`; END IF;
END $$;`, robust.Options{})
			if rep.Verdict != tc.want {
				t.Errorf("the verdict is %s, not %s: %+v", rep.Verdict, tc.want, rep.Open)
			}
		})
	}
}
