module example.com/ledger

go 1.24

require github.com/go-gorp/gorp/v3 v3.0.0

replace github.com/go-gorp/gorp/v3 => ../../stubs/gorp
