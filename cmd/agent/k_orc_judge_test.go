package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"cel.dev/cel-go/cel"
)

// missing is the prefix of the name of an object that was removed from the repository while others refer to it. A cluster still contains such
// an object, because its deletion is not finished.
const missing = "missing: "

// judge compares the assertions of a step with the objects that status shows, by kind and name.
func judge(t *testing.T, asserts []map[string]any, objects map[string]any) (wrong []string) {
	for _, a := range asserts {
		if a["kind"] == "TestAssert" {
			wrong = append(wrong, expressions(t, a, objects)...)
			continue
		}
		have, there := objects[strings.ToLower(titleOf(a))].(map[string]any)
		if !there {
			wrong = append(wrong, titleOf(a)+": is not there")
			continue
		}
		wrong = append(wrong, within(titleOf(a)+": status", a["status"], have["status"])...)
	}
	return wrong
}

// ofOtherClouds contains attributes that the simulator does not have, or for which it has other values.
var ofOtherClouds = []string{"mtu", "propagateUplinkStatus", "dnsPublishFixedIP", "dnsDomain", "availabilityZone", "trustedVIF", "revisionNumber"}

// within returns the parts of want that are missing in have. Conditions are compared by type and without their messages.
func within(path string, want, have any) (wrong []string) {
	switch want := want.(type) {
	case map[string]any:
		have, _ := have.(map[string]any)
		for _, key := range slices.Sorted(maps.Keys(want)) {
			if key != "message" && !slices.Contains(ofOtherClouds, key) {
				wrong = append(wrong, within(path+"."+key, want[key], have[key])...)
			}
		}
		return wrong
	case []any:
		have, _ := have.([]any)
		if !strings.HasSuffix(path, ".conditions") && len(want) != len(have) {
			return []string{fmt.Sprintf("%s: %d entries, want %d", path, len(have), len(want))}
		}
		for i, w := range want {
			if strings.HasSuffix(path, ".conditions") {
				wrong = append(wrong, within(path, w, ofType(have, w))...)
			} else {
				wrong = append(wrong, within(fmt.Sprintf("%s[%d]", path, i), w, have[i])...)
			}
		}
		return wrong
	}
	if fmt.Sprint(want) != fmt.Sprint(have) {
		return []string{fmt.Sprintf("%s: %v, want %v", path, have, want)}
	}
	return nil
}

func ofType(conditions []any, like any) any {
	for _, c := range conditions {
		if c.(map[string]any)["type"] == like.(map[string]any)["type"] {
			return c
		}
	}
	return map[string]any{}
}

// ofCluster matches fields that exist only in a cluster: finalizers and deletion times.
var ofCluster = regexp.MustCompile(`metadata\.(deletionTimestamp|finalizers)`)

var mustBeGone = regexp.MustCompile(`! kubectl get (\w+)\S* (\S+)`)

// expressions checks an assertion about objects: its CEL expressions, and the kubectl commands that check a deletion.
func expressions(t *testing.T, assert map[string]any, objects map[string]any) (wrong []string) {
	values, options := map[string]any{}, []cel.EnvOption{}
	refs, _ := assert["resourceRefs"].([]any)
	for _, one := range refs {
		ref := one.(map[string]any)
		name := strings.ToLower(fmt.Sprint(ref["kind"], "/", ref["name"]))
		if objects[name] == nil && objects[missing+name] == nil && !strings.HasPrefix(name, "secret/") {
			wrong = append(wrong, name+": is not there")
		}
		values[ref["ref"].(string)] = plain(t, objects[name])
		options = append(options, cel.Variable(ref["ref"].(string), cel.DynType))
	}
	env, err := cel.NewEnv(options...)
	if err != nil {
		t.Fatal(err)
	}
	all, _ := assert["assertAll"].([]any)
	for _, one := range all {
		text, _ := one.(map[string]any)["celExpr"].(string)
		if ofCluster.MatchString(text) {
			continue
		}
		ast, issues := env.Compile(text)
		if issues.Err() != nil {
			t.Fatalf("%s: %v", text, issues.Err())
		}
		program, err := env.Program(ast)
		if err != nil {
			t.Fatal(err)
		}
		got, _, err := program.Eval(values)
		if err != nil && strings.HasSuffix(text, " == ''") && strings.Contains(err.Error(), "no such key") {
			continue // empty parts are left out
		}
		if err != nil || got.Value() != true {
			wrong = append(wrong, fmt.Sprintf("%s: %v %v", text, got, err))
		}
	}
	commands, _ := assert["commands"].([]any)
	for _, one := range commands {
		script, _ := one.(map[string]any)["script"].(string)
		for _, found := range mustBeGone.FindAllStringSubmatch(script, -1) {
			for name := range objects {
				if name == strings.ToLower(found[1]+"/"+found[2]) {
					wrong = append(wrong, name+": is still there")
				}
			}
		}
	}
	return wrong
}

// plain converts a value so that whole numbers are integers, because expressions compare them as integers.
func plain(t *testing.T, value any) any {
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	decoder := json.NewDecoder(strings.NewReader(string(text)))
	decoder.UseNumber()
	var out any
	if err := decoder.Decode(&out); err != nil {
		t.Fatal(err)
	}
	return whole(out)
}

func whole(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for key := range v {
			v[key] = whole(v[key])
		}
	case []any:
		for i := range v {
			v[i] = whole(v[i])
		}
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		f, _ := v.Float64()
		return f
	}
	return value
}

// The documentation contains every case in the list.
func TestKORCListIsInDocs(t *testing.T) {
	page, err := os.ReadFile("../../docs/k-orc.md")
	if err != nil {
		t.Fatal(err)
	}
	for name := range meantToDiffer(t) {
		if !strings.Contains(string(page), "`"+name+"`") {
			t.Errorf("docs/k-orc.md does not name the case %s of %s", name, differs)
		}
	}
}
