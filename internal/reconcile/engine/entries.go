package engine

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/memory"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// A stack has a main entry of clouds.yaml and may have further ones. The agent uses the credentials of a further entry for
// objects whose manifests name that entry. A place is one kind in one entry. Each place is listed separately. The lists of
// all places of one kind are joined, so the planner sees one collection.

// Entry is a further entry of clouds.yaml.
type Entry struct {
	Name string
	// Open logs in. If it fails, the next pass or plan calls it again.
	Open func(context.Context) (Access, error)
}

// Access is the access to the cloud through one entry.
type Access struct {
	Kinds []*kind.Kind
	// Realm returns the scope within which the IDs of a kind are unique; nil if all entries share them.
	Realm func(kind.Info) string
}

// openTime bounds how long the logins may take, since the main entry waits for them.
const openTime = 30 * time.Second

// entries has the results of the logins through further entries. Passes write it while Trace reads it.
type entries struct {
	mu   sync.Mutex
	open map[string]Access
	errs map[string]error
}

// logIn opens the entries that are not open yet.
func (e *Engine) logIn(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, openTime)
	defer cancel()
	var group errgroup.Group
	group.SetLimit(e.parallelism())
	for _, entry := range e.Entries {
		if _, open := e.access(entry.Name); open {
			continue
		}
		group.Go(func() error {
			access, err := entry.Open(ctx)
			e.entries.note(entry.Name, access, err)
			if err != nil && ctx.Err() == nil {
				e.log().Warn("the entry of clouds.yaml cannot be used", "entry", entry.Name, "error", err)
			}
			return nil
		})
	}
	_ = group.Wait() // the functions never fail
}

func (x *entries) note(name string, access Access, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.open == nil {
		x.open, x.errs = map[string]Access{}, map[string]error{}
	}
	if x.errs[name] = err; err == nil {
		x.open[name] = access
	}
}

// access returns the access of an entry. open is false if no login has succeeded yet.
func (e *Engine) access(entry string) (a Access, open bool) {
	if entry == "" {
		return Access{Kinds: e.Kinds, Realm: e.Realm}, true
	}
	e.entries.mu.Lock()
	defer e.entries.mu.Unlock()
	a, open = e.entries.open[entry]
	return a, open
}

// loginError returns why an entry could not log in.
func (e *Engine) loginError(entry string) error {
	e.entries.mu.Lock()
	defer e.entries.mu.Unlock()
	if err := e.entries.errs[entry]; err != nil {
		return err
	}
	return errNotTried
}

var errNotTried = errors.New("the agent has not logged in yet")

// entryNames returns the names of all entries, the main one first.
func (e *Engine) entryNames() []string {
	names := make([]string, 1, 1+len(e.Entries))
	for _, entry := range e.Entries {
		names = append(names, entry.Name)
	}
	return names
}

// driver returns the driver of a place. It is nil if the entry is not open, or if the kind has no objects in the cloud.
func (e *Engine) driver(p memory.Place) *kind.Driver {
	access, _ := e.access(p.Entry)
	if k := kindNamed(access.Kinds, p.Kind); k != nil {
		return k.Driver
	}
	return nil
}

func kindNamed(kinds []*kind.Kind, name string) *kind.Kind {
	for _, k := range kinds {
		if k.Info.Kind == name {
			return k
		}
	}
	return nil
}

// snapshot joins, for each kind in fresh, the lists of all its places. A place that is not in fresh keeps its list from
// before.
func (e *Engine) snapshot(fresh map[memory.Place]kind.Shown, before kind.Snapshot, want []kind.Desired) kind.Snapshot {
	prefer := e.preferred(want)
	out := kind.Snapshot{}
	for at := range fresh {
		if _, done := out[at.Kind]; !done {
			out[at.Kind] = e.joined(at.Kind, fresh, before[at.Kind].Parts, prefer)
		}
	}
	return out
}

func (e *Engine) joined(name string, fresh map[memory.Place]kind.Shown, before []kind.Shown, prefer func(*kind.Live) (string, bool)) kind.Collection {
	if len(e.Entries) == 0 {
		shown := fresh[memory.Place{Kind: name}]
		return kind.Collection{Items: shown.Items, Index: shown.Index, Err: shown.Err, Refused: shown.Refused}
	}
	parts := []kind.Shown{}
	for _, entry := range e.entryNames() {
		if shown, asked := fresh[memory.Place{Kind: name, Entry: entry}]; asked {
			parts = append(parts, shown)
		} else if i := slices.IndexFunc(before, func(p kind.Shown) bool { return p.Entry == entry }); i >= 0 {
			parts = append(parts, before[i])
		}
	}
	return mergeLists(parts, prefer)
}

// preferred returns a function that returns, for an object, the entry of the manifest that the object belongs to. If
// several entries show the object, the view of that entry is used.
func (e *Engine) preferred(want []kind.Desired) func(*kind.Live) (string, bool) {
	if len(e.Entries) == 0 {
		return nil
	}
	owners, imports := map[string]string{}, map[string]string{}
	for i := range want {
		d := &want[i]
		if d.Virtual || d.Unmanaged {
			continue
		}
		for _, key := range d.From {
			owners[ownertext.Of(e.Stack, key)] = d.Entry
		}
		if d.Import != nil && d.Import.ID != "" {
			imports[d.Import.ID] = d.Entry
		}
	}
	for i := range want {
		if d := &want[i]; !d.Virtual && !d.Unmanaged {
			owners[ownertext.Of(e.Stack, d.Key)] = d.Entry
		}
	}
	return func(l *kind.Live) (entry string, ok bool) {
		for _, owner := range l.Mark.Owners() {
			if entry, ok = owners[owner]; ok {
				return entry, true
			}
		}
		entry, ok = imports[l.ID]
		return entry, ok
	}
}

// placesOf returns the places of a kind that are listed again while a pass runs, for one of these reasons:
//
// - A manifest names the place.
// - The stack owns an object there, or the pass wrote one there.
// - The place also shows an object that was written through another entry.
// - The last list failed.
//
// The other places keep their lists.
func (e *Engine) placesOf(name string, c kind.Collection, asked map[memory.Place]bool, wrote map[string]bool) []memory.Place {
	if len(e.Entries) == 0 {
		return []memory.Place{{Kind: name}}
	}
	var list []memory.Place
	for _, part := range c.Parts {
		at := memory.Place{Kind: name, Entry: part.Entry}
		if asked[at] || wrote[part.Entry] || part.Err != nil && !part.Closed && !part.Refused || part.Err == nil && (e.ownsThrough(at, c) || e.showsWritten(at, c, wrote)) {
			list = append(list, at)
		}
	}
	return list
}

// ownsThrough reports whether the stack owns an object that is seen through this place.
// An object that several entries show is seen through one of them.
func (e *Engine) ownsThrough(at memory.Place, c kind.Collection) bool {
	for l := range c.Indexed().Bearing(ownertext.Begin(e.Stack)) {
		if l.Entry == at.Entry && e.owns(at.Kind, l) {
			return true
		}
	}
	return false
}

// showsWritten reports whether a place shows an object of the stack that may have been written through another entry. If
// so, the list of that place is out of date.
func (e *Engine) showsWritten(at memory.Place, c kind.Collection, wrote map[string]bool) bool {
	for l := range c.Indexed().Bearing(ownertext.Begin(e.Stack)) {
		if wrote[l.Entry] && len(l.OtherViews) > 0 && l.SeenBy(at.Entry) != nil && e.owns(at.Kind, l) {
			return true
		}
	}
	return false
}

// driverFor returns the driver of an entry, and the object of a step as the login of the entry sees it, if it has seen it.
func (e *Engine) driverFor(s *plan.Step, entry string) (drv *kind.Driver, have *kind.Live) {
	if have = s.Have; have != nil {
		have = cmp.Or(have.SeenBy(entry), have)
	}
	return e.driver(memory.Place{Kind: s.Key.Kind, Entry: entry}), have
}

// entryAttr returns the log attribute for the entry of a place. The main entry has none.
func entryAttr(at memory.Place) []any {
	if at.Entry == "" {
		return nil
	}
	return []any{"entry", at.Entry}
}
