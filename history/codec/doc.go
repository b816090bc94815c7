// Package codec reads and writes recorded histories in the formats of other
// tools, and in a compact one of its own.
//
// Read takes a file, a folder, or the files of the sessions of a history; it finds
// the format in the content, and decompresses gzip. Everything is read as a
// stream. A mistake has its file, line and column, or the offset in a binary file,
// and says what was expected (Error). A recording without a transaction is a mistake. Write and Save write, and say what a
// format could not hold: a history that was written without a loss reads back as
// the same history.
//
// # Formats
//
//	plume       text of Plume (C4) and of PolySI              read, written
//	awdit       test format of AWDIT                          read, written
//	dbcop       binary format of dbcop (history.bincode)      read, written
//	dbcop-json  JSON of dbcop                                 read
//	dbcop-text  text of dbcop                                 read
//	dbcop-yaml  YAML of dbcop                                 read
//	cobra       logs of Cobra, a folder of T<n>.log           read, written
//	viper       logs of Viper, a folder of J<n>.log           read, written
//	edn         EDN of Jepsen and Elle                        read, written
//	elle-json   the same as JSON, for elle-cli                read
//	jepsen-log  the lines that Jepsen logs                    read
//	chronos     JSON of Chronos, with stamps of the database  read
//	compact     the format below                              read, written
//
// Each reader's documentation describes its format, as its tool and its
// recorded histories show it.
//
// # What is not as it looks
//
// The formats differ in what they leave unsaid. This is how it is read:
//
//   - Initial values. 0 in plume and dbcop, null or nil elsewhere, is the value that a
//     key has before it is written. Where a first transaction, alone in its session,
//     writes nothing else, it is the initial one; in awdit, where no value is special,
//     and in files of dbcop that PolySI converted, if it writes every key. Logs of Viper that begin on loaded tables read values
//     that nobody wrote: where these are very many and one per key, they are initial
//     values, and the history has a note about it (Options.Strict forbids that).
//   - Aborted transactions. In plume they have the number -1, without a border: those
//     that follow each other in a session are one. dbcop has events that failed:
//     they are an aborted transaction of their own. Cobra, Viper and AWDIT have none.
//   - Unknown outcomes. Only edn, elle-json, jepsen-log and compact have them, and Cobra
//     where a log was cut off. For other formats such a transaction is written as
//     committed if somebody read its writes, and otherwise left out, which changes
//     no verdict. Where it is open whether somebody did, a verdict may change
//     (Format.Doubts). A compare-and-set of Jepsen reads what it expects, whatever its
//     outcome; a transaction of unknown outcome reads what its completion says it did.
//   - Identity of versions. Cobra has write ids. Where a workload has none, they are
//     one constant, and values decide.
//   - Real time. Invocations and completions of Jepsen are ordered by their lines,
//     whatever :time says. A recording of completions alone has no order. Stamps of
//     Chronos are those of the database, not of clients.
//   - Completions. What succeeded has the operations, keys and written values of its
//     invocation: another completion is a mistake.
//   - Strings. The get, put and append of Knossos and Porcupine are reads and writes of
//     registers: an append read and wrote what the strings show that others got.
//   - Kinds of objects. In edn a read of nil may be of a register or of a list, and an
//     add may be to a set or a counter: what else is done with the key decides.
//     Operations of Jepsen that are no transactions become some: a cas reads and
//     writes, acquire and release are a cas of a mutex, a transfer between accounts
//     increments two counters whose initial values are not known.
//
// # The compact format
//
// For collectors, and for histories of 10⁸ operations: a stream of records that
// can be appended to, a few bytes per operation, with a checksum. It holds
// everything that a History has, but for places in other files.
//
// A file is the eight bytes 89 'r' 'b' 'h' 0d 0a 1a 0a, the version 01, and records.
// Numbers are base 128, least significant first (varint); signed ones are
// zigzag. Texts are a length and bytes. A name is its kind (0 nil, 1 integer, 2 string,
// 3 keyword, 4 other EDN) and a signed number or a text. A record is a letter and:
//
//	'K' name                 the next key, from 0
//	'V' name                 the next name of a value, from 0
//	'S' name                 the next session, from 0
//	'O' byte                 stamps are 1 of clients, 2 of the database
//	'N' text                 a note
//	'I' key value            an initial value
//	'T' session flags …      a transaction, the next of its session
//	'E' transactions operations checksum
//
// Keys, names and sessions are defined before they are used. A value is the number
// 0 if not known, 1 if Initial, 2+2n for the name n, and 3+2z for an integer
// whose zigzag is z.
//
// The flags of a transaction are one byte: 0 committed, 1 aborted or 2 unknown, plus
// 4, 8, 16, 32, 64, 128 if it has a number, a begin, an end, a clock time of the
// begin, one of the end, a label. These follow in that order, numbers as signed
// differences to the last of their sort, then the number of operations, and these:
// a byte for the kind (history.Kind, plus 128 if the version has an identity), the
// key unless it is a range, the identity, and the value. Instead of it a list has 0 if
// not known, or else 1 plus its length, how many elements it has in common with the
// list of that key before, and the other elements; a range has 0 if not known,
// or else 1, two bounds, and twice a number of rows of key and value, the live and the
// dead ones.
//
// The end has the number of transactions, with the initial one, and of operations,
// without its, and then four bytes, least significant first: the CRC-32C of
// everything before them.
//
// # Limits
//
// A line or string has at most 64 MB, nested values at most 200 levels. Keys and values
// of plume, awdit, dbcop and cobra are integers of 64 bits. Jepsen's independent
// keys, and its generators' operations that are in none of the workloads above, are
// mistakes. The polygraphs of Cobra are no histories.
package codec
