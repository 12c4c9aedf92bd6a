package config

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/source"
)

const full = `apiVersion: stackreeve.dev/v1alpha1
kind: Stack
metadata: {name: prod}
spec:
  source:
    url: https://git.example.com/acme/config.git
    branch: release
    path: clouds/prod
    poll: "@every 30s"
    caFile: ca.pem
    auth: {tokenFile: token, username: bot}
  cloud: prod
  defaults:
    network: private
    vipNetworks: {private: private, public: public}
    regions: {tokyo1: RegionOne}
    zones: {dev: az-a}
    serviceTypes: {generic: ""}
    storageClasses: {fast: ssd}
    imageHosts: [mirror.internal]
  sync: {prune: false, drift: report, driftCheck: "*/10 * * * *", maxDeletes: 5, maxDeletesPerKind: {Volume: 0, Server: 10%}, replace: allow}
  limits: {objects: 50000, pullObjects: 2000}
---
apiVersion: stackreeve.dev/v1alpha1
kind: Stack
metadata: {name: test}
spec:
  source: {url: ./test}
`

func write(t *testing.T, text string) string {
	t.Helper()
	t.Chdir(t.TempDir())
	const file = "any-name"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestEveryFieldIsRead(t *testing.T) {
	stacks, err := Load([]string{write(t, full)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	s := stacks[0]
	want := source.Config{URL: "https://git.example.com/acme/config.git", Branch: "release", Path: "clouds/prod", CAFile: "ca.pem", Dir: "cache",
		Auth: source.Auth{TokenFile: "token", Username: "bot"}}
	if got := s.Repo("cache", nil); !reflect.DeepEqual(got, want) {
		t.Errorf("source is %+v, want %+v", got, want)
	}
	d := s.Spec.Defaults
	if s.Name != "prod" || s.Spec.Cloud != "prod" || d.Network != "private" || d.VIPNetworks["public"] != "public" || d.Regions["tokyo1"] != "RegionOne" || d.Zones["dev"] != "az-a" {
		t.Errorf("got %+v", s)
	}
	if flavor, ok := d.ServiceTypes["generic"]; !ok || flavor != "" {
		t.Errorf("service types are %v", d.ServiceTypes)
	}
	if s.Prune() || s.Poll.String() != "@every 30s" || s.DriftCheck.String() != "*/10 * * * *" || s.Limits.All.String() != "5" || s.Limits.Kinds["Volume"].String() != "0" || s.Limits.Kinds["Server"].String() != "10%" || s.Spec.Sync.Replace != "allow" || len(s.Policies()) != 2 {
		t.Errorf("sync is %+v, %s, %s, %+v", s.Spec.Sync, s.Poll, s.DriftCheck, s.Limits)
	}
}

func TestWhatIsLeftOutIsSafe(t *testing.T) {
	stacks, err := Load([]string{write(t, full)}, Settings{"stack": "test"})
	if err != nil {
		t.Fatal(err)
	}
	s := stacks[0]
	if len(stacks) != 1 || s.Name != "test" || !s.Prune() || s.Poll.String() != "@every 1m" || s.DriftCheck.String() != "@every 5m" ||
		s.Limits.All.String() != "30%" || s.Spec.Sync.Replace == "allow" || s.Spec.Sync.Drift == "report" || len(s.Policies()) != 1 {
		t.Errorf("got %+v", stacks)
	}
}

// TestEverySettingReachesItsField checks that a setting has the same effect as its field in a file,
// for every field.
func TestEverySettingReachesItsField(t *testing.T) {
	settings := Settings{
		"stack": "prod", "url": "https://git.example.com/acme/config.git", "branch": "release", "path": "clouds/prod", "poll": "@every 30s",
		"ca-file": "ca.pem", "token-file": "token", "username": "bot", "cloud": "prod", "default-network": "private",
		"vip-network": "private=private,public=public", "region": "tokyo1=RegionOne", "zone": "dev=az-a", "service-type": "generic=", "storage-class": "fast=ssd", "image-host": "mirror.internal",
		"prune": "false", "drift": "report", "drift-check": "*/10 * * * *", "max-deletes": "5", "max-deletes-per-kind": "Volume=0,Server=10%", "replace": "allow",
		"max-objects": "50000", "max-pull-objects": "2000",
	}
	want, err := Load([]string{write(t, full)}, Settings{"stack": "prod"})
	if err != nil {
		t.Fatal(err)
	}
	got, err := Load(nil, settings)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got[0].Spec, want[0].Spec) || got[0].Name != "prod" {
		t.Errorf("flags give\n%+v\nthe file\n%+v", got[0].Spec, want[0].Spec)
	}
	for _, more := range []Settings{
		{"ssh-key-file": "key", "known-hosts-file": "hosts", "url": "ssh://git@git.example.com/x"},
		{"basic-auth-file": "login"},
	} {
		set := Settings{"stack": "s", "url": "https://git.example.com/x"}
		maps.Copy(set, more)
		got, err := Load(nil, set)
		if err != nil {
			t.Fatal(err)
		}
		if a := got[0].Repo("", nil).Auth; a.SSHKeyFile != more["ssh-key-file"] || a.KnownHostsFile != more["known-hosts-file"] || a.BasicAuthFile != more["basic-auth-file"] {
			t.Errorf("auth is %+v with %v", a, more)
		}
	}
}

// leaves returns the paths of all fields of a struct that have a value of their own and no fields below them.
func leaves(t reflect.Type, path string) []string {
	if t.Kind() != reflect.Struct || t == reflect.TypeFor[manifest.IntOrString]() || t == reflect.TypeFor[manifest.Decimal]() {
		return []string{path}
	}
	var list []string
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" {
			continue
		}
		typ := f.Type
		if typ.Kind() == reflect.Pointer {
			typ = typ.Elem()
		}
		if f.Anonymous {
			list = append(list, leaves(typ, path)...)
			continue
		}
		list = append(list, leaves(typ, path+"."+name)...)
	}
	return list
}

func TestEveryFieldHasASetting(t *testing.T) {
	var have []string
	for _, s := range All() {
		have = append(have, s.Field)
	}
	for _, field := range leaves(reflect.TypeFor[Spec](), "spec") {
		if !slices.Contains(have, field) && !slices.Contains([]string{"spec.sync.windows", "spec.source.libraries", "spec.source.valuesFrom", "spec.secretStores"}, field) { // each of these lists contains several fields
			t.Errorf("%s can only be set in a file", field)
		}
	}
}

func TestSettingsGoOverFilesAndTheEnvironmentIsRead(t *testing.T) {
	t.Setenv("STACKREEVE_MAX_DELETES", "50%")
	t.Setenv("STACKREEVE_STACK", "test")
	t.Setenv("STACKREEVE_BRANCH", "")
	env := Environment()
	stacks, err := Load([]string{write(t, full)}, env)
	if err != nil {
		t.Fatal(err)
	}
	if len(stacks) != 1 || stacks[0].Name != "test" || stacks[0].Limits.All.String() != "50%" || stacks[0].Spec.Source.URL != "./test" {
		t.Errorf("got %+v", stacks)
	}
	if len(env) != 2 {
		t.Errorf("environment gives %v", env)
	}
}

// refuses reports whether err contains a problem about at, which is a field, a setting, a file or an object.
func refuses(err error, at string) bool {
	var problems manifest.Problems
	return errors.As(err, &problems) && slices.ContainsFunc(problems, func(p manifest.Problem) bool {
		return p.Field == at || p.Field == "" && (p.Origin.File == at || p.Key.String() == at)
	})
}

func TestWrongConfigurationIsRefusedWhole(t *testing.T) {
	for name, c := range map[string]struct {
		text     string
		settings Settings
		want     []string
	}{
		"not a stack":  {"apiVersion: v1\nkind: Pod\nmetadata: {name: x}\n", nil, []string{"any-name"}},
		"empty":        {"# nothing\n", nil, []string{"any-name"}},
		"twice":        {full + "---\n" + full[strings.Index(full, "---\n")+4:], nil, []string{"Stack/test"}},
		"login in URL": {strings.Replace(full, "https://git", "https://bot:hunter2@git", 1), nil, []string{"spec.source.url"}},
		"reports": {full + "  report: {github: {repository: acme, apiURL: http://ghe/api, tokenFile: t, app: {appID: 1}}, gitea: {url: git.acme, repository: a/../b}, poll: never, forks: run}\n", nil, []string{
			"spec.report.github.repository", "spec.report.github.apiURL",
			"spec.report.github.app", "spec.report.github.app.installationID", "spec.report.github.app.privateKeyFile",
			"spec.report.gitea", "spec.report.gitea.url", "spec.report.gitea.repository", "spec.report.gitea.tokenFile",
			"spec.report.poll", "spec.report.forks",
		}},
		"Gerrit": {full + "  report: {gerrit: {url: 'http://review.example.com', project: a/../b, user: 'a:b', label: 'a b'}}\n", nil, []string{
			"spec.report.gerrit.url", "spec.report.gerrit.project", "spec.report.gerrit.user",
			"spec.report.gerrit.label", "spec.report.gerrit.passwordFile",
		}},
		"no credentials": {full + "  report: {github: {repository: acme/config}}\n", nil, []string{"spec.report.github"}},
		"app and token":  {strings.Replace(full, "{tokenFile: token,", "{githubApp: {appID: 1, installationID: 2, privateKeyFile: k, apiURL: 'https://a:b@c'}, tokenFile: token,", 1), nil, []string{"spec.source.auth", "spec.source.auth.githubApp.apiURL"}},
		"no such stack":  {full, Settings{"stack": "prud"}, []string{"--stack"}},
		"ambiguous":      {full, Settings{"branch": "x"}, []string{"--branch"}},
		"bad pair":       {full, Settings{"stack": "test", "zone": "az-a"}, []string{"--zone"}},
		"wrong duration": {strings.Replace(full, "@every 30s", "@every 30", 1), nil, []string{"spec.source.poll"}},
		"windows": {strings.Replace(full, "drift: report", "drift: report, windows: [{schedule: '@every 1h', duration: 8h}, {schedule: 0 1 * * *, duration: a night, timeZone: Nowhere}, {kind: never, schedule: 0 1 * * *, duration: 1h}]", 1), nil,
			[]string{"spec.sync.windows[0]", "spec.sync.windows[1]", "spec.sync.windows[2].kind"}},
		"depends on none":   {strings.Replace(full, "cloud: prod", "cloud: prod\n  dependsOn: [tset]", 1), nil, []string{"spec.dependsOn"}},
		"depends on itself": {strings.Replace(full, "cloud: prod", "cloud: prod\n  dependsOn: [prod]", 1), nil, []string{"spec.dependsOn"}},
		"absolute path":     {strings.Replace(full, "clouds/prod", "/clouds", 1), nil, []string{"spec.source.path"}},
		"several at once":   {strings.NewReplacer("drift: report", "drift: never", "cloud: prod", "clod: prod").Replace(full), nil, []string{"spec.sync.drift", "spec.clod"}},
	} {
		t.Run(name, func(t *testing.T) {
			stacks, err := Load([]string{write(t, c.text)}, c.settings)
			var problems manifest.Problems
			if !errors.As(err, &problems) || len(stacks) > 0 {
				t.Fatalf("got %v and %v, want problems alone", stacks, err)
			}
			for _, want := range c.want {
				if !refuses(err, want) {
					t.Errorf("no %q in\n%v", want, err)
				}
			}
			if strings.Contains(err.Error(), "hunter2") {
				t.Error("a password is shown")
			}
		})
	}
	if _, err := Load(nil, nil); !errors.Is(err, ErrNone) {
		t.Errorf("nothing configured gives %v", err)
	}
	one := write(t, full)
	if _, err := Load([]string{one, one}, nil); err == nil || !strings.Contains(err.Error(), "is also configured at "+one) {
		t.Errorf("two files with the same stack give %v", err)
	}
}

// TestReports reads where the agent reports, from files and from settings.
func TestReports(t *testing.T) {
	const head = "apiVersion: stackreeve.dev/v1alpha1\nkind: Stack\nmetadata: {name: s}\nspec:\n  source: {url: 'https://git.example.com/acme/config.git'%s}\n%s"
	for name, c := range map[string]struct {
		auth, report string
		settings     Settings
		want         Report
	}{
		"nothing": {"", "", nil, Report{}},
		"a token": {
			"", "  report: {github: {repository: acme/config, tokenFile: t}}\n",
			Settings{"github-repository": "acme/config", "github-token-file": "t"},
			Report{GitHub: &GitHub{Repository: "acme/config", TokenFile: "t", APIURL: DefaultAPI, RequestsPerHour: 4000}},
		},
		"an App": {
			", auth: {githubApp: {appID: 1234567, installationID: 5, privateKeyFile: g}}",
			"  report:\n    github: {repository: acme/config, app: {appID: 12345678, installationID: 987654321, privateKeyFile: k}, apiURL: 'https://ghe/api/v3', requestsPerHour: 900}\n    file: {path: f}\n",
			Settings{
				"git-app-id": "1234567", "git-app-installation-id": "5", "git-app-key-file": "g",
				"github-repository": "acme/config", "github-app-id": "12345678", "github-app-installation-id": "987654321", "github-app-key-file": "k",
				"github-api-url": "https://ghe/api/v3", "github-requests-per-hour": "900", "report-file": "f",
			},
			Report{
				GitHub: &GitHub{Repository: "acme/config", App: &App{12345678, 987654321, "k"}, APIURL: "https://ghe/api/v3", RequestsPerHour: 900},
				File:   &File{Path: "f"},
			},
		},
		"Gitea": {
			", auth: {githubApp: {appID: 1, installationID: 2, privateKeyFile: g, apiURL: 'http://127.0.0.1:3000'}}",
			"  report: {gitea: {url: 'http://localhost:3000', repository: a.b/c-d, tokenFile: t, caFile: c, requestsPerHour: 60}, poll: '@every 5m', forks: plan}\n",
			Settings{
				"git-app-id": "1", "git-app-installation-id": "2", "git-app-key-file": "g", "git-app-api-url": "http://127.0.0.1:3000",
				"gitea-url": "http://localhost:3000", "gitea-repository": "a.b/c-d", "gitea-token-file": "t", "gitea-ca-file": "c", "gitea-requests-per-hour": "60",
				"report-poll": "@every 5m", "forks": "plan",
			},
			Report{Gitea: &Gitea{"http://localhost:3000", "a.b/c-d", "t", "c", 60}, Poll: "@every 5m", Forks: "plan"},
		},
		"Gerrit": {
			"", "  report: {gerrit: {url: 'https://review.example.com', project: config, user: steward, passwordFile: p, label: Verified, caFile: c, requestsPerHour: 60}}\n",
			Settings{
				"gerrit-url": "https://review.example.com", "gerrit-project": "config", "gerrit-user": "steward", "gerrit-password-file": "p",
				"gerrit-label": "Verified", "gerrit-ca-file": "c", "gerrit-requests-per-hour": "60",
			},
			Report{Gerrit: &Gerrit{"https://review.example.com", "config", "steward", "p", "Verified", "c", 60}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			file, err := Load([]string{write(t, fmt.Sprintf(head, c.auth, c.report))}, nil)
			if err != nil {
				t.Fatal(err)
			}
			settings := Settings{"stack": "s", "url": "https://git.example.com/acme/config.git"}
			maps.Copy(settings, c.settings)
			flags, err := Load(nil, settings)
			if err != nil {
				t.Fatal(err)
			}
			s := file[0]
			if !reflect.DeepEqual(s.Spec.Report, c.want) || !reflect.DeepEqual(flags[0].Spec, s.Spec) {
				t.Errorf("the file gives\n%+v\nflags\n%+v\nwant\n%+v", s.Spec, flags[0].Spec, c.want)
			}
			if got, want := s.PullPoll.String(), cmp.Or(c.want.Poll, "@every 1m"); got != want || s.Spec.Report.PlansForks() != (c.want.Forks == "plan") {
				t.Errorf("pull requests are looked for %s, want %s", got, want)
			}
			asked := false
			auth := s.Repo("", func(context.Context) (string, error) { asked = true; return "t", nil }).Auth
			if (auth.Token != nil) != (c.auth != "") || asked {
				t.Errorf("auth is %+v", auth)
			}
			if app := s.Spec.Source.Auth.GitHubApp; app != nil && app.APIURL == "" {
				t.Error("the App has no address")
			}
		})
	}
}

// TestEntriesOfCloudsYAML checks that the further entries do not contain the main entry, in whichever way the
// main entry is configured.
func TestEntriesOfCloudsYAML(t *testing.T) {
	const doc = "apiVersion: stackreeve.dev/v1alpha1\nkind: Stack\nmetadata: {name: prod}\nspec: {source: {url: ./x}, clouds: [admin, prod]%s}\n"
	for cloud, want := range map[string]string{", cloud: prod": "prod: [admin]", "": "env: [admin prod]"} {
		t.Setenv("OS_CLOUD", "env")
		stacks, err := Load([]string{write(t, fmt.Sprintf(doc, cloud))}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := stacks[0].Entries(); fmt.Sprint(got.Main, ": ", got.Further) != want {
			t.Errorf("%q: got %v, want %s", cloud, got, want)
		}
	}
	if _, err := Load([]string{write(t, fmt.Sprintf(doc, ", cloud: prod, clouds: x"))}, nil); err == nil {
		t.Error("clouds is given twice")
	}
	for secrets, wrong := range map[string]string{"{a: prod, b: admin, c: ''}": "", "{a: nobody}": "spec.credentialSecrets.a"} {
		_, err := Load([]string{write(t, fmt.Sprintf(doc, ", cloud: prod, credentialSecrets: "+secrets))}, nil)
		if wrong == "" && err != nil || wrong != "" && !refuses(err, wrong) {
			t.Errorf("%s: got %v, want %q", secrets, err, wrong)
		}
	}
	stacks, err := Load(nil, Settings{"stack": "s", "url": "./x", "cloud": "prod", "clouds": "admin,other"})
	if err != nil || fmt.Sprint(stacks[0].Entries().Further) != "[admin other]" {
		t.Errorf("by flags: %v, %v", stacks, err)
	}
}
