package group

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Forecasts returns, for each group whose members are changed in turns, a text that describes the change.
func (gs *Groups) Forecasts() map[manifest.Key]string {
	texts := map[manifest.Key]string{}
	for _, g := range gs.list {
		if !g.decided || gs.deletedTogether(g) {
			continue
		}
		if text := g.forecast(); text != "" {
			texts[g.key] = text
		}
	}
	return texts
}

// forecast says how many members of a group are changed, how many at a time, which objects each member keeps, and about how long the change
// takes. It is "" if the members are not changed in turns.
func (g *group) forecast() string {
	var changing []*member
	for _, m := range g.members {
		if len(m.changes) > 0 && !m.spare && !m.healing() {
			changing = append(changing, m)
		}
	}
	if len(changing) < 2 {
		return ""
	}
	replicas := g.replicas()
	down, further := g.strategy.Unavailable(replicas), g.strategy.Surge(replicas)
	text := fmt.Sprintf("%d members are changed, %s at a time", len(changing), countOrOne(down))
	if further > 0 {
		text = fmt.Sprintf("%d members are changed, with %s additional members during the change", len(changing), countOrOne(further))
	}
	if kept := changing[0].keptKinds(); len(kept) > 0 {
		text += "; each keeps its " + strings.Join(kept, ", ")
	}
	at := max(1, down+further)
	if all := g.pacePerMember(changing) * time.Duration((len(changing)+at-1)/at); all >= minForecast {
		text += "; about " + roundedText(all)
	}
	return text
}

// minForecast is the shortest duration that a forecast mentions.
const minForecast = 20 * time.Second

func countOrOne(n int) string {
	if n <= 1 {
		return "one"
	}
	return fmt.Sprint(n)
}

// keptKinds returns the kinds of the member's objects that the change does not interrupt.
func (m *member) keptKinds() []string {
	kinds := map[string]bool{}
	for _, s := range m.steps {
		if s.Have != nil && s != m.worker && s.Disruption() < kind.Reboot {
			kinds[s.Key.Kind] = true
		}
	}
	return slices.Sorted(maps.Keys(kinds))
}

// pacePerMember estimates how long the change of one member takes: the shortest time that a member took from its creation until it served,
// plus the waiting times of the strategy. It is 0 if the cloud does not report when members were created and when they began to serve.
func (g *group) pacePerMember(members []*member) time.Duration {
	const unlikely = time.Hour // a longer time means that the member was changed after it was made
	var boot time.Duration
	for _, m := range members {
		if m.worker == nil || m.worker.Have == nil || m.worker.Have.Since.IsZero() || m.worker.Have.Created.IsZero() {
			continue
		}
		if took := m.worker.Have.Since.Sub(m.worker.Have.Created); took > 0 && took < unlikely && (boot == 0 || took < boot) {
			boot = took
		}
	}
	if boot == 0 {
		return 0
	}
	if len(members[0].fronts) > 0 && g.drains() {
		boot += g.strategy.Drain
	}
	return boot + g.strategy.MinReady
}

// roundedText returns a rounded duration for people: "40 s", "9 min", "3 h".
func roundedText(d time.Duration) string {
	switch {
	case d < 100*time.Second:
		return fmt.Sprintf("%.0f s", d.Seconds())
	case d < 100*time.Minute:
		return fmt.Sprintf("%.0f min", d.Minutes())
	}
	return fmt.Sprintf("%.0f h", d.Hours())
}
