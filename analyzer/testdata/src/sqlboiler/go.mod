module example.com/shop

go 1.24

require github.com/aarondl/sqlboiler/v4 v4.19.5

replace github.com/aarondl/sqlboiler/v4 => ../../stubs/sqlboiler
