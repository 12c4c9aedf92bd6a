package comment

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/report"
)

const (
	// maxLines is how many lines of a diff are shown for one field.
	maxLines = 40
	// maxFields is how many fields are shown for one object.
	maxFields = 60
)

// diff returns changes as a code block: red lines are in the cloud, green lines in the manifest. names maps IDs to the names of their objects.
func diff(changes []kind.Change, names map[string]string) string {
	changes = withoutMark(changes)
	var lines []string
	for i, c := range changes {
		if i == maxFields {
			lines = append(lines, fmt.Sprintf("@@ %d more fields @@", len(changes)-maxFields))
			break
		}
		sum, shown := values(c, names)
		lines = append(lines, strings.TrimRight("@@ "+c.Field+" @@ "+sum, " ")+costOf(c))
		lines = append(lines, clipped(shown)...)
	}
	return fenced("diff", lines)
}

// costOf returns the effect of a change, and the way of the change if the manifest can choose among several.
func costOf(c kind.Change) string {
	if c.Way == "" || c.Disruption == kind.Replace {
		return cost[c.Disruption]
	}
	return strings.TrimSuffix(" "+c.Way+":"+cost[c.Disruption], ":")
}

// cost is the effect of the change of a field. It follows the name of the field.
var cost = [...]string{
	kind.InPlace: "",
	kind.Reboot:  " reboots it",
	kind.Rebuild: " wipes its disk",
	kind.Replace: " cannot be changed in place",
}

// withoutMark returns the changes without that of the mark, unless it is the only change.
func withoutMark(changes []kind.Change) []kind.Change {
	if len(changes) <= 1 {
		return changes
	}
	return slices.DeleteFunc(slices.Clone(changes), func(c kind.Change) bool { return c.Field == kind.MarkField })
}

func clipped(lines []string) []string {
	if len(lines) <= maxLines {
		return lines
	}
	return append(slices.Clip(lines[:maxLines]), fmt.Sprintf("  … %d more lines", len(lines)-maxLines))
}

// values returns the lines of one change. sum is a short form of them, or "" if there are only a few lines.
func values(c kind.Change, names map[string]string) (sum string, lines []string) {
	switch {
	case c.Field == kind.MarkField && c.Have == "":
		return "", []string{"! added; no effect on users"}
	case c.Field == kind.MarkField:
		return "", []string{"! renewed; no effect on users"}
	case c.Secret:
		return "", []string{"! changed; the value is a secret and is not shown"}
	}
	have, want := generic(c.Have), generic(c.Want)
	switch h := have.(type) {
	case string:
		if w, ok := want.(string); ok && (strings.Contains(h, "\n") || strings.Contains(w, "\n")) {
			return "", runs(strings.Split(h, "\n"), strings.Split(w, "\n"))
		}
	case []any:
		if w, ok := want.([]any); ok {
			return items(texts(h, names), texts(w, names))
		}
	case map[string]any:
		if w, ok := want.(map[string]any); ok {
			return items(entries(h, names), entries(w, names))
		}
	}
	if have != nil {
		lines = append(lines, "- "+named(have, names))
	}
	if want != nil {
		lines = append(lines, "+ "+named(want, names))
	}
	return "", lines
}

// items returns the lines for a list whose order is not important: removed items, added items, and the number of items that stay.
func items(have, want []string) (sum string, lines []string) {
	list := report.Compared(have, want)
	if list.Same() {
		return "", []string{"! in another order"}
	}
	if sum = list.Sum(); sum == "" {
		list = report.Compared(orEmpty(have), orEmpty(want))
	}
	for _, item := range list.Items(false) {
		lines = append(lines, item.Sign+" "+item.Text)
	}
	if list.Kept > 0 {
		lines = append(lines, "  "+strconv.Itoa(list.Kept)+" more unchanged")
	}
	return sum, lines
}

// orEmpty returns a note that the list is empty if it is empty, and otherwise the list.
func orEmpty(list []string) []string {
	if len(list) == 0 {
		return []string{"(empty)"}
	}
	return list
}

// runs returns the lines for longer texts. They are the lines between the common beginning and the common end, with two lines before and after
// them.
func runs(have, want []string) []string {
	head := 0
	for head < min(len(have), len(want)) && have[head] == want[head] {
		head++
	}
	tail := 0
	for tail < min(len(have), len(want))-head && have[len(have)-1-tail] == want[len(want)-1-tail] {
		tail++
	}
	const around = 2
	var lines []string
	add := func(mark string, more []string) {
		for _, line := range more {
			lines = append(lines, mark+line)
		}
	}
	add("  ", have[max(0, head-around):head])
	add("- ", have[head:len(have)-tail])
	add("+ ", want[head:len(want)-tail])
	add("  ", have[len(have)-tail:len(have)-max(0, tail-around)])
	return lines
}

func texts(list []any, names map[string]string) []string {
	out := make([]string, len(list))
	for i, v := range list {
		out[i] = named(v, names)
	}
	return out
}

func entries(m map[string]any, names map[string]string) []string {
	var out []string
	for _, key := range slices.Sorted(maps.Keys(m)) {
		out = append(out, key+": "+named(m[key], names))
	}
	return out
}

// named returns a value as text. If the value is an ID, the text contains the name of its object.
func named(v any, names map[string]string) string {
	id, ok := v.(string)
	switch {
	case !ok:
		return text(v)
	case names[id] != "":
		return report.Identified(names[id], id)
	}
	return text(report.Identify(id, names))
}

// generic returns a value in the form into which JSON decodes it.
func generic(v any) any {
	data, err := json.Marshal(v)
	if err != nil {
		return "(cannot be shown)"
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var out any
	if dec.Decode(&out) != nil {
		return "(cannot be shown)"
	}
	return out
}

// text returns a value as JSON, on one line.
func text(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(v) != nil {
		return "(cannot be shown)"
	}
	return strings.TrimSpace(b.String())
}
