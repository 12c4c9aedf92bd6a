package manifest

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/stackreeve/stackreeve/internal/natural"
	"github.com/stackreeve/stackreeve/internal/printable"
)

// DefaultNamespace is the namespace of an object whose manifest has no metadata.namespace.
const DefaultNamespace = "default"

// GroupVersionKind names a kind at one version. The core group is "".
type GroupVersionKind struct {
	Group, Version, Kind string
}

// APIVersion returns the form that documents have: "group/version", or "v1" for the core group.
func (g GroupVersionKind) APIVersion() string {
	if g.Group == "" {
		return g.Version
	}
	return g.Group + "/" + g.Version
}

// Key identifies an object within a stack. Group is canonical: it is never an alias group.
type Key struct {
	Group, Kind, Namespace, Name string
}

// String returns the key as people write it: "Network/front", or "Network/blue/front" outside the default namespace. A
// part that is not a single word, and therefore wrong, is in quotes.
func (k Key) String() string {
	kind := k.Kind
	if kind != "" {
		kind = printable.Name(kind)
	}
	switch {
	case k.Name == "":
		return kind
	case k.Namespace == "" || k.Namespace == DefaultNamespace:
		return kind + "/" + printable.Name(k.Name)
	}
	return kind + "/" + printable.Name(k.Namespace) + "/" + printable.Name(k.Name)
}

// Compare orders keys by group, kind, namespace and name. Numbers in names are compared as numbers.
func (k Key) Compare(o Key) int {
	return cmp.Or(cmp.Compare(k.Group, o.Group), cmp.Compare(k.Kind, o.Kind),
		natural.Compare(k.Namespace, o.Namespace), natural.Compare(k.Name, o.Name))
}

func (k Key) normal() Key {
	if k.Namespace == "" {
		k.Namespace = DefaultNamespace
	}
	return k
}

// Origin is a place in a file. Line counts from 1; 0 means the whole file.
type Origin struct {
	File string
	Line int
}

// String returns "dir/a.yaml:12". A file name that is not a single word is in quotes.
func (o Origin) String() string {
	file := o.File
	if file != "" {
		file = printable.Name(file)
	}
	if o.Line == 0 {
		return file
	}
	return file + ":" + strconv.Itoa(o.Line)
}

// Compare orders places by file, then line.
func (o Origin) Compare(p Origin) int {
	return cmp.Or(natural.Compare(o.File, p.File), cmp.Compare(o.Line, p.Line))
}

// Listed returns the first few keys as text, and the number of the remaining keys.
func Listed(keys []Key) string {
	const most = 3
	var b strings.Builder
	for i, key := range keys {
		switch {
		case i == most:
			fmt.Fprintf(&b, " and %d more", len(keys)-most)
			return b.String()
		case i > 0:
			b.WriteString(", ")
		}
		b.WriteString(key.String())
	}
	return b.String()
}
