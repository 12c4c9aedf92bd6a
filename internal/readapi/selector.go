package readapi

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/printable"
	"github.com/stackreeve/stackreeve/internal/report"
)

// selection is a label selector and a field selector.
type selection struct{ labels, fields []report.Requirement }

// maxTerms is the maximum number of conditions in a selection. Each value of a set counts, because each condition is compared with each item.
const maxTerms = 50

// selectionOf parses the selectors of a query.
func selectionOf(query url.Values) (s selection, err error) {
	if s.labels, err = report.ParseSelector(query.Get("labelSelector")); err != nil {
		return s, err
	}
	if s.fields, err = report.ParseSelector(query.Get("fieldSelector")); err != nil {
		return s, err
	}
	terms := 0
	for _, r := range slices.Concat(s.labels, s.fields) {
		terms += max(1, len(r.Values))
	}
	if terms > maxTerms {
		return s, fmt.Errorf("the selectors have %d conditions and values, but at most %d are allowed", terms, maxTerms)
	}
	for _, f := range s.fields {
		if !selectable(f.Label) {
			return s, fmt.Errorf("field selectors can use metadata.name, metadata.namespace, status.state and the fields of events, but not %s", printable.Name(f.Label))
		}
	}
	return s, nil
}

// meets reports whether an item is selected.
func (s selection) meets(i item) bool {
	for _, l := range s.labels {
		if !l.Meets(i.labels) {
			return false
		}
	}
	if len(s.fields) == 0 {
		return true
	}
	all := i.allFields()
	for _, f := range s.fields {
		if !f.Meets(all) {
			return false
		}
	}
	return true
}

// unchanging returns the conditions on those fields of an item that never change.
func (s selection) unchanging() (rest selection) {
	for _, f := range s.fields {
		if f.Label == "metadata.name" || f.Label == "metadata.namespace" {
			rest.fields = append(rest.fields, f)
		}
	}
	return rest
}

func selectable(field string) bool {
	switch field {
	case "metadata.name", "metadata.namespace", "status.state", "type", "reason":
		return true
	}
	return strings.HasPrefix(field, "involvedObject.")
}

func (i item) allFields() map[string]string {
	all := map[string]string{"metadata.name": i.name, "metadata.namespace": i.namespace}
	for name, value := range i.fields {
		all[name] = value
	}
	return all
}
