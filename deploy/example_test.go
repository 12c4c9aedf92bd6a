package deploy

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/config"
)

const example = "stackreeve.example.yaml"

// possibility matches a field that is commented out.
var possibility = regexp.MustCompile(`(?m)^(\s*)# ((?:- |\s*)\w+:.*)$`)

func load(t *testing.T, text string) config.Stack {
	t.Helper()
	file := filepath.Join(t.TempDir(), "stackreeve.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	stacks, err := config.Load([]string{file}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(stacks) != 1 {
		t.Fatalf("got %d stacks, want one", len(stacks))
	}
	return stacks[0]
}

// TestExample loads the example, first unchanged, and then with every field that is commented out in it. A value
// that the example calls a default must be the default.
func TestExample(t *testing.T) {
	text := read(t, example)
	plain := load(t, text)
	without := regexp.MustCompile(`(?m)^.*# (paths|kustomize|tag|digest|  cosignKeyFiles|  cosignRepository|basicAuthFile|dockerConfigFile|sshKeyFile|knownHostsFile|githubApp|  appID|  installationID|  privateKeyFile|  tags):.*\n`).ReplaceAllString(text, "")
	full := load(t, possibility.ReplaceAllString(without, "$1$2"))

	now := time.Date(2026, 1, 1, 0, 0, 1, 0, time.UTC)
	if got, want := full.Poll.Next(now), plain.Poll.Next(now); !got.Equal(want) {
		t.Errorf("poll: the example's default looks at %s, the real one at %s", got, want)
	}
	if got, want := full.PullPoll.Next(now), plain.PullPoll.Next(now); !got.Equal(want) {
		t.Errorf("report.poll: the example's default looks at %s, the real one at %s", got, want)
	}
	if full.Spec.Report.GitHub == nil || full.Spec.Report.GitHub.APIURL != config.DefaultAPI || full.Spec.Report.PlansForks() != plain.Spec.Report.PlansForks() {
		t.Errorf("report: the example gives %+v, the defaults are others", full.Spec.Report.GitHub)
	}
	if got, want := full.DriftCheck.Next(now), plain.DriftCheck.Next(now); !got.Equal(want) {
		t.Errorf("driftCheck: the example's default looks at %s, the real one at %s", got, want)
	}
	if full.Limits.All != plain.Limits.All || full.Prune() != plain.Prune() {
		t.Errorf("maxDeletes or prune: the example's defaults are %v, %v; the real ones %v, %v", full.Limits, full.Prune(), plain.Limits, plain.Prune())
	}
	if full.Spec.Defaults.ServiceTypes == nil || full.Spec.Sync.Replace != "refuse" {
		t.Errorf("what is commented out was not read: %+v", full.Spec)
	}
}

// TestExampleLogins tries the other logins in the example.
func TestExampleLogins(t *testing.T) {
	login := regexp.MustCompile(`(?m)^ *tokenFile:.*$`)
	text := read(t, example)
	offered := func(field string) string {
		return "      " + strings.TrimSpace(regexp.MustCompile(`# (` + field + `:.*)`).FindStringSubmatch(text)[1])
	}
	load(t, login.ReplaceAllString(text, offered("basicAuthFile")))
	load(t, login.ReplaceAllString(text, offered("githubApp")+"\n        appID: 1234\n        installationID: 5678\n"+"  "+offered("  privateKeyFile")))
	ssh := strings.ReplaceAll(text, "https://git.example.com/", "ssh://git@git.example.com/")
	load(t, login.ReplaceAllString(ssh, offered("sshKeyFile")+"\n"+offered("knownHostsFile")))
}

// TestExampleArtifact tries the fields of the example that are for artifacts.
func TestExampleArtifact(t *testing.T) {
	text := read(t, example)
	offered := func(field string) string {
		return regexp.MustCompile(`# ( *` + field + `: ?[^#\n]*)`).FindStringSubmatch(text)[1]
	}
	url := regexp.MustCompile(`(?m)^    url:.*$`).ReplaceAllString(text, "    url: oci://registry.example.com/acme/cloud-config\n    "+offered("tag")+"\n    verify:\n    "+offered("cosignKeyFiles"))
	load(t, regexp.MustCompile(`(?m)^ *tokenFile:.*$`).ReplaceAllString(url, "      "+offered("dockerConfigFile")))
}

// TestExampleKustomize tries the field of the example that excludes others.
func TestExampleKustomize(t *testing.T) {
	text := regexp.MustCompile(`(?m)^(    )# (kustomize: true)`).ReplaceAllString(read(t, example), "$1$2")
	if s := load(t, text); !s.Spec.Source.Kustomize {
		t.Error("kustomize is not true")
	}
}

// TestExampleForges tries the other forges in the example.
func TestExampleForges(t *testing.T) {
	_, text, _ := strings.Cut(read(t, example), "  # report:\n")
	lines := strings.Split(strings.TrimSpace(text), "\n")
	block := func(name, indent string) (out string) {
		for i, line := range lines {
			if strings.TrimLeft(line, "# ") != name+":" {
				continue
			}
			prefix := line[:strings.Index(line, name)]
			out = indent + name + ":\n"
			for _, below := range lines[i+1:] {
				rest, ok := strings.CutPrefix(below, prefix+"  ")
				if !ok {
					break
				}
				out += indent + "  " + rest + "\n"
			}
		}
		return out
	}
	plain := strings.TrimSuffix(read(t, example), text)
	plain = strings.TrimSuffix(plain, "  # report:\n") + "  report:\n"
	if r := load(t, plain+block("gitea", "    ")).Spec.Report; r.Gitea == nil || r.Gitea.CAFile == "" {
		t.Errorf("gitea is %+v", r.Gitea)
	}
	if r := load(t, plain+"    github:\n      repository: a/b\n"+block("app", "      ")).Spec.Report; r.GitHub == nil || r.GitHub.App.AppID != 1234 {
		t.Errorf("github is %+v", r.GitHub)
	}
}

// TestExampleIsComplete checks that the example has every field of the configuration.
func TestExampleIsComplete(t *testing.T) {
	text := read(t, example)
	for _, name := range fields(reflect.TypeFor[config.Spec]()) {
		if !regexp.MustCompile(`(?m)^[-\s#]*` + name + `:`).MatchString(text) {
			t.Errorf("%s does not mention the field %s; show it with its default", example, name)
		}
	}
}

func fields(of reflect.Type) (names []string) {
	for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice {
		of = of.Elem()
	}
	if of.Kind() != reflect.Struct {
		return nil
	}
	for i := range of.NumField() {
		name, _, _ := strings.Cut(of.Field(i).Tag.Get("json"), ",")
		if name == "" || name == "-" {
			continue
		}
		names = append(append(names, name), fields(of.Field(i).Type)...)
	}
	return names
}

// TestConfigMaps loads the configurations in the Kubernetes manifests.
func TestConfigMaps(t *testing.T) {
	for file, several := range map[string]bool{"kubernetes/cronjob.yaml": false, "kubernetes/agents.yaml": true} {
		var m struct{ Data map[string]string }
		document(t, file, "ConfigMap", &m)
		stack := load(t, m.Data["stackreeve.yaml"])
		if got := stack.Agents() != nil; got != several {
			t.Errorf("%s: several agents: %t", file, got)
		}
	}
}
