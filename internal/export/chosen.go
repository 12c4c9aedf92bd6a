package export

import (
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Chosen is an object that is to be exported, with the wanted name of its manifest.
type Chosen struct {
	Kind, Name string
	ID         string // the ID in the cloud; if the ID is a path, its last part is enough
	// Uses are the IDs of objects on which the object depends, if its own ID is unknown.
	Uses []string
}

// find finds the chosen objects, and sets their names. If an object is chosen twice, it gets the first name. If
// the cloud does not show a chosen object, a note says so.
func (x *exporter) find() {
	for _, c := range x.Chosen {
		one := x.byID[c.Kind][c.ID]
		switch {
		case c.ID == "":
			one = x.user(c)
		case one == nil:
			one = x.ending(c)
		}
		switch {
		case one == nil:
			x.notes = append(x.notes, Note{Kind: c.Kind, Name: c.Name, ID: c.ID, Text: "is left out: the cloud does not show it in this project"})
		case !one.chosen:
			one.chosen, one.like = true, c.Name
		}
	}
}

// ending returns the only object of a kind whose ID is a path that ends with the given ID. It returns nil if
// there is none or more than one.
func (x *exporter) ending(c Chosen) (only *item) {
	for _, one := range x.all[c.Kind] {
		if !strings.HasSuffix(one.live.ID, "/"+c.ID) {
			continue
		}
		if only != nil {
			return nil
		}
		only = one
	}
	return only
}

// user returns the only object of a kind that uses all the given objects. It returns nil if there is none or
// more than one.
func (x *exporter) user(c Chosen) (only *item) {
	for _, one := range x.all[c.Kind] {
		misses := func(id string) bool { return !slices.Contains(one.live.Uses, id) }
		if len(c.Uses) == 0 || slices.ContainsFunc(c.Uses, misses) {
			continue
		}
		if only != nil {
			return nil
		}
		only = one
	}
	return only
}

// judge decides whether an object is adopted. If a chosen object cannot be adopted, judge stores the reason.
func (x *exporter) judge(one *item) {
	l, info := one.live, one.kind.Info
	if x.Chosen == nil {
		one.managed = x.includes(info) && l.InOwnProject && l.Phase != kind.Deleting && (l.Mark == nil || x.All)
		return
	}
	if !one.chosen {
		return
	}
	why := ""
	switch {
	case x.Only != nil && !slices.Contains(x.Only, info.Kind):
		why = "its kind was not requested"
	case !l.InOwnProject:
		why = "it belongs to another project, or to the whole cloud"
	case l.Phase == kind.Deleting:
		why = "it is being deleted"
	case l.Mark != nil && !x.All:
		why = "a stack owns it already: " + l.Mark.Owner
	}
	one.managed, one.refusal = why == "", why
}
