package export

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/natural"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// Input is the input of an export.
type Input struct {
	Kinds []*kind.Kind // each kind follows the kinds on which it depends
	Have  kind.Snapshot
	// Only contains the kinds to be exported; nil means all kinds of a project. Kinds of the whole cloud (users,
	// roles) are exported only if Only contains them.
	Only []string
	// All also exports objects that a stack already owns.
	All bool
	// Chosen contains the only objects to be exported; nil means all. Objects to which they refer are exported as
	// imports.
	Chosen []Chosen
}

// Result contains the manifests and the notes.
type Result struct {
	Objects []Object // kinds in the order of the input, objects by name
	// Notes are about parts that manifests cannot contain, and about parts that were left out. They are sorted by
	// object.
	Notes []Note
}

// Object is one manifest.
type Object struct {
	Key  manifest.Key
	ID   string // the ID in the cloud
	Text []byte // a YAML document
	// Adopted is false for an import.
	Adopted bool
	// Uses contains the IDs of those objects in the cloud on which it depends.
	Uses []string
}

// Note is about one object of the cloud.
type Note struct {
	Kind, Name, ID string // Name is the name of the manifest; "" if there is none
	Field, Text    string
}

// Make writes manifests. If the list of a kind has failed, Make returns its error, unless the cloud refuses the list
// of a kind that need not be exported. If the cloud does not have a service, the service has no objects.
func Make(ctx context.Context, in Input) (Result, error) {
	x := newExporter(in)
	if err := x.unlisted(); err != nil {
		return Result{}, err
	}
	x.choose()
	x.specify()
	if err := x.gather(); err != nil {
		return Result{}, err
	}
	for again := true; again; { // the loop ends, because each field is left out at most once, and each object becomes an import at most once
		var err error
		if again, err = x.check(ctx); err != nil {
			return Result{}, err
		}
	}
	return x.result()
}

type exporter struct {
	Input
	kinds map[string]*kind.Kind
	group map[string]string
	all   map[string][]*item // the keys are kinds; the items are in the order of names and IDs
	byID  map[string]map[string]*item
	// byName contains the first object with each name, in the order of IDs.
	byName map[string]map[string]*item
	notes  []Note

	groups    []*group
	workloads []plan.Workload // the workloads of the last plan
}

// item is an object of the cloud, with its manifest.
type item struct {
	kind *kind.Kind
	live *kind.Live
	name string // the name of the manifest

	managed bool // reports whether it is written as an object to be adopted
	wanted  bool // reports whether it is to be written, or a manifest refers to it
	export  kind.Export
	spec    any
	ignore  []string // fields in the annotation ignore-fields
	dropped map[string]bool
	faulty  []string // list items to be removed from the spec, such as dns[1].
	without []string // paths of the list elements in the annotation, with their IDs.
	known   int      // the length of without when the spec was made.
	exact   bool     // an import contains its ID.
	gone    bool     // the object cannot be written as a manifest.

	in *group // the group that replaces it; nil if there is none

	chosen  bool   // reports whether Input.Chosen contains it
	like    string // the name in Input.Chosen
	refusal string // the reason why it is not adopted although it was chosen
}

func newExporter(in Input) *exporter {
	x := &exporter{Input: in, kinds: map[string]*kind.Kind{}, group: kind.GroupsOf(in.Kinds), all: map[string][]*item{}, byID: map[string]map[string]*item{}, byName: map[string]map[string]*item{}}
	for _, k := range in.Kinds {
		name := k.Info.Kind
		x.kinds[name], x.byID[name], x.byName[name] = k, map[string]*item{}, map[string]*item{}
		live := in.Have[name].Items
		for _, l := range live {
			if one := (&item{kind: k, live: l}); x.byID[name][l.ID] == nil && l.AlsoListedAs == "" {
				x.byID[name][l.ID] = one
				x.all[name] = append(x.all[name], one)
			}
		}
		slices.SortFunc(x.all[name], func(a, b *item) int {
			return cmp.Or(natural.Compare(a.live.Name, b.live.Name), cmp.Compare(a.live.ID, b.live.ID))
		})
		for _, one := range slices.Backward(x.all[name]) {
			x.byName[name][one.live.Name] = one
		}
	}
	return x
}

func (x *exporter) unlisted() error {
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(x.Have)) {
		err := x.Have[name].Err
		info := x.kinds[name].Info
		forbidden := errors.Is(err, kind.ErrForbidden) && info.Rare && x.Only == nil
		if err == nil || errors.Is(err, kind.ErrNoService) || forbidden || errors.Is(err, kind.ErrRejected) && !x.includes(info) {
			continue
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// includes reports whether objects of a kind are to be written.
func (x *exporter) includes(of kind.Info) bool {
	switch {
	case x.Only == nil && x.Chosen != nil:
		return slices.ContainsFunc(x.Chosen, func(c Chosen) bool { return c.Kind == of.Kind })
	case x.Only == nil:
		return of.Scope != kind.OfCloud && of.Scope != kind.Offered
	}
	return slices.Contains(x.Only, of.Kind)
}

// choose decides which objects get separate manifests, and gives a name to each object.
func (x *exporter) choose() {
	x.find()
	for _, k := range x.Kinds {
		all := x.all[k.Info.Kind]
		for _, one := range all {
			x.judge(one)
		}
		giveNames(all)
		for _, one := range all {
			if one.refusal != "" {
				x.note(one, "", "is not adopted: "+one.refusal)
			}
		}
	}
}

// specify gets the specs of the written objects from their kinds, and finds the objects to which they refer.
func (x *exporter) specify() {
	for _, k := range x.Kinds {
		for _, one := range x.all[k.Info.Kind] {
			if !one.managed {
				continue
			}
			x.ask(one)
			switch {
			case one.export.LeftOut != "":
				one.managed = false
				if one.chosen {
					x.note(one, "", "is not adopted: it "+one.export.LeftOut)
				}
			case one.export.ImportOnly != "" || one.spec == nil:
				one.managed = false
				why := one.export.ImportOnly
				if importable(one) {
					why += "; references use an import of it (managementPolicy: unmanaged)"
				}
				x.note(one, "", why)
			}
		}
	}
	for _, k := range slices.Backward(x.Kinds) {
		for _, one := range x.all[k.Info.Kind] {
			if one.managed {
				x.replaceIDs(one)
			}
		}
	}
}

// ask gets the content of an object's manifest from the kind of the object.
func (x *exporter) ask(one *item) {
	one.export = kind.Export{Name: one.name, Chosen: one.chosen, Ref: x.follow, Adopts: x.adopts,
		Without: func(list, id string) bool { return slices.Contains(one.without, kind.ElementPath(list, id)) }}
	one.known = len(one.without)
	if one.kind.Export == nil {
		one.export.ImportOnly = "objects of this kind cannot be written as manifests"
		return
	}
	one.spec = one.kind.Export(one.live.State, &one.export)
}

// adopts reports whether the object of a kind with this ID is written to be adopted.
func (x *exporter) adopts(of, id string) bool {
	one := x.byID[of][id]
	return one != nil && one.managed
}

func (x *exporter) note(one *item, field, text string) {
	x.notes = append(x.notes, Note{Kind: one.kind.Info.Kind, Name: one.name, ID: one.live.ID, Field: field, Text: text})
}

// noteLost adds notes about the parts that the manifest of an object does not contain, as its kind reports them.
func (x *exporter) noteLost(one *item) {
	for _, lost := range one.export.Lost {
		x.note(one, lost.Field, lost.Text)
	}
	for _, left := range one.export.LeftToCloud {
		x.note(one, left.Field, left.Text+leftAlone)
	}
}

// written reports whether there is a manifest for the object.
func (i *item) written() bool { return !i.gone && (i.managed || i.wanted) }

func (i *item) key(groups map[string]string) manifest.Key {
	name := i.kind.Info.Kind
	return manifest.Key{Group: groups[name], Kind: name, Namespace: manifest.DefaultNamespace, Name: i.name}
}

// items returns the objects that are written separately, in order.
func (x *exporter) items() (list []*item) {
	for _, k := range x.Kinds {
		of := slices.DeleteFunc(slices.Clone(x.all[k.Info.Kind]), func(one *item) bool { return !one.written() || one.in != nil })
		slices.SortFunc(of, func(a, b *item) int { return natural.Compare(a.name, b.name) })
		list = append(list, of...)
	}
	return list
}

// order is the position of an object's kind.
func (x *exporter) order(o Object) int {
	return slices.IndexFunc(x.Kinds, func(k *kind.Kind) bool { return k.Info.Kind == o.Key.Kind })
}

func (x *exporter) result() (r Result, err error) {
	for _, one := range x.items() {
		text, err := x.document(one)
		if err != nil {
			return Result{}, err
		}
		r.Objects = append(r.Objects, Object{Key: one.key(x.group), ID: one.live.ID, Text: text, Adopted: one.managed, Uses: one.live.Uses})
		if one.managed {
			x.noteLost(one)
		}
	}
	for _, g := range x.groups {
		o, err := x.object(g)
		if err != nil {
			return Result{}, err
		}
		r.Objects = append(r.Objects, o)
	}
	slices.SortStableFunc(r.Objects, func(a, b Object) int { return cmp.Compare(x.order(a), x.order(b)) })
	slices.SortFunc(x.notes, func(a, b Note) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), natural.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID), cmp.Compare(a.Field, b.Field), cmp.Compare(a.Text, b.Text))
	})
	r.Notes = slices.Compact(x.notes)
	return r, nil
}
