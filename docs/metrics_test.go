package docs

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"go.yaml.in/yaml/v3"

	"github.com/stackreeve/stackreeve/internal/report"
)

// metric is one that the agent exports under /metrics.
type metric struct {
	name, help string
	labels     []string
}

// kind is guessed from the name, as Prometheus wants names to be.
func (m metric) kind() string {
	switch {
	case strings.HasSuffix(m.name, "_total"):
		return "counter"
	case strings.HasSuffix(m.name, "_seconds") && !strings.Contains(m.name, "timestamp"):
		return "histogram"
	}
	return "gauge"
}

// exported asks the agent's registry what it may ever export.
func exported(t *testing.T) map[string]metric {
	t.Helper()
	m := report.NewMetrics("test")
	m.Undelivered("acme/config", func() int { return 0 })
	ch := make(chan *prometheus.Desc)
	go func() {
		m.Registry.Describe(ch)
		close(ch)
	}()
	found := map[string]metric{}
	shape := regexp.MustCompile(`fqName: "([^"]+)", help: "((?:[^"\\]|\\.)*)"(?:, unit: "[^"]*")?, constLabels: \{([^}]*)\}, variableLabels: \{([^}]*)\}`)
	for d := range ch {
		parts := shape.FindStringSubmatch(d.String())
		if parts == nil {
			t.Fatalf("the shape of %s is not known", d)
		}
		one := metric{name: parts[1], help: parts[2]}
		for _, list := range parts[3:] {
			for label := range strings.SplitSeq(list, ",") {
				if name, _, _ := strings.Cut(label, "="); name != "" {
					one.labels = append(one.labels, name)
				}
			}
		}
		found[one.name] = one
	}
	return found
}

// TestMetricsPage wants the table of docs/metrics.md to be what is exported.
func TestMetricsPage(t *testing.T) {
	all := exported(t)
	var table strings.Builder
	table.WriteString("| metric | type | labels | |\n|---|---|---|---|\n")
	var names []string
	for name := range all {
		if strings.HasPrefix(name, "stackreeve_") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		m := all[name]
		labels := ""
		if len(m.labels) > 0 {
			labels = "`" + strings.Join(m.labels, "`, `") + "`"
		}
		fmt.Fprintf(&table, "| `%s` | %s | %s | %s |\n", name, m.kind(), labels, m.help)
	}
	text := read(t, "metrics.md")
	head, rest, ok := strings.Cut(text, "<!-- table -->\n")
	_, foot, ok2 := strings.Cut(rest, "<!-- end of table -->\n")
	if !ok || !ok2 {
		t.Fatal("metrics.md has no place for the table")
	}
	golden(t, "metrics.md", head+"<!-- table -->\n"+table.String()+"<!-- end of table -->\n"+foot)
}

var (
	metricName = regexp.MustCompile(`\b(?:stackreeve|process|go)_[a-z_]+`)
	selector   = regexp.MustCompile(`\b(stackreeve_[a-z_]+)\{([^}]*)\}`)
	parts      = regexp.MustCompile(`_(bucket|sum|count)$`)
)

// TestMetricNames checks the metrics that alert rules, the dashboard and pages name. The program must export each of
// them, with the labels in their selectors.
func TestMetricNames(t *testing.T) {
	all := exported(t)
	texts := documents(t)
	for _, file := range []string{"alerts.yaml", "alerts_test.yaml", "dashboard.json"} {
		texts[file] = strings.ReplaceAll(read(t, filepath.Join("../deploy/monitoring", file)), `\"`, `"`)
	}
	for file, text := range texts {
		for _, name := range metricName.FindAllString(text, -1) {
			base := parts.ReplaceAllString(name, "")
			_, have := all[base]
			_, exact := all[name]
			if strings.HasPrefix(name, "stackreeve_") && !have && !exact || strings.HasPrefix(name, "process_") && !exact {
				t.Errorf("%s names %s, which the agent does not export", file, name)
			}
		}
		for _, m := range selector.FindAllStringSubmatch(text, -1) {
			one := all[parts.ReplaceAllString(m[1], "")]
			for _, pair := range regexp.MustCompile(`(\w+)\s*(?:=~|!~|!=|=)`).FindAllStringSubmatch(m[2], -1) {
				if !slices.Contains(one.labels, pair[1]) {
					t.Errorf("%s chooses %s by %s; its labels are %v", file, m[1], pair[1], one.labels)
				}
			}
		}
	}
}

type dashboard struct {
	Title, UID    string
	SchemaVersion int
	Panels        []struct {
		ID          int
		Type, Title string
		GridPos     struct{ H, W, X, Y int }
		Targets     []struct{ Expr, RefID string }
	}
}

func readDashboard(t *testing.T) dashboard {
	t.Helper()
	var d dashboard
	if err := json.Unmarshal([]byte(read(t, "../deploy/monitoring/dashboard.json")), &d); err != nil {
		t.Fatal(err)
	}
	return d
}

// TestDashboard wants panels that do not cover each other and that ask for
// something.
func TestDashboard(t *testing.T) {
	d := readDashboard(t)
	if d.Title == "" || d.UID == "" || d.SchemaVersion == 0 || len(d.Panels) < 10 {
		t.Errorf("got %+v", d)
	}
	ids, cells := map[int]bool{}, map[[2]int]string{}
	for _, p := range d.Panels {
		if ids[p.ID] || p.ID == 0 || p.Title == "" {
			t.Errorf("panel %q has the ID %d, which is not its own", p.Title, p.ID)
		}
		ids[p.ID] = true
		if p.Type != "row" && len(p.Targets) == 0 {
			t.Errorf("panel %q asks for nothing", p.Title)
		}
		for x := p.GridPos.X; x < p.GridPos.X+p.GridPos.W; x++ {
			for y := p.GridPos.Y; y < p.GridPos.Y+p.GridPos.H; y++ {
				if other := cells[[2]int{x, y}]; other != "" || x >= 24 {
					t.Fatalf("panel %q covers %q", p.Title, other)
				}
				cells[[2]int{x, y}] = p.Title
			}
		}
	}
}

// TestQueries has promtool read what the dashboard asks for, and the alert
// rules, where there is one.
func TestQueries(t *testing.T) {
	if _, err := exec.LookPath("promtool"); err != nil {
		t.Skip("promtool is not installed")
	}
	type rule struct {
		Record string `yaml:"record"`
		Expr   string `yaml:"expr"`
	}
	var rules []rule
	for _, p := range readDashboard(t).Panels {
		for _, target := range p.Targets {
			expr := strings.NewReplacer("$__rate_interval", "5m", "$stack", "prod").Replace(target.Expr)
			rules = append(rules, rule{fmt.Sprintf("panel:%d:%s", p.ID, target.RefID), expr})
		}
	}
	text, err := yaml.Marshal(map[string]any{"groups": []any{map[string]any{"name": "dashboard", "rules": rules}}})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "dashboard.yaml")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"check", "rules", file}, {"check", "rules", "../deploy/monitoring/alerts.yaml"}, {"test", "rules", "../deploy/monitoring/alerts_test.yaml"}} {
		if out, err := exec.CommandContext(t.Context(), "promtool", args...).CombinedOutput(); err != nil {
			t.Errorf("promtool %v: %v\n%s", args, err, out)
		}
	}
}
