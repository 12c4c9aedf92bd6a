package readapi

import (
	"cmp"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/natural"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/report"
)

// Store contains the results of the last run of every stack. It is a sink.
type Store struct {
	kinds   []*kind.Kind
	begun   int              // lower bound of the versions; those of earlier processes are smaller
	more    map[string]About // the keys are names of stacks
	authors map[string]*authors
	// Keeps, if set before stacks are added, stores their events.
	Keeps *History

	writing sync.Mutex // locked during each whole change, in addition to mu

	mu      sync.Mutex
	views   map[string]view
	defined []resource    // the resources that have a definition
	version int           // the version of the last change; each change has another version
	changed chan struct{} // closed when something changes
	closed  bool
}

// view contains the shown data of one stack. It is not changed after it is shown.
type view struct {
	items  map[manifest.GroupVersionKind][]item
	events []report.Event
	passes []pass
	last   *found                            // nil before the end of the first pass
	gone   map[manifest.GroupVersionKind]int // by kind: the version of the last deletion.
	newest map[manifest.GroupVersionKind]int // by kind: the version of the last change or deletion.
	lost   int                               // the newest version in gone of the kinds that were dropped from it.
	since  string                            // the start time of the process.
	runs   int                               // number of ended runs
	stack  draft                             // the stack after the last run, without the progress of the running pass.
	plan   *draft                            // the plan of the last pass; nil before the end of the first pass
	other  *Other                            // set while another agent serves it
}

// NewStore returns a store for the stacks with these names; see [Store.Add]. kinds are the kinds of their objects. The argument now is the time when the
// process starts. Because of it, the versions are larger than those of the last process.
func NewStore(names []string, kinds []*kind.Kind, now time.Time) *Store {
	begun := int(now.Unix()) << 20 // so a process can make a million changes a second
	s := &Store{kinds: kinds, begun: begun, version: begun, views: map[string]view{}, changed: make(chan struct{}), more: map[string]About{}, authors: map[string]*authors{}}
	s.views[everywhere], s.views[removed] = view{since: stamp(now)}, view{}
	s.define()
	for _, name := range slices.SortedFunc(slices.Values(names), natural.Compare) {
		s.Add(name, About{}, now)
	}
	return s
}

// Ran stores the result of a run.
func (s *Store) Ran(run report.Run) {
	if run.Limited() {
		return // it shows only some of the stack's objects
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	s.mu.Lock()
	old, known := s.views[run.Stack]
	newest := s.version
	s.mu.Unlock()
	if !known {
		return // the stack was removed
	}
	next, newest := old.after(run, s.kinds, newest, s.more[run.Stack])
	if len(report.Events(run)) > 0 {
		s.Keeps.write(s.more[run.Stack].History, next.events)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.show(run.Stack, next, newest)
}

// show replaces the view of a stack. newest is the newest version in it. The caller must hold both locks.
func (s *Store) show(stack string, v view, newest int) {
	s.views[stack], s.version = v, newest
	s.define()
	s.wake()
}

// after returns the view after a run, and the newest version. Its versions follow newest. A run that could not read the cloud does not change
// the objects.
func (v view) after(run report.Run, kinds []*kind.Kind, newest int, about About) (view, int) {
	last, events, passes, planned := v.last, remember(v.events, report.Events(run)), recorded(v.passes, run), v.plan
	drafts, versions := []draft{namespace(run.Stack)}, apiVersions(kinds)
	drafts = append(drafts, eventsOf(run.Stack, events, versions)...)
	for _, p := range passes {
		drafts = append(drafts, p.draft(run.Stack))
	}
	if run.Pass != nil {
		list := objects(run.Stack, run.Pass, kinds)
		last = foundBy(&run.Pass.Last, run.Revision, list)
		made := planItem(&run.Pass.Last, run.Pass.Preflight, run.Revision)
		planned = &made
		drafts = append(drafts, list...)
	}
	if planned != nil {
		drafts = append(drafts, *planned)
	}
	of := stack(run.Stack, &run, last)
	about.addTo(of.status(), run.Revision.Commit)
	next, newest := v.with(append(drafts, of), newest, stamp(run.Started.Add(run.Took)), run.Pass == nil)
	next.events, next.last, next.passes, next.stack, next.plan = events, last, passes, of, planned
	next.runs = v.runs + 1
	return next, newest
}

// wake wakes all watches. The caller must hold the lock.
func (s *Store) wake() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// id distinguishes the items of one kind in a stack.
type id struct{ name, within string }

func (i item) id() id { return id{i.name, i.labels[namespaceLabel]} }

// with returns the view with new items, which were seen at the time now. If keep is set, it does not change the objects of the plan. newest is
// the newest version of the store, and the result contains the new one. Each change and each deletion gets another version. So a client that
// has received some of them can receive the rest.
func (v view) with(drafts []draft, newest int, now string, keep bool) (view, int) {
	next := view{items: map[manifest.GroupVersionKind][]item{}, gone: map[manifest.GroupVersionKind]int{}, newest: map[manifest.GroupVersionKind]int{}, lost: v.lost, since: v.since}
	maps.Copy(next.gone, v.gone)
	maps.Copy(next.newest, v.newest)
	before := map[manifest.GroupVersionKind]map[id]*item{}
	for gvk, items := range v.items {
		if keep && !isOwn(gvk) {
			next.items[gvk] = items
			continue
		}
		before[gvk] = make(map[id]*item, len(items))
		for i := range items {
			before[gvk][items[i].id()] = &items[i]
		}
	}
	for _, d := range drafts {
		made, err := v.made(d, newest+1, now, before[d.gvk][d.id()])
		if err != nil {
			continue // an item that cannot be encoded cannot be reported either
		}
		newest = max(newest, made.version)
		next.newest[d.gvk] = max(next.newest[d.gvk], made.version)
		next.items[d.gvk] = append(next.items[d.gvk], made)
		delete(before[d.gvk], d.id())
	}
	for gvk, left := range before {
		if len(left) > 0 {
			newest += len(left)
			next.gone[gvk], next.newest[gvk] = newest, newest
		}
	}
	next.forget()
	return next, newest
}

// maxEmptyKinds is the maximum number of kinds without items for which the version of the last deletion is stored. The limit is needed because
// commits can define new kinds without end.
const maxEmptyKinds = 500

// forget drops the kinds that have had no items for the longest time. A client that has listed such a kind before must list it again.
func (v *view) forget() {
	var empty []manifest.GroupVersionKind
	for gvk := range v.gone {
		if len(v.items[gvk]) == 0 {
			empty = append(empty, gvk)
		}
	}
	if len(empty) <= maxEmptyKinds {
		return
	}
	slices.SortFunc(empty, func(a, b manifest.GroupVersionKind) int { return cmp.Compare(v.gone[a], v.gone[b]) })
	for _, gvk := range empty[:len(empty)-maxEmptyKinds] {
		v.lost = max(v.lost, v.gone[gvk])
		delete(v.gone, gvk)
		delete(v.newest, gvk)
	}
}

// made returns the item of a draft that was seen at the time now. If a draft of the API's own kinds has no time, the time of the item is the
// start of the process.
func (v view) made(d draft, version int, now string, before *item) (item, error) {
	d.turned(now, before)
	if d.created == "" && isOwn(d.gvk) {
		d.created = v.since
	}
	return d.at(version, before)
}

// items returns the items of a kind, by stack and name.
func (s *Store) items(now state, gvk manifest.GroupVersionKind) (list []item) {
	for _, name := range slices.SortedFunc(maps.Keys(now.views), natural.Compare) { // everywhere is the first
		list = append(list, now.views[name].items[gvk]...)
	}
	return list
}

// Close ends all watches.
func (s *Store) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.wake()
}

// apiVersions returns the API versions of kinds, by group and kind.
func apiVersions(kinds []*kind.Kind) map[[2]string]string {
	versions := map[[2]string]string{}
	for _, k := range kinds {
		info := k.Info
		versions[[2]string{info.Group, info.Kind}] = manifest.GroupVersionKind{Group: info.Group, Version: info.Version}.APIVersion()
	}
	return versions
}
