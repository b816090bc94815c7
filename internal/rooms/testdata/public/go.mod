module example.org/public

go 1.26.0
