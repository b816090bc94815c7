module example.org/apart

go 1.25

require example.com/backoff v0.0.0

replace example.com/backoff => ../backoff

require example.com/manager v0.0.0

replace example.com/manager => ../manager
