package manifest

import (
	"bytes"
	"cmp"
	"slices"
)

// Options says what the caller knows and how much may be read. A limit of 0 is its default.
type Options struct {
	Kinds       []GroupVersionKind // kinds that an object may have, those of alias groups included.
	LeaveAlone  []GroupVersionKind // kinds that are known and are not objects of a stack; their documents are ignored.
	Aliases     map[string]string  // alias group to canonical group, for Key.Group.
	Annotations []string           // known annotations; others with the same prefix are problems.

	MaxFileBytes  int64 // default 4 MiB.
	MaxTotalBytes int64 // default 64 MiB.
	MaxEntries    int   // files and folders seen, read or not; default 100,000.
	MaxFiles      int   // files read; default 20,000.
	MaxDocuments  int   // documents and list items of the whole load; default 50,000.
	MaxNodes      int   // values of the whole load, aliases expanded; default 1,000,000.
	MaxPerObject  int   // values of one object, aliases expanded; default 100,000.
	MaxDepth      int   // nesting of a document, and of folders; default 100.
	MaxAliases    int   // aliases in a document, expanded; default 1,000.

	// Holding, when set, limits the load to documents that contain one of these texts. Files without such a document are not
	// reported as ignored. Only exceeded limits are problems, because other documents with such a text are of kinds that the
	// caller does not know.
	Holding []string
	// TooMuch is the advice when a limit of the whole load is reached; default "split the stack".
	TooMuch string
	// Unknown is further advice on kinds that known groups do not have, by the groups.
	Unknown map[string]string
	// Each, when set, is called with every object as it is found; the objects are in no list then. It is also called with an
	// object whose problems are already reported. An object that Each releases (see [Object.Release]) does not stay in memory.
	Each func(*Object)
	// Stop, when set, is called before each file, document and list item. Its error ends the load, which then returns nothing
	// else.
	Stop func() error
}

// Defaults of Options that callers use.
const (
	DefaultFileBytes  = 4 << 20
	DefaultTotalBytes = 64 << 20
	DefaultNodes      = 1_000_000
)

func (o Options) withDefaults() Options {
	o.MaxFileBytes = cmp.Or(o.MaxFileBytes, DefaultFileBytes)
	o.MaxTotalBytes = cmp.Or(o.MaxTotalBytes, DefaultTotalBytes)
	o.MaxEntries = cmp.Or(o.MaxEntries, 100_000)
	o.MaxFiles = cmp.Or(o.MaxFiles, 20_000)
	o.MaxDocuments = cmp.Or(o.MaxDocuments, 50_000)
	o.MaxNodes = cmp.Or(o.MaxNodes, DefaultNodes)
	o.MaxPerObject = cmp.Or(o.MaxPerObject, 100_000)
	o.MaxDepth = cmp.Or(o.MaxDepth, 100)
	o.MaxAliases = cmp.Or(o.MaxAliases, 1_000)
	o.TooMuch = cmp.Or(o.TooMuch, "split the stack")
	return o
}

func (o Options) holds(text []byte) bool {
	return slices.ContainsFunc(o.Holding, func(word string) bool { return bytes.Contains(text, []byte(word)) })
}
