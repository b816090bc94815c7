// Package config reads robust.yaml, which has values of flags for the
// application in its folder and below. Its keys are names of flags; what they
// mean is for the commands that have these flags.
package config
