package readapi

import (
	"strings"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/status"
	"github.com/stackreeve/stackreeve/internal/report"
)

// Index lists every object of a stack in short form, for clients that show many objects at the same time.
type Index struct {
	Version int         `json:"version"` // changes when one of the objects changes
	Kinds   []IndexKind `json:"kinds"`
	Objects []Entry     `json:"objects"`
}

// IndexKind is a kind, and the path for reading its objects.
type IndexKind struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Plural     string `json:"plural"`
}

// Entry is one object.
type Entry struct {
	Kind      int    `json:"k"` // index in [Index.Kinds]
	Name      string `json:"n"`
	Namespace string `json:"s,omitempty"` // the namespace in its manifest
	State     string `json:"t,omitempty"` // "" if it equals Sync
	Sync      string `json:"y"`
	Health    string `json:"h,omitempty"` // "" if healthy
	ID        string `json:"i,omitempty"`
	Addresses string `json:"a,omitempty"`
	Written   string `json:"w,omitempty"` // FILE:LINE
	Message   string `json:"m,omitempty"`
	Owner     int    `json:"o"` // index in [Index.Objects]; -1 if it has no owner
}

// Index returns the index of a stack. ok is false if there is no such stack.
func (s *Store) Index(stack string) (x Index, ok bool) {
	v, ok := s.at(stack).views[stack]
	if !ok || stack == everywhere || stack == removed {
		return x, false
	}
	x = Index{Version: max(s.begun, v.lost), Kinds: []IndexKind{}, Objects: []Entry{}}
	for gvk, version := range v.gone {
		if !isOwn(gvk) {
			x.Version = max(x.Version, version)
		}
	}
	at, owners := map[owner]int{}, []owner{}
	for _, r := range s.resources() {
		if isOwn(r.GroupVersionKind) || len(v.items[r.GroupVersionKind]) == 0 {
			continue
		}
		for _, i := range v.items[r.GroupVersionKind] {
			at[owner{i.gvk, i.id()}] = len(x.Objects)
			x.Version = max(x.Version, i.version)
			x.Objects, owners = append(x.Objects, i.entry.at(len(x.Kinds))), append(owners, i.owner)
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

// entryOf returns the entry of an object, without the index of its kind.
func entryOf(o status.Object, written string) Entry {
	s := o.Status
	e := Entry{Name: report.Clean(o.Metadata.Name), Namespace: o.Metadata.Namespace, Sync: report.Clean(string(s.Sync)),
		ID: report.Clean(s.ID), Addresses: report.Clean(strings.Join(s.Addresses, ",")), Written: written, Message: report.Clean(s.Message)}
	if s.State != s.Sync {
		e.State = report.Clean(string(s.State))
	}
	if s.Health != status.HealthGood {
		e.Health = report.Clean(string(s.Health))
	}
	return e
}

// at returns the entry with the index of its kind.
func (e Entry) at(kind int) Entry {
	e.Kind = kind
	return e
}

// Version returns the version of the store, and a channel that is closed when the version changes. ended is true if the version will not
// change any more.
func (s *Store) Version() (version int, changed <-chan struct{}, ended bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.version, s.changed, s.closed
}
