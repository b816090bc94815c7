module example.org/apart

go 1.24

require example.com/backoff v0.0.0

replace example.com/backoff => ../backoff
