// Package migrate knows gormigrate and goose: functions that are registered with them as
// migrations run alone, before the program does its work.
package migrate
