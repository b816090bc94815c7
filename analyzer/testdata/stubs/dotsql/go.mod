module github.com/qustavo/dotsql

go 1.24
