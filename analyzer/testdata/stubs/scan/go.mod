module example.org/scan

go 1.24
