package readapi

import (
	"slices"
	"sync"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/report"
)

// Store holds what the last run of every stack found. It is a sink.
type Store struct {
	names []string
	kinds []kind.Kind
	begun int // versions of other processes are smaller
	files map[string]func(commit string) string

	writing sync.Mutex // for each change as a whole, beside mu

	mu      sync.Mutex
	views   map[string]view
	defined []resource // that have a definition
	version int
	changed chan struct{} // closed when something changes
	closed  bool
}

// view is what is shown of one stack. It is not changed any more once it is shown.
type view struct {
	items  map[manifest.GroupVersionKind][]item
	events []report.Event
	passes []pass
	last   *found // nil before the first pass
	gone   int    // the version at which something went last
	since  string // when the process began
	runs   int    // how many have ended
	stack  draft  // of the last run, without what goes on now
	plan   *draft // of the last pass; nil before the first
	other  *Other // set while another agent serves it
}

// NewStore holds the last run of stacks, whose objects are of the kinds.
// now is when the process begins: its versions are larger than those of the one before.
func NewStore(names []string, kinds []kind.Kind, now time.Time) *Store {
	begun := int(now.Unix()) << 20 // room for a million changes a second
	s := &Store{names: slices.Sorted(slices.Values(names)), kinds: kinds, begun: begun, version: begun, views: map[string]view{}, changed: make(chan struct{}), files: map[string]func(string) string{}}
	for _, name := range s.names {
		s.views[name] = view{since: stamp(now)}.with([]draft{namespace(name), stack(name, nil, nil)}, begun, stamp(now), false)
	}
	s.views[everywhere] = view{since: stamp(now)}
	s.define(begun)
	return s
}

// Ran takes note of a run.
func (s *Store) Ran(run report.Run) {
	s.writing.Lock()
	defer s.writing.Unlock()
	s.mu.Lock()
	old, version := s.views[run.Stack], s.version+1
	s.mu.Unlock()
	next := old.after(run, s.kinds, version, s.files[run.Stack])
	s.mu.Lock()
	defer s.mu.Unlock()
	s.views[run.Stack], s.version = next, version
	s.define(version)
	s.wake()
}

// after is the view after a run. One that saw no cloud leaves the objects as they were.
func (v view) after(run report.Run, kinds []kind.Kind, version int, files func(commit string) string) view {
	last, events, passes, planned := v.last, remember(v.events, report.Events(run)), recorded(v.passes, run), v.plan
	drafts, versions := []draft{namespace(run.Stack)}, apiVersions(kinds)
	for _, e := range events {
		made := event(run.Stack, versions[[2]string{e.Key.Group, e.Key.Kind}], e)
		drafts = append(drafts, made, newer(made))
	}
	for _, p := range passes {
		drafts = append(drafts, p.draft(run.Stack))
	}
	if run.Pass != nil {
		last = foundBy(&run.Pass.Last, run.Revision)
		made := planItem(&run.Pass.Last, run.Revision)
		planned = &made
		drafts = append(drafts, objects(run.Stack, &run.Pass.Last, kinds)...)
	}
	if planned != nil {
		drafts = append(drafts, *planned)
	}
	of := stack(run.Stack, &run, last)
	if files != nil && run.Revision.Commit != "" {
		of.status()["files"] = files(run.Revision.Commit)
	}
	next := v.with(append(drafts, of), version, stamp(run.Started.Add(run.Took)), run.Pass == nil)
	next.events, next.last, next.passes, next.stack, next.plan = events, last, passes, of, planned
	next.runs = v.runs + 1
	return next
}

// wake is called with the lock held.
func (s *Store) wake() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// id is what two items of a kind differ in.
type id struct{ name, within string }

func (i item) id() id { return id{i.name, i.labels[namespaceLabel]} }

// with is the view with other items, which were seen now; keep leaves those of a plan as they were.
func (v view) with(drafts []draft, version int, now string, keep bool) view {
	next := view{items: map[manifest.GroupVersionKind][]item{}, gone: v.gone, since: v.since}
	before := map[manifest.GroupVersionKind]map[id]*item{}
	for gvk, items := range v.items {
		if keep && !ours(gvk) {
			next.items[gvk] = items
			continue
		}
		before[gvk] = make(map[id]*item, len(items))
		for i := range items {
			before[gvk][items[i].id()] = &items[i]
		}
	}
	for _, d := range drafts {
		made, err := v.made(d, version, now, before[d.gvk][d.id()])
		if err != nil {
			continue // what cannot be encoded cannot be reported either
		}
		next.items[d.gvk] = append(next.items[d.gvk], made)
		delete(before[d.gvk], d.id())
	}
	for _, left := range before {
		if len(left) > 0 {
			next.gone = version
		}
	}
	return next
}

// made is the item of a draft that was seen now. What is the API's own is as old as the process, unless it says something else.
func (v view) made(d draft, version int, now string, before *item) (item, error) {
	d.turned(now, before)
	if d.created == "" && ours(d.gvk) {
		d.created = v.since
	}
	return d.at(version, before)
}

// state is the store at a moment.
type state struct {
	views   map[string]view // of the stacks that are asked for
	version int
	changed <-chan struct{}
	closed  bool
}

// at is the state now, of one stack or, for "", of all.
func (s *Store) at(stack string) state {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := state{views: map[string]view{}, version: s.version, changed: s.changed, closed: s.closed}
	for name, v := range s.views {
		if stack == "" || name == stack {
			now.views[name] = v
		}
	}
	return now
}

// items are those of a kind, by stack and name.
func (s *Store) items(now state, gvk manifest.GroupVersionKind) (list []item) {
	list = append(list, now.views[everywhere].items[gvk]...)
	for _, name := range s.names {
		list = append(list, now.views[name].items[gvk]...)
	}
	return list
}

// Close ends what watches.
func (s *Store) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.wake()
}

// apiVersions are those of kinds, by group and name.
func apiVersions(kinds []kind.Kind) map[[2]string]string {
	versions := map[[2]string]string{}
	for _, k := range kinds {
		info := k.Info()
		versions[[2]string{info.Group, info.Kind}] = manifest.GroupVersionKind{Group: info.Group, Version: info.Version}.APIVersion()
	}
	return versions
}
