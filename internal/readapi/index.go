package readapi

import "github.com/stackreeve/stackreeve/internal/manifest"

// Index is every object of a stack in a few words, for those who show many at a time.
type Index struct {
	Version int         `json:"version"` // changes when one of the objects does
	Kinds   []IndexKind `json:"kinds"`
	Objects []Entry     `json:"objects"`
}

// IndexKind is a kind, and where its objects are read.
type IndexKind struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Plural     string `json:"plural"`
}

// Entry is one object.
type Entry struct {
	Kind      int    `json:"k"` // its place among [Index.Kinds]
	Name      string `json:"n"`
	Namespace string `json:"s,omitempty"` // of its manifest
	State     string `json:"t"`
	ID        string `json:"i,omitempty"`
	Addresses string `json:"a,omitempty"`
	Written   string `json:"w,omitempty"` // FILE:LINE
	Message   string `json:"m,omitempty"`
	Owner     int    `json:"o"` // its place among [Index.Objects]; -1 when nothing owns it
}

// Index is that of a stack; ok is false when there is no such stack.
func (s *Store) Index(stack string) (x Index, ok bool) {
	v, ok := s.at(stack).views[stack]
	if !ok || stack == everywhere {
		return x, false
	}
	x = Index{Version: s.begun, Kinds: []IndexKind{}, Objects: []Entry{}}
	for gvk, version := range v.gone {
		if !ours(gvk) {
			x.Version = max(x.Version, version)
		}
	}
	at, owners := map[owner]int{}, []owner{}
	for _, r := range s.resources() {
		if ours(r.GroupVersionKind) || len(v.items[r.GroupVersionKind]) == 0 {
			continue
		}
		for _, i := range v.items[r.GroupVersionKind] {
			at[owner{i.gvk, i.id()}] = len(x.Objects)
			x.Version = max(x.Version, i.version)
			x.Objects, owners = append(x.Objects, i.entry(len(x.Kinds))), append(owners, i.owner)
		}
		x.Kinds = append(x.Kinds, IndexKind{r.APIVersion(), r.Kind, r.plural})
	}
	for n, of := range owners {
		x.Objects[n].Owner = -1
		if place, known := at[of]; known && of.gvk != (manifest.GroupVersionKind{}) {
			x.Objects[n].Owner = place
		}
	}
	return x, true
}

// entry says what the row of a table does; see [cells].
func (i item) entry(kind int) Entry {
	cell := func(n int) string {
		if n >= len(i.cells) {
			return ""
		}
		text, _ := i.cells[n].(string) // each is one
		return text
	}
	return Entry{Kind: kind, Name: cell(0), Namespace: i.labels[namespaceLabel], State: cell(1), ID: cell(3), Addresses: cell(4), Written: cell(5), Message: cell(6)}
}

// Now is the version, and what is closed when there is another one or, with ended, none any more.
func (s *Store) Now() (version int, changed <-chan struct{}, ended bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.version, s.changed, s.closed
}
