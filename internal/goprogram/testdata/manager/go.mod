module example.com/manager

go 1.25
