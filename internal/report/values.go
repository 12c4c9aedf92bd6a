package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/reconcile/document"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

const (
	// maxItems is the maximum number of items of a list that are shown without -v. maxLines is the maximum number of lines with short values.
	maxItems = 12
	maxLines = 3
	// lineWidth is the maximum length of a line of short values, in bytes.
	lineWidth = 100
	// longestFull is the maximum length of a value with -v, in characters.
	longestFull = 4000
)

// values returns the lines about the fields that a creation sets. Short values share a line. Longer lists have a line for each item.
func (t Text) values(s plan.Step) []string {
	var rows, lists []string
	row := ""
	left := 0
	for _, v := range Values(s) {
		if IsUsual(v) && !t.Verbose {
			continue
		}
		name := Clean(FieldName(v.Field))
		if items := mapsIn(v.Value); len(items) > 0 && !v.Secret {
			lists = append(lists, name+":")
			lists = append(lists, t.few(items, "  ")...)
			continue
		}
		text := name + ": " + t.value(v.Value, nil)
		if v.Secret {
			text = name + ": (secret, not shown)"
		}
		switch {
		case t.Verbose:
			rows = append(rows, text)
		case row == "":
			row = text
		case len(row)+len(text)+2 <= lineWidth:
			row += ", " + text
		case len(rows) < maxLines-1:
			rows, row = append(rows, row+","), text
		default:
			left++
		}
	}
	if left > 0 {
		row += fmt.Sprintf(" and %s more%s", Plural(left, "field"), t.flagged(" (-v)"))
	}
	if row != "" {
		rows = append(rows, row)
	}
	return append(rows, lists...)
}

// Values returns the fields that a creation sets, and nil for every other step.
func Values(s plan.Step) []document.Value {
	if s.Action != plan.Create {
		return nil
	}
	return document.Values(s.Want, s.Secrets)
}

// IsUsual reports whether a value is not worth showing, because it is the default or empty.
func IsUsual(v document.Value) bool {
	list, ok := v.Value.([]any)
	return v.Default || ok && !slices.ContainsFunc(list, func(item any) bool {
		m, ok := item.(map[string]any)
		return !ok || len(m) > 0
	})
}

// FieldName returns the path of a field without the prefix that all fields of a manifest have.
func FieldName(field string) string {
	field = strings.TrimPrefix(field, "spec.")
	return strings.TrimPrefix(field, "resource.")
}

// mapsIn returns the items of a list of maps, and nil for every other value.
func mapsIn(v any) (items []any) {
	list, _ := v.([]any)
	for _, item := range list {
		m, ok := item.(map[string]any)
		if !ok {
			return nil
		}
		if len(m) > 0 {
			items = append(items, item)
		}
	}
	return items
}

// few returns the first items of a list.
func (t Text) few(items []any, indent string) (lines []string) {
	for i, item := range items {
		if i == maxItems && !t.Verbose {
			return append(lines, fmt.Sprintf("%s… %d more%s", indent, len(items)-maxItems, t.flagged(" (-v)")))
		}
		lines = append(lines, indent+t.value(item, nil))
	}
	return lines
}

// costOf returns the effect of the change of a field, and the way of the change if the manifest can choose among several.
func costOf(c kind.Change) string {
	cost := map[kind.Disruption]string{
		kind.Reboot: "reboots it", kind.Rebuild: "wipes its disk", kind.Replace: "forces replacement",
	}[c.Disruption]
	switch {
	case c.Way != "" && c.Disruption != kind.Replace:
		return "  (" + strings.TrimSuffix(c.Way+": "+cost, ": ") + ")"
	case cost != "":
		return "  (" + cost + ")"
	}
	return ""
}

// change returns the lines about a field. For a list, there is a line for each item that is removed or added.
func (t Text) change(c kind.Change, names map[string]string) []string {
	cost := costOf(c)
	field := Clean(c.Field)
	switch {
	case c.Field == kind.MarkField && c.Have == "":
		return []string{field + ": added" + cost}
	case c.Field == kind.MarkField:
		return []string{field + ": renewed" + cost}
	case c.Secret:
		return []string{field + ": changed (secret, not shown)" + cost}
	}
	have, ok1 := t.itemsOf(c.Have, names)
	want, ok2 := t.itemsOf(c.Want, names)
	if !ok1 || !ok2 {
		return []string{fmt.Sprintf("%s: %s -> %s%s", field, t.value(c.Have, names), t.value(c.Want, names), cost)}
	}
	list := Compared(have, want)
	if list.Same() {
		return []string{field + ": in another order" + cost}
	}
	lines := []string{strings.TrimRight(field+": "+list.Sum(), " ") + cost}
	for _, item := range list.Items(t.Verbose) {
		line := "  " + t.paint(signs[item.Sign], item.Sign) + " " + item.Text
		if item.More {
			line += t.flagged(" (-v)")
		}
		lines = append(lines, line)
	}
	if list.Kept > 0 {
		lines = append(lines, fmt.Sprintf("  %d more unchanged", list.Kept))
	}
	return lines
}

// signs are the colors of items that are removed from a list or added to it, by their sign.
var signs = map[string]color{"-": red, "+": green}

// itemsOf returns the items of a list, or the entries of a map, as texts.
func (t Text) itemsOf(v any, names map[string]string) (items []string, ok bool) {
	switch v := v.(type) {
	case []string:
		for _, item := range v {
			items = append(items, t.value(item, names))
		}
		return items, true
	case []any:
		for _, item := range v {
			items = append(items, t.value(item, names))
		}
		return items, true
	case map[string]string:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			items = append(items, Clean(key)+": "+t.value(v[key], names))
		}
		return items, true
	}
	return nil, false
}

// value returns a value as JSON. If it is the ID of an object, it returns the name of the object. Long values are cut.
func (t Text) value(v any, names map[string]string) string {
	if v == nil {
		return "(none)"
	}
	if id, ok := v.(string); ok {
		if name := names[id]; name != "" {
			return Clean(Identified(name, id))
		}
		v = Identify(id, names)
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(v) != nil {
		return "(not shown)"
	}
	most := longestValue
	if t.Verbose {
		most = longestFull
	}
	text := []rune(strings.TrimSpace(b.String()))
	if len(text) > most {
		return Clean(string(text[:most])) + "…"
	}
	return Clean(string(text))
}
