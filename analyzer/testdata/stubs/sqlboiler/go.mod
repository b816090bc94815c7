module github.com/aarondl/sqlboiler/v4

go 1.24
