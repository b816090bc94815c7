module github.com/txrobust/robust

go 1.26
