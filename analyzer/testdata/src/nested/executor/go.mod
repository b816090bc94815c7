module nested.test/executor

go 1.24
