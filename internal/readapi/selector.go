package readapi

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/stackreeve/stackreeve/internal/printable"
	"github.com/stackreeve/stackreeve/internal/report"
)

// selector reads which items a query asks for.
func selector(query url.Values) (func(item) bool, error) {
	labels, err := report.ParseSelector(query.Get("labelSelector"))
	if err != nil {
		return nil, err
	}
	fields, err := report.ParseSelector(query.Get("fieldSelector"))
	if err != nil {
		return nil, err
	}
	for _, f := range fields {
		if !selectable(f.Label) {
			return nil, fmt.Errorf("field selectors know metadata.name, metadata.namespace, status.state and those of events, and not %s", printable.Name(f.Label))
		}
	}
	return func(i item) bool {
		for _, l := range labels {
			if !l.Meets(i.labels) {
				return false
			}
		}
		for _, f := range fields {
			if !f.Meets(i.allFields()) {
				return false
			}
		}
		return true
	}, nil
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
