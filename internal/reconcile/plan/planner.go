package plan

import (
	"github.com/stackreeve/stackreeve/internal/fingerprint"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/bind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// world is what a plan is made from: what the commit wants, what the cloud has, and what is remembered. Nothing changes it.
type world struct {
	Input
	digests
	kinds     map[string]*kind.Kind
	group     map[string]string // API groups, by kind
	names     []string          // kind names, in creation order
	byKey     map[manifest.Key]*kind.Desired
	cloud     *bind.Cloud
	taken     map[string]manifest.Key      // which desired object answers for an owner text
	adopted   map[*kind.Live]*kind.Desired // which managed object names it by spec.import.id
	suspended []suspended                  // what may have parts that no manifest has any more
	all       *spares                      // that there may be; nil for none
	owned     int
	// ownedKinds are the numbers of owned objects, by kind.
	ownedKinds map[string]int
}

// given is the world as a planner reads it. Methods of it decide nothing.
type given struct{ *world }

// planner decides about every object of a world once. What only all decisions together show, it takes from the planner before: see
// [Compute].
type planner struct {
	given
	verdicts
	found
	rivalry
	scene     *kind.Scene
	was       map[*kind.Live]manifest.Key // the members of groups that are no more, or were a part of
	unmade    map[manifest.Key]bool       // what is not made since only what is left as it is would use it
	steps     []Step
	workloads []Workload
	groups    *groups // of these steps
	compared  int     // names, to suggest one
}

// found is what the desired objects are in the cloud.
type found struct {
	live  map[manifest.Key]*kind.Live
	ready map[manifest.Key]bool
	// doomed objects will get a new ID: nothing new may depend on the one they
	// have, and what depends on it by a fixed reference goes with it.
	doomed    map[manifest.Key]bool
	standsFor map[*kind.Live]*kind.Desired  // which desired object each is in the cloud
	imports   map[*kind.Live][]manifest.Key // which manifests import it; others of the repository may make it
}

// rivalry is who has, or asks for, what only one object can have.
type rivalry struct {
	holders  *holders                        // nil until somebody asks
	movesFor map[manifest.Key][]manifest.Key // those that have what an object asks for, and are to be replaced
	keptFor  map[*kind.Live]manifest.Key     // what stays since that cannot be made, for which it would make way
}

func newPlanner(in Input) *planner {
	return plannerOf(worldOf(in, bind.In(in.Have, in.Stack), nil), newVerdicts())
}

func worldOf(in Input, cloud *bind.Cloud, all *spares) *world {
	w := &world{
		Input: in, kinds: make(map[string]*kind.Kind, len(in.Kinds)), group: kind.GroupsOf(in.Kinds),
		byKey: make(map[manifest.Key]*kind.Desired, len(in.Want)), cloud: cloud, all: all,
		taken: make(map[string]manifest.Key, len(in.Want)), adopted: map[*kind.Live]*kind.Desired{},
	}
	if w.Printer == nil {
		w.Printer, _ = fingerprint.New(in.Stack) // fails for bad keys only
	}
	w.digests = digestsOf(w.Stack, w.Printer)
	for _, k := range in.Kinds {
		w.kinds[k.Info.Kind] = k
		w.names = append(w.names, k.Info.Kind)
	}
	for i := range in.Want {
		d := &in.Want[i]
		w.byKey[d.Key] = d
		if k := d.Defined(); k != nil {
			w.kinds[d.Key.Kind] = k
		}
		if owner := kind.OwnerText(w.Stack, d.Key); w.taken[owner] == (manifest.Key{}) && !d.Virtual {
			w.taken[owner] = d.Key
		}
	}
	for i := range in.Want {
		for _, owner := range w.formerOwners(&in.Want[i]) {
			if w.taken[owner] == (manifest.Key{}) {
				w.taken[owner] = in.Want[i].Key
			}
		}
	}
	w.suspended = w.suspensions()
	w.ownedKinds = w.cloud.Owned(w.isWanted)
	for _, n := range w.ownedKinds {
		w.owned += n
	}
	for i := range in.Want {
		if d := &in.Want[i]; w.cloud.Of(d.Key.Kind) != nil && w.named(d) != nil {
			w.adopted[w.named(d)] = d
		}
	}
	return w
}

// plannerOf is one that knows so much of the decisions before.
func plannerOf(w *world, known verdicts) *planner {
	p := &planner{
		given: given{w}, verdicts: known,
		found: found{live: make(map[manifest.Key]*kind.Live, len(w.Want)), ready: make(map[manifest.Key]bool, len(w.Want)), doomed: map[manifest.Key]bool{},
			standsFor: map[*kind.Live]*kind.Desired{}, imports: map[*kind.Live][]manifest.Key{}},
		rivalry: rivalry{movesFor: map[manifest.Key][]manifest.Key{}, keptFor: map[*kind.Live]manifest.Key{}},
		unmade:  map[manifest.Key]bool{}, was: map[*kind.Live]manifest.Key{},
	}
	p.scene = &kind.Scene{Lookup: p.lookup, Marked: p.marked, Groups: p.group, Printer: p.Printer, StandsIn: p.standsIn}
	return p
}

// isWanted reports whether a manifest stands for an owner text.
func (w *world) isWanted(owner string) bool {
	_, wanted := w.taken[owner]
	return wanted
}

// view gives a desired object the shape in which its kind sees it.
func (p *planner) view(d *kind.Desired, spec any) kind.Want {
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

// losses says what goes with the objects that are deleted or replaced, and what
// others no longer have.
func (p *planner) losses() {
	for i, s := range p.steps {
		switch {
		case s.unused:
		case s.Action.Destroys() && !s.surplus:
			p.steps[i].Loss = p.kinds[s.Key.Kind].Info.Loss
		case s.Action == Update:
			for _, c := range s.Changes {
				if c.Loss != "" {
					p.steps[i].Loss = append(p.steps[i].Loss, c.Loss)
				}
			}
		}
	}
}
