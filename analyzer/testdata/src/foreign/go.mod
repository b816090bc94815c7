module example.com/foreign

go 1.24

require (
	example.org/scan v0.0.0
	github.com/prometheus/client_golang v1.0.0
)

replace (
	example.org/scan => ../../stubs/scan
	github.com/prometheus/client_golang => ../../stubs/prometheus
)
