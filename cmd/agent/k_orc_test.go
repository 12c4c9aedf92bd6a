package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/simulator"
)

// casesOfKORC is a folder internal/controllers of K-ORC's sources, which contains its end-to-end cases. "make test-k-orc" fetches them.
var casesOfKORC = os.Getenv("STACKREEVE_TEST_K_ORC")

// differs is the file with the cases that end differently, and the reasons. docs/k-orc.md contains the same list as a table.
const differs = "testdata/k-orc.differs"

// K-ORC's own cases have the same end with Stackreeve as with K-ORC, except for those that are listed as intended differences. Each step is a
// commit and a pass. The assertions of the case are compared with the output of status.
func TestKORC(t *testing.T) {
	if casesOfKORC == "" {
		t.Skip("set STACKREEVE_TEST_K_ORC to K-ORC's internal/controllers, or run make test-k-orc")
	}
	cases, err := filepath.Glob(filepath.Join(casesOfKORC, "*", "tests", "*-*"))
	if err != nil || len(cases) < 100 {
		t.Fatalf("%d cases, %v", len(cases), err)
	}
	meant := meantToDiffer(t)
	if len(meant) >= 30 {
		t.Errorf("%d cases differ on purpose, and fewer than 30 should", len(meant))
	}
	program := filepath.Join(t.TempDir(), "stackreeve")
	self, err := os.Executable()
	if err == nil {
		err = os.Symlink(self, program)
	}
	if err != nil {
		t.Fatal(err)
	}
	files := images(t)
	for _, dir := range cases {
		name := filepath.Base(dir)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := replayOf(t, program, files.URL)
			r.replay(dir)
			if why, differs := meant[name]; differs == (len(r.differences) == 0) {
				t.Errorf("listed as %q, and differs in: %s", why, strings.Join(r.differences, "\n"))
			}
		})
	}
}

func meantToDiffer(t *testing.T) map[string]string {
	file, err := os.Open(differs)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	meant := map[string]string{}
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if name, why, ok := strings.Cut(lines.Text(), ":"); ok && !strings.HasPrefix(name, "#") {
			meant[name] = strings.TrimSpace(why)
		}
	}
	return meant
}

// images returns a server with the raw images of the cases. For any other path, it answers a few bytes.
func images(t *testing.T) *httptest.Server {
	files := http.FileServer(http.Dir(filepath.Join(casesOfKORC, "image", "testdata")))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if strings.HasPrefix(req.URL.Path, "/raw.") {
			files.ServeHTTP(w, req)
			return
		}
		_, _ = w.Write([]byte("an image"))
	}))
	t.Cleanup(server.Close)
	return server
}

// download replaces the address of every image in a document by an address of the server images, because the cases use other hosts.
func (r *replay) download(doc map[string]any) {
	for key, value := range doc {
		below, _ := value.(map[string]any)
		if key == "download" {
			file := path.Base(fmt.Sprint(below["url"]))
			below["url"] = r.images + "/" + file
			if !strings.HasPrefix(file, "raw.") {
				delete(below, "hash")
				delete(below, "decompress")
			}
		}
		r.download(below)
	}
}

// replay is one case, with its own cloud and repository.
type replay struct {
	t           *testing.T
	program     string
	work, repo  string
	images      string // the address of the server images
	env         []string
	objects     map[string]map[string]any // by kind and name: the content of the repository
	complaint   string                    // the output of the last program that failed
	differences []string
}

func replayOf(t *testing.T, program, images string) *replay {
	r := &replay{t: t, program: program, work: t.TempDir(), images: images, objects: map[string]map[string]any{}}
	r.repo = filepath.Join(r.work, "repo")
	name := os.Getenv("STACKREEVE_TEST_CLOUD")
	if name == "" {
		cloud, err := simulator.Start(t.Context(), "127.0.0.1:0", simulator.Options{Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = cloud.Close() })
		r.login(cloud.CloudsYAML(), "demo", "admin")
	} else {
		text, err := os.ReadFile(os.Getenv("OS_CLIENT_CONFIG_FILE"))
		if err != nil {
			t.Fatal(err)
		}
		r.login(text, name, name+"-admin")
		t.Cleanup(r.remove)
	}
	r.write("stackreeve.yaml", `apiVersion: stackreeve.dev/v1alpha1
kind: Stack
metadata: {name: k`+strings.ToLower(rand.Text())[:8]+`}
spec:
  source: {url: ./repo}
  cloud: openstack
  clouds: [openstack-admin]
  credentialSecrets: {openstack-clouds: ""}
  defaults: {imageHosts: [127.0.0.1]}
  sync: {missingReferences: wait, maxDeletes: 100%, allowDataLoss: true}
`)
	r.env = append(os.Environ(), "OS_CLIENT_CONFIG_FILE="+filepath.Join(r.work, "clouds.yaml"), "HOME="+r.work, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=Ada", "GIT_AUTHOR_EMAIL=ada@example.com", "GIT_COMMITTER_NAME=Ada", "GIT_COMMITTER_EMAIL=ada@example.com")
	r.must(context.WithoutCancel(t.Context()), "git", "init", "-q", "-b", "main", "repo")
	if name == "" {
		r.grant("member", "reader")
	}
	return r
}

// login writes the case's clouds.yaml. It contains the entry of a user, and the entry of an administrator in the same project.
func (r *replay) login(text []byte, user, admin string) {
	var file struct{ Clouds map[string]map[string]any }
	if err := yaml.Unmarshal(text, &file); err != nil || file.Clouds[user] == nil || file.Clouds[admin] == nil {
		r.t.Fatalf("clouds.yaml needs the entries %s and %s: %v", user, admin, err)
	}
	entries := map[string]any{"openstack": file.Clouds[user], "openstack-admin": file.Clouds[admin]}
	file.Clouds[admin]["auth"].(map[string]any)["project_name"] = file.Clouds[user]["auth"].(map[string]any)["project_name"]
	written, err := yaml.Marshal(map[string]any{"clouds": entries})
	if err != nil {
		r.t.Fatal(err)
	}
	r.write("clouds.yaml", string(written))
}

// remove deletes all objects of the case, because the cloud is used for other cases, too.
func (r *replay) remove() {
	ctx := context.WithoutCancel(r.t.Context())
	r.must(ctx, "git", "-C", "repo", "rm", "-q", "all.yaml")
	r.must(ctx, "git", "-C", "repo", "commit", "-q", "-m", "the end")
	r.must(ctx, r.program, "run", "--once")
}

// must runs a program and fails if the program fails.
func (r *replay) must(ctx context.Context, name string, args ...string) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = r.work, r.env
	if said, err := cmd.CombinedOutput(); err != nil {
		r.t.Errorf("%s %s: %v: %s", name, strings.Join(args, " "), err, said)
	}
}

func (r *replay) write(name, text string) {
	if err := os.WriteFile(filepath.Join(r.work, name), []byte(text), 0o600); err != nil {
		r.t.Fatal(err)
	}
}

// run runs a program in the case's folder. It returns the output whether or not the program fails.
func (r *replay) run(name string, args ...string) string {
	cmd := exec.CommandContext(r.t.Context(), name, args...)
	cmd.Dir, cmd.Env = r.work, r.env
	said, err := cmd.Output()
	if failed := new(exec.ExitError); errors.As(err, &failed) {
		r.complaint = string(failed.Stderr)
	}
	return string(said)
}

var stepFile = regexp.MustCompile(`^(\d\d)-.*\.yaml$`)

// replay carries out the steps of the case, one after the other.
func (r *replay) replay(dir string) {
	files, err := os.ReadDir(dir)
	if err != nil {
		r.t.Fatal(err)
	}
	var asserts [][]map[string]any
	steps := map[string]func(){}
	for _, f := range files {
		number := stepFile.FindStringSubmatch(f.Name())
		if number == nil {
			continue
		}
		docs, before := documents(r.t, filepath.Join(dir, f.Name())), steps[number[1]]
		if before == nil {
			before = func() {}
		}
		if strings.Contains(f.Name(), "-assert") {
			asserts = append(asserts, docs)
			at := len(asserts) - 1
			steps[number[1]] = func() { before(); r.settle(number[1], asserts[at]) }
			continue
		}
		steps[number[1]] = func() { r.take(dir, docs); before() }
	}
	for _, number := range slices.Sorted(maps.Keys(steps)) {
		steps[number]()
	}
}

// zones replaces the only availability zone in the cases by the simulator's first one.
var zones = strings.NewReplacer("availabilityZone: nova", "availabilityZone: az-a", "availabilityZone == 'nova'", "availabilityZone == 'az-a'")

func documents(t *testing.T, file string) (docs []map[string]any) {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for part := range strings.SplitSeq("\n"+zones.Replace(string(text)), "\n---") {
		var doc map[string]any
		if err := yaml.Unmarshal([]byte(part), &doc); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if doc["kind"] != nil {
			docs = append(docs, doc)
		}
	}
	return docs
}

func titleOf(doc map[string]any) string {
	meta, _ := doc["metadata"].(map[string]any)
	return fmt.Sprint(doc["kind"], "/", meta["name"])
}

// take changes the repository as a step requires: it applies, deletes and runs commands.
func (r *replay) take(dir string, docs []map[string]any) {
	for _, doc := range docs {
		if doc["kind"] != "TestStep" {
			r.download(doc)
			r.objects[titleOf(doc)] = merge(r.objects[titleOf(doc)], doc)
			continue
		}
		again := false
		gone, _ := doc["delete"].([]any)
		for _, one := range gone {
			ref := one.(map[string]any)
			name := fmt.Sprint(ref["kind"], "/", ref["name"])
			delete(r.objects, name)
			again = again || slices.ContainsFunc(docs, func(doc map[string]any) bool { return titleOf(doc) == name })
		}
		if again {
			r.commit("before it is made again")
			r.run(r.program, "run", "--once")
		}
		commands, _ := doc["commands"].([]any)
		for _, one := range commands {
			c := one.(map[string]any)
			if c["command"] != nil {
				r.command(dir, strings.Fields(c["command"].(string)))
			} else if script, _ := c["script"].(string); script != "" {
				r.script(dir, script)
			}
		}
	}
}

// command changes the repository as kubectl would change the objects in the cluster.
func (r *replay) command(dir string, words []string) {
	text := strings.Join(words, " ")
	switch {
	case strings.HasPrefix(text, "kubectl create secret generic ") && words[4] != "openstack-clouds":
		data := map[string]any{"clouds.yaml": "clouds: {}"}
		for _, word := range words[5:] {
			if key, value, ok := strings.Cut(strings.TrimPrefix(word, "--from-literal="), "="); ok && strings.HasPrefix(word, "--from-literal=") {
				data[key] = value
			}
		}
		r.objects["Secret/"+words[4]] = map[string]any{"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"name": words[4]}, "stringData": data}
	case strings.HasPrefix(text, "kubectl delete secret "):
		delete(r.objects, "Secret/"+words[3])
	case strings.HasPrefix(text, "kubectl replace -f "):
		for _, doc := range documents(r.t, filepath.Join(dir, words[3])) {
			r.download(doc)
			r.objects[titleOf(doc)] = doc
		}
	case strings.HasPrefix(text, "kubectl delete "):
		for key := range r.objects {
			if strings.EqualFold(key, strings.Split(words[2], ".")[0]+"/"+words[3]) {
				delete(r.objects, key)
			}
		}
	}
}

var templated = regexp.MustCompile(`(?:E2E_KUTTL_CURRENT_TEST=(\S+)\s+)?cat (\S+)\s*\|\s*envsubst`)

// script applies a template, as the scripts of steps do.
func (r *replay) script(dir, script string) {
	if strings.Contains(script, "openstack network delete") {
		r.commit("before the deletion by somebody else")
		r.run(r.program, "run", "--once")
		r.deleteNetworks()
	}
	found := templated.FindStringSubmatch(script)
	if found == nil {
		return
	}
	file := filepath.Join(dir, found[2])
	text, err := os.ReadFile(file)
	if err != nil {
		r.t.Fatal(err)
	}
	r.write("applied.yaml", strings.NewReplacer("${E2E_KUTTL_CURRENT_TEST}", found[1], "${E2E_KUTTL_FLAVOR}", "m1.small", "${E2E_EXTERNAL_NETWORK_NAME}", "public").Replace(string(text)))
	r.take(dir, documents(r.t, filepath.Join(r.work, "applied.yaml")))
}

// client returns a client that has logged in with an entry of the case's clouds.yaml.
func (r *replay) client(entry string) *cloud.Client {
	client, err := cloud.Open(r.t.Context(), cloud.Config{Cloud: entry, File: filepath.Join(r.work, "clouds.yaml")})
	if err != nil {
		r.t.Fatal(err)
	}
	return client
}

// grant gives the administrator additional roles in the project. In a real Keystone, the first role implies them.
func (r *replay) grant(roles ...string) {
	client := r.client("openstack-admin")
	all, err := cloud.List[struct{ ID, Name string }](r.t.Context(), client, cloud.Call{Service: cloud.Identity, Path: "roles"}, "roles")
	if err != nil {
		r.t.Fatal(err)
	}
	for _, role := range all {
		if !slices.Contains(roles, role.Name) {
			continue
		}
		at := "projects/" + client.ProjectID + "/users/" + client.Login().User + "/roles/" + role.ID
		if err := client.Do(r.t.Context(), cloud.Call{Service: cloud.Identity, Method: http.MethodPut, Path: at}); err != nil {
			r.t.Fatal(err)
		}
	}
}

// deleteNetworks deletes networks, as another person could do.
func (r *replay) deleteNetworks() {
	client := r.client("openstack")
	list, err := cloud.List[struct{ ID, Name string }](r.t.Context(), client, cloud.Call{Service: cloud.Network, Path: "networks"}, "networks")
	if err != nil {
		r.t.Fatal(err)
	}
	for _, n := range list {
		if strings.HasPrefix(n.Name, "network-external-deletion") {
			if err := client.Do(r.t.Context(), cloud.Call{Service: cloud.Network, Method: http.MethodDelete, Path: "networks/" + n.ID}); err != nil {
				r.t.Fatal(err)
			}
		}
	}
}

// merge returns an object with a patch applied.
func merge(have, patch map[string]any) map[string]any {
	merged := maps.Clone(have)
	if merged == nil {
		merged = map[string]any{}
	}
	for key, value := range patch {
		if below, ok := value.(map[string]any); ok {
			old, _ := merged[key].(map[string]any)
			merged[key] = merge(old, below)
		} else if merged[key] = value; value == nil {
			delete(merged, key)
		}
	}
	return merged
}

// settle runs passes until the assertions of a step are true, at most three.
func (r *replay) settle(number string, asserts []map[string]any) {
	r.commit(number)
	var wrong []string
	said := ""
	for range 3 {
		r.complaint = ""
		said = r.run(r.program, "run", "--once") + r.complaint
		var found struct{ Items []map[string]any }
		_ = json.Unmarshal([]byte(r.run(r.program, "status", "-o", "json")), &found) // a refused commit has no objects
		objects := map[string]any{}
		for _, o := range found.Items {
			name, written := strings.ToLower(titleOf(o)), r.objects[titleOf(o)]
			if status, _ := o["status"].(map[string]any); written == nil && status["action"] == string(plan.Wait) {
				name = missing + name
			} else if written != nil {
				o["spec"] = written["spec"]
			}
			objects[name] = o
		}
		if wrong = judge(r.t, asserts, objects); len(wrong) == 0 {
			return
		}
	}
	for _, w := range wrong {
		r.differences = append(r.differences, number+": "+w)
	}
	r.t.Log(said)
}

func (r *replay) commit(message string) {
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(r.objects)) {
		one, err := yaml.Marshal(r.objects[name])
		if err != nil {
			r.t.Fatal(err)
		}
		text.WriteString("---\n" + string(one))
	}
	r.write("repo/all.yaml", text.String())
	r.run("git", "-C", "repo", "add", "-A")
	r.run("git", "-C", "repo", "commit", "-q", "--allow-empty", "-m", message)
}
