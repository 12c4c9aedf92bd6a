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

// A stack has a main entry of clouds.yaml, and may have further ones, through which objects
// are made whose manifests name them. What is listed and written is a place: a kind, by an
// entry. What the places of one kind show is joined: the planner sees one collection.

// Entry is a further entry of clouds.yaml.
type Entry struct {
	Name string
	// Open logs in. It is called again by the next pass or plan where it fails.
	Open func(context.Context) (Access, error)
}

// Access is what an entry gives access to.
type Access struct {
	Kinds []*kind.Kind
	// Realm says within what the IDs of a kind are unique; nil where all entries share them.
	Realm func(kind.Info) string
}

// openTime bounds how long the entries may take to log in: the main one waits for them.
const openTime = 30 * time.Second

// entries are those that were tried. Passes write it, and Trace reads it meanwhile.
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
			if err != nil && e.Log != nil && ctx.Err() == nil {
				e.Log.Warn("the entry of clouds.yaml cannot be used", "entry", entry.Name, "error", err)
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

// access is what an entry gives access to; open is false where it could not log in.
func (e *Engine) access(entry string) (a Access, open bool) {
	if entry == "" {
		return Access{Kinds: e.Kinds, Realm: e.Realm}, true
	}
	e.entries.mu.Lock()
	defer e.entries.mu.Unlock()
	a, open = e.entries.open[entry]
	return a, open
}

// closed is why an entry could not log in.
func (e *Engine) closed(entry string) error {
	e.entries.mu.Lock()
	defer e.entries.mu.Unlock()
	if err := e.entries.errs[entry]; err != nil {
		return err
	}
	return errNotTried
}

var errNotTried = errors.New("nobody has logged in yet")

// entryNames are all entries, the main one first.
func (e *Engine) entryNames() []string {
	names := make([]string, 1, 1+len(e.Entries))
	for _, entry := range e.Entries {
		names = append(names, entry.Name)
	}
	return names
}

// driver is nil for a place that is not open, or has nothing in the cloud.
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

// snapshot joins what places show. Of those that were not asked now it is what they showed
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
		return kind.Collection{Items: shown.Items, Err: shown.Err}
	}
	parts := []kind.Shown{}
	for _, entry := range e.entryNames() {
		if shown, asked := fresh[memory.Place{Kind: name, Entry: entry}]; asked {
			parts = append(parts, shown)
		} else if i := slices.IndexFunc(before, func(p kind.Shown) bool { return p.Entry == entry }); i >= 0 {
			parts = append(parts, before[i])
		}
	}
	return join(parts, prefer)
}

// preferred says by the manifest that an object stands for through which entry it is seen.
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

// placesOf are where a kind is listed again while a pass runs: where manifests ask for it,
// where the stack has something or the pass wrote, where what it wrote is shown as well, and where it could not be seen. The
// other places go on showing what they did.
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

// ownsThrough reports whether the stack has an object at a place that is seen by no entry
// which is preferred to that.
func (e *Engine) ownsThrough(at memory.Place, c kind.Collection) bool {
	return slices.ContainsFunc(c.Items, func(l kind.Live) bool {
		return l.Through == at.Entry && e.owns(at.Kind, &l)
	})
}

// showsWritten reports whether a place shows an object of the stack that may have been written through another entry: what it
// showed of that is out of date.
func (e *Engine) showsWritten(at memory.Place, c kind.Collection, wrote map[string]bool) bool {
	return slices.ContainsFunc(c.Items, func(l kind.Live) bool {
		return wrote[l.Through] && len(l.Also) > 0 && l.As(at.Entry) != nil && e.owns(at.Kind, &l)
	})
}

// at is what a step is carried out with: the driver of an entry, and the object as it is
// seen there.
func (e *Engine) at(s *plan.Step, entry string) (drv *kind.Driver, have *kind.Live) {
	if have = s.Have; have != nil {
		have = cmp.Or(have.As(entry), have)
	}
	return e.driver(memory.Place{Kind: s.Key.Kind, Entry: entry}), have
}

// attr names the entry of a place in the log; the main one is not named.
func attr(at memory.Place) []any {
	if at.Entry == "" {
		return nil
	}
	return []any{"entry", at.Entry}
}
