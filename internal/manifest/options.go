package manifest

import (
	"bytes"
	"cmp"
	"slices"
)

// Options contains the kinds that the caller knows, and limits of the load. A limit of 0 means its default.
type Options struct {
	Kinds       []GroupVersionKind // kinds that an object may have, including those of alias groups.
	LeaveAlone  []GroupVersionKind // kinds that are known but are not objects of a stack; their documents are ignored.
	Aliases     map[string]string  // from alias group to canonical group, for Key.Group.
	Annotations []string           // known annotations; an unknown annotation with the same prefix is a problem.

	MaxFileBytes  int64 // default 4 MiB.
	MaxTotalBytes int64 // default 64 MiB.
	MaxEntries    int   // number of files and folders, read or not; default 100,000.
	MaxFiles      int   // number of files that are read; default 20,000.
	MaxDocuments  int   // number of documents and list items in the whole load; default 50,000.
	MaxNodes      int   // number of values in the whole load, aliases expanded; default 1,000,000.
	MaxPerObject  int   // number of values in one object, aliases expanded; default 100,000.
	MaxDepth      int   // depth of a document, and of folders; default 100.
	MaxAliases    int   // number of aliases in a document, expanded; default 1,000.

	// Schemas returns the type of the documents of a kind, by which layers are merged and values are put in. It is nil if no type is known.
	Schemas func(group, kind string) Type
	// Values are put into objects: see [Values]. Substitute is the annotation that says where. nil puts none. Objects of the
	// kinds in Verbatim stay as they are, because they contain expressions of their own. The names of values that objects use are added to Used.
	Values     Values
	Substitute string
	Verbatim   []string
	Used       map[string]bool
	// Holding, if set, limits the load to documents that contain one of these texts. Files without such a document are not
	// reported as ignored. Only exceeded limits are problems, because other documents with such a text are of kinds that the
	// caller does not know.
	Holding []string
	// TooMuch is the advice if a limit of the whole load is reached. The default is "split the stack".
	TooMuch string
	// Unknown contains additional advice about unknown kinds of known groups, by group.
	Unknown map[string]string
	// Each, if set, is called with every object as soon as it is found, and the result then contains no objects. It is also
	// called with an object whose problems are already reported. An object that Each releases (see [Object.Release]) does not
	// stay in memory.
	Each func(*Object)
	// Decryption says how encrypted files are read.
	Decryption Decryption
	// Stop, if set, is called before each file, document and list item. If it returns an error, the load ends and returns only
	// this error.
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

// schema returns the type of the documents of an object's kind. It is zero if the type is unknown.
func (o Options) schema(key Key) Type {
	if o.Schemas == nil {
		return Type{}
	}
	return o.Schemas(key.Group, key.Kind)
}
