package takeover

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/printable"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// hostileKeys contains keys of instances that Terraform allows.
var hostileKeys = []string{
	"a", "it's", "'; touch pwned; '", "$(touch pwned)", "`touch pwned`", "a\ntouch pwned\n", "${x}", "%{if}", "$${x}", `back\slash`, `"quoted"`, "tab\tand\rreturn",
	"\u202egpj", "zero\u200bwidth", "\x00", "::set-output name=x::y", "##[command]x", "--help", "../../etc", "]", `"].x["`, "\U0001F600", strings.Repeat("\u00e9\u0301\u0301\u0301", 20), " ",
}

func asJSON(s string) string {
	text, _ := json.Marshal(s) // a string can always be written as JSON
	return string(text)
}

// TestAttackStateLinesInShell checks that the lines for a shell only contain an address, whatever the key of an
// instance is.
func TestAttackStateLinesInShell(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "terraform"), []byte("#!/bin/sh\nprintf '%s' \"$3\"\necho \"$#\" >>count\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, k := range hostileKeys {
		for _, where := range []string{`"mode": "managed", "type": "openstack_networking_network_v2", "name": "n", "instances": [{"index_key": ` + asJSON(k) + `, "attributes": {"id": "n"}}, {"index_key": "_"}]`,
			`"module": ` + asJSON("module.m["+hcl(k)+"]") + `, "mode": "managed", "type": "openstack_networking_network_v2", "name": "n", "instances": [{"attributes": {"id": "n"}}]`} {
			list, _, err := Terraform(stateOf("{" + where + "}"))
			if err != nil {
				t.Logf("%q: %v", k, err)
				continue // the path of a module is accepted only in the form that Terraform writes
			}
			for _, d := range list {
				if d.ID == "" {
					continue
				}
				lines := Removals(list, map[string]bool{d.Address: true})
				if len(lines) != 1 || strings.ContainsAny(lines[0], "\n\r\x00") || printable.Line(lines[0]) != lines[0] {
					t.Errorf("%q: %q", k, lines)
				}
				run := exec.Command("sh", "-c", lines[0])
				run.Dir, run.Env = dir, []string{"PATH=" + dir + ":" + os.Getenv("PATH")}
				if out, err := run.Output(); err != nil || string(out) != d.Address {
					t.Errorf("%q: %q, %v; want %q", k, out, err, d.Address)
				}
			}
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "pwned")); err == nil {
		t.Error("a command ran")
	}
}

// TestAttackStateAddresses uses addresses that Terraform never writes. They are refused, and the error does not
// repeat them.
func TestAttackStateAddresses(t *testing.T) {
	for _, fields := range []string{
		`"type": "openstack_networking_network_v2", "name": "a; touch x"`, `"type": "openstack_networking_network_v2", "name": "a\nb"`, `"type": "openstack_x' y", "name": "a"`, `"type": "openstack_x", "name": ""`,
		`"module": "module.a; rm", "type": "openstack_x", "name": "a"`, `"module": "module.a[\"x\"", "type": "openstack_x", "name": "a"`, `"module": "module.a[$(x)]", "type": "openstack_x", "name": "a"`,
		`"module": "module.a.", "type": "openstack_x", "name": "a"`, `"module": "x", "type": "openstack_x", "name": "a"`, `"module": "module.", "type": "openstack_x", "name": "a"`,
		`"module": "` + strings.Repeat("module.a.", 100) + `", "type": "openstack_x", "name": "a"`,
		`"type": "openstack_networking_network_v2", "name": "a", "instances": [{"index_key": {"x": 1}}]`, `"type": "openstack_networking_network_v2", "name": "a", "instances": [{"index_key": -1}]`,
		`"type": "openstack_networking_network_v2", "name": "a", "instances": [{"index_key": "` + strings.Repeat("zyxwvuts", 1000) + `"}]`,
		`"type": "openstack_networking_network_v2", "name": "a", "instances": [{"index_key": 1e3}]`, `"type": 7, "name": "zyxwvuts"`,
	} {
		if !strings.Contains(fields, "instances") {
			fields += `, "instances": []`
		}
		_, _, err := Terraform(stateOf(`{"mode": "managed", ` + fields + `}`))
		if err == nil || strings.Contains(err.Error(), "zyxwvuts") || strings.Contains(err.Error(), "touch") || len(err.Error()) > 300 {
			t.Errorf("%.200s: %v", fields, err)
		}
	}
}

// TestAttackStateSecrets checks that no attribute except IDs is used, and that no error repeats a
// value.
func TestAttackStateSecrets(t *testing.T) {
	for _, attributes := range []string{
		`{"id": "s-1", "user_data": "zyxwvuts", "admin_pass": "zyxwvuts", "metadata": {"id": "zyxwvuts"}}`,
		`{"id": {"zyxwvuts": 1}}`, `{"id": "s-1", "security_group_id": ["zyxwvuts"]}`, `{"id": "zyxwvuts` + strings.Repeat("x", longestID) + `"}`, `"zyxwvuts"`, `{"id": "zyxwvuts\n"}`,
	} {
		for _, kind := range []string{"openstack_compute_instance_v2", "openstack_keymanager_secret_v1", "openstack_networking_secgroup_rule_v2"} {
			list, _, err := Terraform(stateOf(one(kind, "s", attributes)))
			if strings.Contains(fmt.Sprint(list, err), "zyxwvuts") {
				t.Errorf("%s: %v %v", attributes, list, err)
			}
		}
	}
	for _, text := range []string{`{"version": 4, "zyxwvuts`, `{"version": "zyxwvuts"}`, `{"version": 4, "resources": {"zyxwvuts": 1}}`, `zyxwvuts`, `{"version": 4, "resources": [{"mode": ["zyxwvuts"]}]}`, `{"version": 4, "resources": ["zyxwvuts"]}`} {
		if _, _, err := Terraform([]byte(text)); err == nil || strings.Contains(err.Error(), "zyxwvuts") {
			t.Errorf("%s: %v", text, err)
		}
		if _, err := Heat([]byte(text)); err == nil || strings.Contains(err.Error(), "zyxwvuts") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestAttackLargeState uses many small elements, deep nesting and long texts. They are refused, or need no more
// memory than a few times their own size.
func TestAttackLargeState(t *testing.T) {
	const size = 4 << 20
	long := strings.Repeat
	for name, text := range map[string]string{
		"resources":  `{"version": 4, "resources": [{}` + long(",{}", size/3) + `]}`,
		"instances":  `{"version": 4, "resources": [{"mode": "managed", "type": "openstack_networking_network_v2", "name": "n", "instances": [{}` + long(",{}", size/3) + `]}]}`,
		"attributes": `{"version": 4, "resources": [{"mode": "managed", "type": "openstack_networking_network_v2", "name": "n", "instances": [{"attributes": {"a":1` + long(`,"a":1`, size/6) + `}}]}]}`,
		"deep":       `{"version": 4, "resources": ` + long("[", size) + `}`,
		"deeper":     `{"version": 4, "resources": [{"mode": "managed", "type": "openstack_networking_network_v2", "name": "n", "instances": [{"attributes": ` + long(`{"a":`, size/5) + `}]}]}`,
		"chain":      string(stateOf(one("openstack_lb_pool_v2", "a", `{"id": "a", "listener_id": "b"}`), one("openstack_lb_pool_v2", "b", `{"id": "b", "listener_id": "a"}`))),
		"name":       `{"version": 4, "resources": [{"mode": "managed", "type": "openstack_networking_network_v2", "name": "` + long("n", size) + `", "instances": []}]}`,
		"path":       `{"version": 4, "resources": [{"module": "` + long("module."+long("m", 155)+".", 49) + "module.m" + `", "mode": "managed", "type": "openstack_networking_network_v2", "name": "n", "instances": [{}` + long(",{}", size/3) + `]}]}`,
		"key":        `{"version": 4, "resources": [{"module": "module.m[\"` + long("k", 990) + `\"]", "mode": "managed", "type": "openstack_networking_network_v2", "name": "n", "instances": [{}` + long(",{}", size/3) + `]}]}`,
		"id":         `{"version": 4, "resources": [{"mode": "managed", "type": "openstack_networking_network_v2", "name": "n", "instances": [{"attributes": {"id": "` + long("n", size) + `"}}]}]}`,
	} {
		took := testcost.Allocated(func() {
			list, _, err := Terraform([]byte(text))
			if err == nil && len(Removals(list, nil)) > 0 {
				t.Errorf("%s: something is moved", name)
			}
			t.Logf("%s: %d, %.200v", name, len(list), err)
		})
		if took > 40*size {
			t.Errorf("%s: %d bytes were allocated", name, took)
		}
	}
	if _, _, err := Terraform(make([]byte, Most+1)); err == nil {
		t.Error("a text that is too large is read")
	}
}

func FuzzTerraform(f *testing.F) {
	f.Add(stateOf(one("openstack_networking_network_v2", "front", `{"id": "n-1"}`)))
	f.Add([]byte(`{"version": 4, "resources": [{"module": "module.a[\"x\"].module.b[0]", "mode": "managed", "type": "openstack_lb_pool_v2", "name": "p", "instances": [{"index_key": "a", "attributes": {"id": "1", "listener_id": "1"}}]}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		list, _, err := Terraform(text)
		if err != nil {
			return
		}
		moved := map[string]bool{}
		for _, d := range list {
			moved[d.Address] = true
			if d.Stays == "" && d.ID == "" && len(d.Uses) == 0 || d.Kind == "" && d.Stays == "" {
				t.Errorf("%q is nothing", d.Address)
			}
		}
		for _, line := range Removals(list, moved) {
			if printable.Line(line) != line || strings.Contains(line, "\n") || !strings.HasPrefix(line, "terraform state rm '") || !strings.HasSuffix(line, "'") {
				t.Errorf("%q", line)
			}
		}
	})
}
