package plan

import (
	"maps"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/fingerprint"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

type planner struct {
	Input
	verdicts
	scene  *kind.Scene
	kinds  map[string]kind.Kind
	group  map[string]string
	names  []string // kind names, in creation order
	owners string   // what the owner texts of the stack begin with

	byKey map[manifest.Key]*kind.Desired
	index map[string]*index                // by kind name
	live  map[manifest.Key]*kind.Live[any] // what each desired object is in the cloud
	ready map[manifest.Key]bool
	// doomed objects will get a new ID: nothing new may depend on the one they
	// have, and what depends on it by a fixed reference goes with it.
	doomed     map[manifest.Key]bool
	was        map[*kind.Live[any]]manifest.Key   // the members of groups that are no more, or were a part of
	unmade     map[manifest.Key]bool              // what is not made since only what is left as it is would use it
	users      map[string][]*kind.Live[any]       // owned objects by the tokens they use
	userKinds  map[*kind.Live[any]]string         // the kinds of those that use anything
	taken      map[string]manifest.Key            // which desired object answers for an owner text
	adopted    map[*kind.Live[any]]*kind.Desired  // which managed object names it by spec.import.id
	adopters   map[*kind.Live[any]]manifest.Key   // what it is adopted for
	imports    map[*kind.Live[any]][]manifest.Key // which manifests import it; others of the repository may make it
	holders    *holders                           // of what only one object can have; nil until somebody asks
	suspended  []suspended                        // what may have parts that no manifest has any more
	movesFor   map[manifest.Key][]manifest.Key    // those that have what an object asks for, and are to be replaced
	keptFor    map[*kind.Live[any]]manifest.Key   // what stays since that cannot be made, for which it would make way
	all        *spares                            // that there may be; nil for none
	steps      []Step
	stepsOf    map[*kind.Live[any]]*Step // the steps of wanted objects; made when first asked for
	blocked    [][]int                   // for each step, those that must be done first for it to delete
	compared   int                       // names, to suggest one
	workloads  []Workload
	failing    []Failing
	seen       Seen                          // for the next plan
	grouped    map[manifest.Key]*group       // all of the stack, once their members take turns
	hidden     map[manifest.Key]manifest.Key // see judgesUnseen
	owned      int
	ownedKinds map[string]int
}

// index finds the objects of one collection.
type index struct {
	owner map[string]*claims
	// elsewhere are those of objects in other projects, of a kind whose manifests may name them.
	elsewhere map[string]*claims
	id        map[string]*kind.Live[any]
	twins     map[string][]*kind.Live[any] // further objects of an ID, where entries are of several clouds
	name      map[string][]*kind.Live[any]
	// misplaced are objects with a mark of the stack for another kind.
	misplaced []misplaced
}

type misplaced struct {
	item  *kind.Live[any]
	text  string
	owner kind.Owner
}

func newPlanner(in Input) *planner {
	p := &planner{
		Input: in, kinds: make(map[string]kind.Kind, len(in.Kinds)), group: kind.GroupsOf(in.Kinds), owners: kind.OwnersOf(in.Stack),
		byKey: make(map[manifest.Key]*kind.Desired, len(in.Want)), index: make(map[string]*index, len(in.Have)),
		live: make(map[manifest.Key]*kind.Live[any], len(in.Want)), imports: map[*kind.Live[any]][]manifest.Key{}, ready: make(map[manifest.Key]bool, len(in.Want)),
		movesFor: map[manifest.Key][]manifest.Key{}, keptFor: map[*kind.Live[any]]manifest.Key{},
		doomed: map[manifest.Key]bool{}, unmade: map[manifest.Key]bool{}, was: map[*kind.Live[any]]manifest.Key{}, users: map[string][]*kind.Live[any]{}, userKinds: map[*kind.Live[any]]string{}, ownedKinds: map[string]int{}, taken: make(map[string]manifest.Key, len(in.Want)), adopted: map[*kind.Live[any]]*kind.Desired{}, adopters: map[*kind.Live[any]]manifest.Key{},
	}
	if p.Printer == nil {
		p.Printer, _ = fingerprint.New(in.Stack) // fails for bad keys only
	}
	p.scene = &kind.Scene{Lookup: p.lookup, Marked: p.marked, Groups: p.group, Printer: p.Printer, StandsIn: p.standsIn}
	for _, k := range in.Kinds {
		p.kinds[k.Info().Kind] = k
		p.names = append(p.names, k.Info().Kind)
	}
	for i := range in.Want {
		d := &in.Want[i]
		p.byKey[d.Key] = d
		if k := d.Defined(); k != nil {
			p.kinds[d.Key.Kind] = k
		}
		if owner := kind.OwnerText(p.Stack, d.Key); p.taken[owner] == (manifest.Key{}) && !d.Virtual {
			p.taken[owner] = d.Key
		}
	}
	for i := range in.Want {
		for _, owner := range p.formerOwners(&in.Want[i]) {
			if p.taken[owner] == (manifest.Key{}) {
				p.taken[owner] = in.Want[i].Key
			}
		}
	}
	p.suspended = p.suspensions()
	for _, name := range slices.Sorted(maps.Keys(in.Have)) { // users are named in this order
		p.index[name] = p.indexOf(name, in.Have[name])
	}
	for i := range in.Want {
		if d := &in.Want[i]; p.index[d.Key.Kind] != nil && p.named(d) != nil {
			p.adopted[p.named(d)] = d
		}
	}
	return p
}

// indexOf finds what is where in the collection of a kind. One thing in the
// cloud may show in the collections of two kinds (a router's interface is a
// port); it is owned where its mark says so, and nowhere else.
func (p *planner) indexOf(kindName string, c kind.Collection) *index {
	x := &index{owner: map[string]*claims{}, elsewhere: map[string]*claims{}, id: make(map[string]*kind.Live[any], len(c.Items)), name: make(map[string][]*kind.Live[any], len(c.Items))}
	for i := range c.Items {
		item := &c.Items[i]
		switch first := x.id[item.ID]; {
		case first == nil:
			x.id[item.ID] = item
		case first.As(item.Through) != nil:
			continue // a page boundary that moved shows an object twice
		default:
			if x.twins == nil {
				x.twins = map[string][]*kind.Live[any]{}
			}
			x.twins[item.ID] = append(x.twins[item.ID], item)
		}
		x.name[item.Name] = append(x.name[item.Name], item)
		if p.claim(x, kindName, item) {
			for _, token := range item.Uses {
				p.users[token] = append(p.users[token], item)
				p.userKinds[item] = kindName
			}
		}
	}
	for owner, c := range x.owner {
		if p.counts(owner, c) {
			p.owned++
			p.ownedKinds[kindName]++
		}
	}
	for owner, c := range x.elsewhere { // of those that nobody wants anybody can make as many as they like
		if _, wanted := p.taken[owner]; wanted && len(c.sole) > 0 && x.owner[owner] == nil {
			p.owned++
			p.ownedKinds[kindName]++
		}
	}
	return x
}

// find is the object of an ID that an entry shows; nil for none.
func (x *index) find(id, entry string) *kind.Live[any] {
	if item := x.id[id]; item != nil && item.As(entry) != nil {
		return item
	}
	for _, item := range x.twins[id] {
		if item.As(entry) != nil {
			return item
		}
	}
	return nil
}

// counts reports whether a mark stands for an object of the stack that limits are shares of.
// Further objects with one mark do not count, nor does what no manifest stands for and its mark
// keeps: anyone in the project can write as many of both as they like.
func (p *planner) counts(owner string, c *claims) bool {
	_, wanted := p.taken[owner]
	return slices.ContainsFunc(c.sole, func(l *kind.Live[any]) bool { return wanted || !l.Mark.Keep })
}

// claim sorts an object in by the marks of the stack that it bears, and reports
// whether it bears one for this kind.
func (p *planner) claim(x *index, kindName string, item *kind.Live[any]) (any bool) {
	owners := x.owner
	if !item.Mine {
		owners = x.elsewhere
	}
	if !item.Mine && (!item.Guarded || item.Project == "") {
		return false
	}
	for _, text := range item.Mark.Owners() {
		if !strings.HasPrefix(text, p.owners) {
			continue // mostly marks of other stacks
		}
		o, ok := kind.ParseOwner(text)
		switch {
		case !ok || o.Kind == item.ShownAs:
			continue
		case o.Kind != kindName && !item.Mine:
			continue
		case o.Kind != kindName:
			x.misplaced = append(x.misplaced, misplaced{item, text, o})
			continue
		case owners[text] == nil:
			owners[text] = &claims{}
		}
		any = true
		switch c := owners[text]; {
		case item.Mark.Rivals != "":
			c.shared = append(c.shared, item)
		case item.Copied != "":
			c.copied = append(c.copied, item)
		default:
			c.sole = append(c.sole, item)
		}
	}
	return any
}

// view gives a desired object the shape in which its kind sees it.
func (p *planner) view(d *kind.Desired, spec any) kind.Want[any] {
	return kind.NewWant(d, spec, p.mark(d), kind.Surroundings{Scene: p.scene, Former: p.identities(d)})
}

func (p *planner) lookup(key manifest.Key) kind.Ref {
	ref := kind.Ref{Key: key}
	if d := p.byKey[key]; d != nil && d.Virtual {
		ref.Ready, ref.Data = true, d.Data
	}
	if d := p.byKey[key]; d != nil && d.Spec != nil && !d.Virtual && !d.Unmanaged && p.Have[key.Kind].Blind(d.Entry) == nil {
		ref = ref.MadeBy(p.kinds[key.Kind], d.Spec)
	}
	if live := p.live[key]; live != nil {
		ref.Anew = p.doomed[key]
		ref.Ready, ref.ID, ref.Facts = p.ready[key], live.ID, live.Facts
	}
	ref.Traffic = p.trafficOf(key)
	ref.Spare = p.byKey[key] == nil && (p.dropped[key] || p.all != nil && p.all.byKey[key] != nil)
	return ref
}

func (p *planner) usersOf(l *kind.Live[any]) []*kind.Live[any] {
	users := slices.Clone(p.users[l.ID])
	for _, token := range l.Tokens {
		users = append(users, p.users[token]...)
	}
	return users
}

// losses says what goes with the objects that are deleted or replaced, and what
// others no longer have.
func (p *planner) losses() {
	for i, s := range p.steps {
		switch {
		case s.unused:
		case s.Action.Destroys() && !s.surplus:
			p.steps[i].Loss = p.kinds[s.Key.Kind].Info().Loss
		case s.Action == Update:
			for _, c := range s.Changes {
				if c.Loss != "" {
					p.steps[i].Loss = append(p.steps[i].Loss, c.Loss)
				}
			}
		}
	}
}
