package reconcile

import (
	"cmp"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/fingerprint"
	"github.com/stackreeve/stackreeve/internal/manifest"
)

type planner struct {
	Input
	kinds map[string]Kind
	group map[string]string
	names []string // kind names, in creation order

	byKey map[manifest.Key]*Desired
	index map[string]*index           // by kind name
	live  map[manifest.Key]*Live[any] // what each desired object is in the cloud
	ready map[manifest.Key]bool
	// doomed objects will get a new ID: nothing new may lean on the one they
	// have, and what leans on it by a fixed reference goes with it.
	doomed     map[manifest.Key]bool
	users      map[string][]*Live[any] // owned objects by the tokens they use
	taken      map[string]bool         // owner texts that a desired object answers for
	steps      []Step
	workloads  []Workload
	owned      int
	ownedKinds map[string]int
}

// index finds the objects of one collection.
type index struct {
	owner map[string][]*Live[any]
	id    map[string]*Live[any]
	name  map[string][]*Live[any]
}

func newPlanner(in Input) *planner {
	p := &planner{
		Input: in, kinds: make(map[string]Kind, len(in.Kinds)), group: groupsOf(in.Kinds),
		byKey: make(map[manifest.Key]*Desired, len(in.Want)), index: make(map[string]*index, len(in.Have)),
		live: make(map[manifest.Key]*Live[any], len(in.Want)), ready: make(map[manifest.Key]bool, len(in.Want)),
		doomed: map[manifest.Key]bool{}, users: map[string][]*Live[any]{}, ownedKinds: map[string]int{}, taken: make(map[string]bool, len(in.Want)),
	}
	if p.Prints == nil {
		p.Prints, _ = fingerprint.New(in.Stack) // fails for bad keys only
	}
	for _, k := range in.Kinds {
		p.kinds[k.Info().Kind] = k
		p.names = append(p.names, k.Info().Kind)
	}
	for i := range in.Want {
		p.byKey[in.Want[i].Key] = &in.Want[i]
	}
	for name, c := range in.Have {
		p.index[name] = p.indexOf(name, c)
	}
	return p
}

// indexOf finds what is where in the collection of a kind. One thing in the
// cloud may show in the collections of two kinds (a router's interface is a
// port); it is owned where its mark says so, and nowhere else.
func (p *planner) indexOf(kind string, c Collection) *index {
	x := &index{owner: map[string][]*Live[any]{}, id: make(map[string]*Live[any], len(c.Items)), name: make(map[string][]*Live[any], len(c.Items))}
	prefix := ownerPrefix + p.Stack + ":"
	for i := range c.Items {
		item := &c.Items[i]
		if x.id[item.ID] != nil {
			continue // a page boundary that moved shows an object twice
		}
		x.id[item.ID] = item
		x.name[item.Name] = append(x.name[item.Name], item)
		if item.Mark == nil || !item.Mine || !strings.HasPrefix(item.Mark.Owner, prefix) || !ownedAs(item, kind) {
			continue
		}
		p.owned++
		p.ownedKinds[kind]++
		x.owner[item.Mark.Owner] = append(x.owner[item.Mark.Owner], item)
		for _, token := range item.Uses {
			p.users[token] = append(p.users[token], item)
		}
	}
	return x
}

func ownedAs(item *Live[any], kind string) bool {
	o, ok := ParseOwner(item.Mark.Owner)
	return ok && o.Kind == kind
}

// view gives a desired object the shape in which its kind sees it.
func (p *planner) view(d *Desired, spec any) Want[any] {
	return Want[any]{Key: d.Key, Spec: &spec, Mark: p.mark(d), lookup: p.lookup, groups: p.group, prints: p.Prints, holder: d.holder}
}

func (p *planner) lookup(key manifest.Key) Ref {
	ref := Ref{Key: key}
	if d := p.byKey[key]; d != nil && d.Virtual {
		ref.Ready, ref.Data = true, d.Data
	}
	if live := p.live[key]; live != nil {
		ref.Ready, ref.ID, ref.Attr = p.ready[key], live.ID, live.Attr
	}
	return ref
}

// find returns the live object that is d, and others that bear the same mark:
// the traces of a request whose answer was lost.
func (p *planner) find(d *Desired) (have *Live[any], extra []*Live[any]) {
	x := p.index[d.Key.Kind]
	owned := slices.Clone(x.owner[OwnerText(p.Stack, d.Key)])
	if len(owned) == 0 && d.Import != nil && d.Import.ID != "" {
		if item := x.id[d.Import.ID]; item != nil && item.Mine && item.Mark == nil {
			return item, nil
		}
	}
	if len(owned) == 0 {
		return nil, nil
	}
	finished := func(l *Live[any]) int {
		if l.Mark.Applied != "" {
			return 0
		}
		return 1
	}
	slices.SortFunc(owned, func(a, b *Live[any]) int {
		return cmp.Or(cmp.Compare(rank(a.Phase), rank(b.Phase)), cmp.Compare(finished(a), finished(b)), cmp.Compare(len(p.usersOf(b)), len(p.usersOf(a))), cmp.Compare(a.ID, b.ID))
	})
	return owned[0], owned[1:]
}

func rank(phase Phase) int {
	return slices.Index([]Phase{Ready, Degraded, Pending, Failed, Deleting}, phase)
}

func (p *planner) usersOf(l *Live[any]) []*Live[any] {
	users := slices.Clone(p.users[l.ID])
	for _, token := range l.Tokens {
		users = append(users, p.users[token]...)
	}
	return users
}

// losses says what goes with the objects that are deleted or replaced.
func (p *planner) losses() {
	for i, s := range p.steps {
		if s.Action.Destroys() && !s.surplus {
			p.steps[i].Loss = p.kinds[s.Key.Kind].Info().Loss
		}
	}
}
