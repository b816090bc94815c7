package schema

// RangeBounds are the functions that make ranges, with the types of the ends.
var RangeBounds = map[string]Type{
	"int4range": TInt, "int8range": TInt, "numrange": TNumeric, "tsrange": TStamp, "tstzrange": TStamp, "daterange": TDate,
}
