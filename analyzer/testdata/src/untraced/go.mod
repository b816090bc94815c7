module example.com/untraced

go 1.22
