package simulator_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/config"
	"github.com/gophercloud/gophercloud/v2/openstack/config/clouds"

	"github.com/stackreeve/stackreeve/internal/simulator"
)

// The files in testdata/recorded are conversations with a real OpenStack (Zed). Each line is a request with its
// answer. The simulator must give the same answers. With -record, the requests are sent to the clouds demo,
// demo2 and admin in clouds.yaml, and the files are written again.
var record = flag.Bool("record", false, "record testdata/recorded from the clouds demo, demo2 and admin of clouds.yaml")

// exchange is one request and its answer. In path, header, body and answer, "$name" means an ID that an earlier
// exchange has saved. "$demo", "$demo2" and "$admin" mean the IDs of the projects.
type exchange struct {
	As      string            `json:"as,omitempty"`      // demo if empty
	Service string            `json:"service,omitempty"` // catalog type, network if empty
	Method  string            `json:"method"`
	Path    string            `json:"path"`
	Of      string            `json:"of,omitempty"` // the user whose account is in the address, if there is one; As if empty.
	Header  map[string]string `json:"header,omitempty"`
	Body    any               `json:"body,omitempty"`
	Save    map[string]string `json:"save,omitempty"`  // maps a name to the path of keys and indexes in the answer.
	Until   string            `json:"until,omitempty"` // the request is repeated until the answer contains this text.
	Any     bool              `json:"any,omitempty"`   // the answer is not compared, because it shows the contents of the cloud.
	Show    []string          `json:"show,omitempty"`  // the prefixes of the answer's headers that are compared.
	Shown   map[string]string `json:"shown,omitempty"`
	Status  int               `json:"status"`
	Answer  any               `json:"answer"`
}

func TestAnswersAreTheRecordedOnes(t *testing.T) {
	files, err := filepath.Glob("testdata/recorded/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatalf("no recordings: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".jsonl"), func(t *testing.T) {
			steps := readExchanges(t, file)
			if *record {
				replay(t, realClouds(t), steps, true)
				writeExchanges(t, file, steps)
				return
			}
			s := start(t, simulator.Options{})
			users := map[string]*gophercloud.ProviderClient{}
			for _, name := range []string{"demo", "demo2", "admin"} {
				users[name] = login(t, s, name)
			}
			replay(t, users, steps, false)
		})
	}
}

func realClouds(t *testing.T) map[string]*gophercloud.ProviderClient {
	t.Helper()
	users := map[string]*gophercloud.ProviderClient{}
	for _, name := range []string{"demo", "demo2", "admin"} {
		auth, _, tls, err := clouds.Parse(clouds.WithCloudName(name))
		if err != nil {
			t.Fatal(err)
		}
		p, err := config.NewProviderClient(context.Background(), auth, config.WithTLSConfig(tls))
		if err != nil {
			t.Fatal(err)
		}
		users[name] = p
	}
	return users
}

// replay repeats a recorded conversation. It compares the answers, or stores them if keep is set.
func replay(t *testing.T, users map[string]*gophercloud.ProviderClient, steps []*exchange, keep bool) {
	t.Helper()
	vars := map[string]string{}
	for name, p := range users {
		vars[name] = projectOf(t, p)
	}
	for i, step := range steps {
		status, raw, header := step.send(t, users, vars)
		for deadline := time.Now().Add(time.Minute); !strings.Contains(mustJSON(raw), step.Until) && time.Now().Before(deadline); {
			status, raw, header = step.send(t, users, vars)
		}
		if !strings.Contains(mustJSON(raw), step.Until) {
			t.Errorf("line %d: %s %s never holds %s: %d %s", i+1, step.Method, step.Path, step.Until, status, mustJSON(raw))
		}
		for name, path := range step.Save {
			vars[name] = lookup(raw, path)
		}
		answer := normal(raw, vars, strings.Contains(step.Path, "sort_key"))
		if step.Any {
			answer = nil
		}
		shown := step.headers(header)
		if keep {
			step.Status, step.Answer, step.Shown = status, answer, shown
			continue
		}
		if !maps.Equal(shown, step.Shown) {
			t.Errorf("line %d: %s %s shows %v, want %v", i+1, step.Method, step.Path, shown, step.Shown)
		}
		got, want := compact(t, answer), compact(t, step.Answer)
		if status != step.Status || got != want {
			t.Errorf("line %d: %s %s as %q\n body %s\n got  %d %s\n want %d %s", i+1, step.Method, step.Path, step.As, compact(t, step.Body), status, got, step.Status, want)
		}
	}
}

func projectOf(t *testing.T, p *gophercloud.ProviderClient) string {
	t.Helper()
	c, err := openstack.NewIdentityV3(p, gophercloud.EndpointOpts{})
	if err != nil {
		t.Fatal(err)
	}
	var body struct {
		Token struct {
			Project struct{ ID string }
		}
	}
	_, err = c.Get(context.Background(), c.ServiceURL("auth", "tokens"), &body, &gophercloud.RequestOpts{MoreHeaders: map[string]string{"X-Subject-Token": p.Token()}})
	if err != nil {
		t.Fatal(err)
	}
	return body.Token.Project.ID
}

// headers returns the headers that are compared.
func (e *exchange) headers(all http.Header) map[string]string {
	shown := map[string]string{}
	for name := range all {
		if slices.ContainsFunc(e.Show, func(begin string) bool { return strings.HasPrefix(name, begin) }) {
			shown[name] = all.Get(name)
		}
	}
	return shown
}

func (e *exchange) send(t *testing.T, users map[string]*gophercloud.ProviderClient, vars map[string]string) (int, any, http.Header) {
	t.Helper()
	user, service := e.As, e.Service
	if user == "" {
		user = "demo"
	}
	if service == "" {
		service = "network"
	}
	p := users[user]
	endpoint, err := p.EndpointLocator(gophercloud.EndpointOpts{Type: service, Region: "RegionOne", Availability: gophercloud.AvailabilityPublic, Aliases: []string{service}})
	if err != nil {
		t.Fatal(err)
	}
	if e.Of != "" {
		endpoint = strings.Replace(endpoint, vars[user], vars[e.Of], 1)
	}
	var body io.Reader
	if e.Body != nil {
		body = strings.NewReader(fill(compact(t, e.Body), vars))
	}
	req, err := http.NewRequestWithContext(context.Background(), e.Method, strings.TrimSuffix(endpoint, "/")+fill(e.Path, vars), body)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-Auth-Token", p.Token())
	req.Header.Set("Content-Type", "application/json")
	for k, v := range e.Header {
		req.Header.Set(k, fill(v, vars))
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	var v any
	if json.Unmarshal(raw, &v) != nil && len(raw) > 0 {
		v = string(raw)
	}
	return resp.StatusCode, v, resp.Header
}

var variable = regexp.MustCompile(`\$\w+`)

func fill(s string, vars map[string]string) string {
	return variable.ReplaceAllStringFunc(s, func(name string) string {
		if v, ok := vars[name[1:]]; ok {
			return v
		}
		return name
	})
}

func lookup(v any, path string) string {
	for key := range strings.SplitSeq(path, ".") {
		switch x := v.(type) {
		case map[string]any:
			v = x[key]
		case []any:
			if i, err := strconv.Atoi(key); err == nil && i < len(x) {
				v = x[i]
			}
		}
	}
	return fmt.Sprint(v)
}

// These values differ between runs: IDs, times, and values that a cloud chooses at random.
var (
	version  = regexp.MustCompile(`/v\d`)
	anyID    = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\b[0-9a-f]{32}\b`)
	anyMAC   = regexp.MustCompile(`fa:16:3e:..:..:..`)
	anyEUI   = regexp.MustCompile(`f816:3eff:fe[0-9a-f:]+`)
	external = regexp.MustCompile(`203\.0\.1[12]\d\.\d+\b(?:[^/]|$)`)
)

func normal(v any, vars map[string]string, ordered bool) any {
	names := map[string]string{}
	for name, id := range vars {
		names[id] = "$" + name
	}
	return normalize(v, "", names, ordered)
}

func normalize(v any, key string, names map[string]string, ordered bool) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, x := range v {
			out[k] = normalize(x, k, names, ordered)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, x := range v {
			out[i] = normalize(x, key, names, ordered)
		}
		if !ordered {
			slices.SortFunc(out, func(a, b any) int { return strings.Compare(mustJSON(a), mustJSON(b)) })
		}
		return out
	case float64:
		if key == "standard_attr_id" || key == "provider:segmentation_id" {
			return "N"
		}
	case string:
		return normalText(v, key, names)
	}
	return v
}

func normalText(s, key string, names map[string]string) string {
	switch key {
	case "created_at", "updated_at", "last_modified":
		return "T"
	case "href", "self", "assignment":
		if u, err := url.Parse(s); err == nil {
			s = u.RequestURI()
			if at := version.FindStringIndex(s); at != nil {
				s = s[at[0]:]
			}
			for _, root := range []string{"/compute", "/volume"} { // the paths of services on their hosts
				if strings.HasPrefix(s, root+"/") {
					s = strings.TrimPrefix(s, root)
				}
			}
		}
	}
	s = anyID.ReplaceAllStringFunc(s, func(id string) string {
		if name, ok := names[id]; ok {
			return name
		}
		return "ID"
	})
	s = anyMAC.ReplaceAllString(s, "MAC")
	s = anyEUI.ReplaceAllString(s, "EUI")
	return external.ReplaceAllStringFunc(s, func(a string) string {
		if last := a[len(a)-1]; last < '0' || last > '9' {
			return "EXT" + string(last)
		}
		return "EXT"
	})
}

func mustJSON(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err.Error()
	}
	return strings.TrimSpace(b.String())
}

func compact(t *testing.T, v any) string {
	t.Helper()
	return mustJSON(v)
}

func readExchanges(t *testing.T, file string) []*exchange {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var steps []*exchange
	for line := range strings.Lines(string(raw)) {
		e := &exchange{}
		if err := json.Unmarshal([]byte(line), e); err != nil {
			t.Fatalf("%s: %v: %s", file, err, line)
		}
		steps = append(steps, e)
	}
	return steps
}

func writeExchanges(t *testing.T, file string, steps []*exchange) {
	t.Helper()
	var b strings.Builder
	for _, e := range steps {
		b.WriteString(mustJSON(e) + "\n")
	}
	if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}
