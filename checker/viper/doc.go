// Package viper decides levels of snapshots.
package viper
