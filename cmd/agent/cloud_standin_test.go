package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// hands is a way to read and change a cloud as people do, without the program: OpenStack's own client, or standin. The input is the client's
// command line.
type hands interface {
	list(words ...string) ([]thing, error)
	one(words ...string) (thing, error)
	do(words ...string) (json.RawMessage, error)
}

// standin implements the few commands of the client that the tests need, for a machine without the client. It uses the simulator's HTTP API
// and no code of the program.
type standin struct {
	root, token, project, user string
}

// noun is a sort of objects, with the path of the objects and their name in JSON.
type noun struct{ words, path, name string }

var nouns = []noun{
	{"server group", "/compute/v2.1/os-server-groups", "server_group"},
	{"server", "/compute/v2.1/servers/detail", "server"},
	{"port", "/network/v2.0/ports", "port"},
	{"security group rule", "/network/v2.0/security-group-rules", "security_group_rule"},
	{"security group", "/network/v2.0/security-groups", "security_group"},
	{"volume", "/volume/v3/PROJECT/volumes/detail", "volume"},
	{"loadbalancer listener", "/load-balancer/v2.0/lbaas/listeners", "listener"},
	{"loadbalancer pool", "/load-balancer/v2.0/lbaas/pools", "pool"},
	{"loadbalancer healthmonitor", "/load-balancer/v2.0/lbaas/healthmonitors", "healthmonitor"},
	{"loadbalancer member", "/load-balancer/v2.0/lbaas/pools/POOL/members", "member"},
	{"loadbalancer", "/load-balancer/v2.0/lbaas/loadbalancers", "loadbalancer"},
	{"application credential", "/identity/v3/users/USER/application_credentials", "application_credential"},
}

func newStandin(t *testing.T, root string) *standin {
	t.Helper()
	s := &standin{root: root}
	var in struct {
		Token struct{ Project, User struct{ ID string } }
	}
	s.token = logIn(t, root+"/identity", &in)
	s.project, s.user = in.Token.Project.ID, in.Token.User.ID
	return s
}

// logIn gets a token of the user demo from a Keystone, and decodes the body of the answer.
func logIn(t *testing.T, keystone string, into any) (token string) {
	t.Helper()
	login := `{"auth": {"identity": {"methods": ["password"], "password": {"user": {"name": "demo", "password": "demo", "domain": {"name": "Default"}}}},
		"scope": {"project": {"name": "demo", "domain": {"name": "Default"}}}}}`
	resp, err := http.Post(keystone+"/v3/auth/tokens", "application/json", strings.NewReader(login))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(into); err != nil || resp.StatusCode != http.StatusCreated {
		t.Fatal(resp.Status, err)
	}
	return resp.Header.Get("X-Subject-Token")
}

// ask makes one request and returns the part of the answer with a name. "" means the whole answer.
func (s *standin) ask(method, path string, body any, name string) (json.RawMessage, error) {
	path = strings.NewReplacer("PROJECT", s.project, "USER", s.user).Replace(path)
	_, said, err := askCloud(context.Background(), method, s.root+path, s.token, body)
	if err != nil || name == "" {
		return said, err
	}
	var all map[string]json.RawMessage
	err = json.Unmarshal(said, &all)
	return all[name], err
}

// askCloud sends one request as a client of the cloud, and returns the answer.
func askCloud(ctx context.Context, method, address, token string, body any) (http.Header, []byte, error) {
	var text []byte
	if body != nil { // Neutron refuses a body with DELETE
		var err error
		if text, err = json.Marshal(body); err != nil {
			return nil, nil, err
		}
	}
	req, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(text))
	if err != nil {
		return nil, nil, err
	}
	req.Header.Set("X-Auth-Token", token)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, nil, err
	}
	defer resp.Body.Close()
	said, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode >= 300 {
		err = fmt.Errorf("%s %s: %s: %s", method, address, resp.Status, said)
	}
	if err != nil {
		return nil, nil, err
	}
	return resp.Header, said, nil
}

// command is a parsed command line.
type command struct {
	noun
	verb  string
	args  []string
	flags map[string]string
}

var errUnknown = errors.New("the stand-in of OpenStack's client does not know this command")

func parse(words []string) (command, error) {
	line := strings.Join(words, " ")
	for _, n := range nouns {
		rest, ok := strings.CutPrefix(line, n.words+" ")
		if !ok {
			continue
		}
		c := command{noun: n, flags: map[string]string{}}
		fields := strings.Fields(rest)
		c.verb = fields[0]
		for i := 1; i < len(fields); i++ {
			switch flag := fields[i]; {
			case flag == "--wait" || flag == "--long" || flag == "--disable":
				c.flags[flag] = "yes"
			case strings.HasPrefix(flag, "-") && i+1 < len(fields):
				i++
				c.flags[flag] = fields[i]
			default:
				c.args = append(c.args, flag)
			}
		}
		if n.name == "member" && len(c.args) > 0 {
			c.path = strings.Replace(c.path, "POOL", c.args[0], 1)
			c.args = c.args[1:]
		}
		return c, nil
	}
	return command{}, fmt.Errorf("%w: %s", errUnknown, line)
}

func (s *standin) list(words ...string) ([]thing, error) {
	c, err := parse(words)
	if err != nil {
		return nil, err
	}
	return s.all(c)
}

func (s *standin) all(c command) ([]thing, error) {
	doc, err := s.ask(http.MethodGet, c.path, nil, c.name+"s")
	if err != nil {
		return nil, err
	}
	var found []thing
	if err := json.Unmarshal(doc, &found); err != nil {
		return nil, err
	}
	for _, o := range found {
		o["properties"] = o["metadata"]
	}
	if c.name == "security_group_rule" && c.verb == "list" {
		groups, _ := parse(words("security group list"))
		group, err := s.find(groups, c.args[0])
		found = slices.DeleteFunc(found, func(o thing) bool { return o.text("security_group_id") != group.text("id") })
		return found, err
	}
	return found, nil
}

// find finds an object by its name or ID.
func (s *standin) find(c command, name string) (thing, error) {
	found, err := s.all(c)
	if err != nil {
		return nil, err
	}
	for _, o := range found {
		if o.text("id") == name || o.text("name") == name {
			return o, nil
		}
	}
	return nil, fmt.Errorf("there is no %s %s", c.words, name)
}

func (s *standin) one(words ...string) (thing, error) {
	c, err := parse(words)
	switch {
	case err != nil:
		return nil, err
	case c.verb == "show":
		return s.find(c, c.args[0])
	case c.name == "application_credential" && c.verb == "create":
		doc, err := s.ask(http.MethodPost, c.path, map[string]any{c.name: map[string]any{"name": c.args[0]}}, c.name)
		var o thing
		return o, errors.Join(err, json.Unmarshal(doc, &o))
	}
	return nil, fmt.Errorf("%w: %v", errUnknown, words)
}

func (s *standin) do(line ...string) (json.RawMessage, error) {
	if slices.Equal(line[:2], []string{"catalog", "list"}) {
		return s.ask(http.MethodGet, "/identity/v3/auth/catalog", nil, "catalog")
	}
	c, err := parse(line)
	if err != nil {
		return nil, err
	}
	if c.name == "security_group_rule" && c.verb == "create" {
		groups, _ := parse(words("security group list"))
		group, err := s.find(groups, c.args[0])
		if err != nil {
			return nil, err
		}
		port := json.Number(c.flags["--dst-port"])
		return s.ask(http.MethodPost, c.path, map[string]any{c.name: map[string]any{"security_group_id": group.text("id"), "direction": "ingress",
			"ethertype": "IPv4", "protocol": c.flags["--protocol"], "port_range_min": port, "port_range_max": port}}, "")
	}
	o, err := s.find(c, c.args[0])
	if err != nil {
		return nil, err
	}
	at := strings.TrimSuffix(c.path, "/detail") + "/" + o.text("id")
	if c.verb == "delete" {
		_, err = s.ask(http.MethodDelete, at, nil, "")
	} else {
		err = s.change(c, at)
	}
	if err == nil && c.flags["--wait"] != "" {
		err = s.settled(c)
	}
	return nil, err
}

// change carries out the commands set and unset.
func (s *standin) change(c command, at string) error {
	key, value, _ := strings.Cut(c.flags["--property"], "=")
	fields := map[string]any{}
	var err error
	switch {
	case c.verb == "unset" && key != "":
		_, err = s.ask(http.MethodDelete, at+"/metadata/"+key, nil, "")
		return err
	case key != "":
		_, err = s.ask(http.MethodPost, at+"/metadata", map[string]any{"metadata": map[string]string{key: value}}, "")
		return err
	case c.flags["--tag"] != "":
		method := map[string]string{"set": http.MethodPut, "unset": http.MethodDelete}[c.verb]
		_, err = s.ask(method, at+"/tags/"+c.flags["--tag"], nil, "")
		return err
	case c.flags["--disable"] != "":
		fields["admin_state_up"] = false
	case c.flags["--weight"] != "":
		fields["weight"] = json.Number(c.flags["--weight"])
	}
	for _, name := range []string{"name", "description"} {
		if value := c.flags["--"+name]; value != "" {
			fields[name] = value
		}
	}
	_, err = s.ask(http.MethodPut, at, map[string]any{c.name: fields}, "")
	return err
}

// settled waits as the client does with --wait.
func (s *standin) settled(c command) error {
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); <-time.After(5 * time.Millisecond) {
		busy, err := s.busy(c)
		if err != nil || !busy {
			return err
		}
	}
	return errors.New("it never settled")
}

func (s *standin) busy(c command) (bool, error) {
	if c.name == "server" {
		found, err := s.all(c)
		return slices.ContainsFunc(found, func(o thing) bool { return o.text("id") == c.args[0] || o.text("name") == c.args[0] }), err
	}
	balancers, err := s.list("loadbalancer", "list")
	return slices.ContainsFunc(balancers, func(o thing) bool { return o.text("provisioning_status") != "ACTIVE" }), err
}
