module example.org/apart

go 1.24
