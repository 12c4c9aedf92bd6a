package memory

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/printable"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/rollout"
)

// Print writes the memory for people: the facts about objects, members and places, with one fact per line.
func (m *Memory) Print(w io.Writer) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := bufio.NewWriter(w)
	if m.where != "" {
		fmt.Fprintf(out, "of project %s\n", printable.Name(m.where))
	}
	section(out, "seen, by ID", m.knownIDs, func(id, object string) string { return printable.Name(id) + " " + printable.Name(object) })
	section(out, "created, but not usable yet, by ID", m.made, func(id, object string) string { return printable.Name(id) + " " + printable.Name(object) })
	section(out, "created, but not listed by the cloud yet", m.created, func(id string, c creation) string { return printable.Name(id) + " at " + clock(c.at) })
	section(out, "begun", m.begun, func(key manifest.Key, o begun) string { return key.String() + unfinishedText(o) })
	section(out, "creation requested, but no answer came", m.unanswered, func(id string, until time.Time) string { return printable.Name(id) + untilText(until) })
	section(out, "adopted", m.adopted, func(id string, _ bool) string { return printable.Name(id) })
	section(out, "do not serve, or were healed", m.patients, patient)
	section(out, "probed", m.probed, func(p probe, _ rollout.Record) string { return fmt.Sprintf("%s, probe %d", p.member, p.at+1) })
	section(out, "served", m.seen.Served, func(key manifest.Key, s plan.Served) string { return key.String() + untilText(s.Until) })
	section(out, "sent nothing new", m.seen.Quiet, func(q plan.Quiet, since time.Time) string {
		return fmt.Sprintf("%s by %s since %s", q.Member, q.Front, clock(since))
	})
	section(out, "went back", m.fallbacks, func(key manifest.Key, f plan.Fallback) string {
		return key.String() + " to commit " + printable.Name(f.Commit)
	})
	section(out, "listed", m.found, func(at Place, f Finding) string {
		text := strings.TrimSpace(printable.Name(at.Kind)+" "+at.Entry) + " at " + clock(f.At) + map[bool]string{true: ", with objects of the stack"}[f.Owns]
		return text + map[bool]string{true: ", refused"}[f.Refused != nil]
	})
	section(out, "seen at the end of the last pass", m.sights, func(at Place, s Sight) string {
		return fmt.Sprintf("%s %s: %d objects", at.Kind, at.Entry, s.Count)
	})
	section(out, "traced", m.traces, func(id string, _ traceOf) string { return printable.Name(id) })
	return out.Flush()
}

func section[K comparable, V any](w io.Writer, title string, entries map[K]V, line func(K, V) string) {
	if len(entries) == 0 {
		return
	}
	lines := make([]string, 0, len(entries))
	for key := range maps.Keys(entries) {
		lines = append(lines, line(key, entries[key]))
	}
	fmt.Fprintf(w, "%s (%d)\n", title, len(lines))
	for _, text := range slices.Sorted(slices.Values(lines)) {
		fmt.Fprintf(w, "  %s\n", text)
	}
}

func unfinishedText(o begun) (text string) {
	if o.deletes {
		text = ", which may be deleted"
	}
	return text + untilText(o.until)
}

func patient(key manifest.Key, p rollout.Patient) string {
	text := key.String()
	for _, at := range p.Healed {
		text += ", healed at " + clock(at)
	}
	return text
}

func untilText(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return " until " + clock(at)
}

func clock(at time.Time) string { return at.UTC().Format(time.RFC3339) }
