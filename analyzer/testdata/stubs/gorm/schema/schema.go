// Package schema has the naming options of GORM.
package schema

type NamingStrategy struct {
	TablePrefix   string
	SingularTable bool
	NoLowerCase   bool
}
