package cloud

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// asClients rewrites a clouds.yaml for gophercloud, so that the entry means the same as for the openstack client
// (openstacksdk, config/loader.py). It translates old names of a project, keys with dashes and values of a region.
// profile is the profile that the entry takes other values from, "" if there is none. Text that is no YAML is returned
// unchanged.
func asClients(text []byte, name string) (changed []byte, profile string, err error) {
	var doc yaml.Node
	if yaml.Unmarshal(text, &doc) != nil || len(doc.Content) == 0 {
		return text, "", nil
	}
	entry := nodeAt(doc.Content[0], "clouds", name)
	if entry == nil || entry.Kind != yaml.MappingNode {
		return text, "", nil
	}
	underscores(entry)
	if err := inRegion(entry, name); err != nil {
		return nil, "", err
	}
	oldNames(nodeAt(entry, "auth"))
	for _, key := range []string{"cloud", "profile"} { // the latter takes precedence
		if n := nodeAt(entry, key); n != nil && n.Value != name {
			profile = n.Value
		}
	}
	var out bytes.Buffer
	if yaml.NewEncoder(&out).Encode(&doc) != nil {
		return text, profile, nil
	}
	return out.Bytes(), profile, nil
}

// inRegion copies the values of a region into an entry: the region that the entry names, or the first one.
func inRegion(entry *yaml.Node, name string) error {
	regions := nodeAt(entry, "regions")
	if regions == nil || regions.Kind != yaml.SequenceNode || len(regions.Content) == 0 {
		return nil
	}
	asked, names := nodeAt(entry, "region_name"), []string{}
	for _, region := range regions.Content {
		region = target(region)
		called := nodeAt(region, "name")
		if region.Kind == yaml.ScalarNode {
			called = region
		}
		if called == nil {
			continue
		}
		if asked == nil || asked.Value == called.Value {
			set(entry, "region_name", called)
			merge(entry, nodeAt(region, "values"))
			return nil
		}
		names = append(names, called.Value)
	}
	if asked == nil {
		return nil
	}
	return fmt.Errorf("entry %s has no region %s; its regions are %s", name, asked.Value, strings.Join(names, ", "))
}

// merge copies values into a mapping, and overwrites those with the same key. The mapping auth is merged in the
// same way.
func merge(into, values *yaml.Node) {
	if values == nil || values.Kind != yaml.MappingNode {
		return
	}
	underscores(values)
	for i := 0; i+1 < len(values.Content); i += 2 {
		key, value := values.Content[i].Value, target(values.Content[i+1])
		if auth := nodeAt(into, key); key == "auth" && auth != nil && auth.Kind == yaml.MappingNode {
			merge(auth, value)
			continue
		}
		set(into, key, value)
	}
}

// oldNames renames the keys of a project to their names in Keystone's third version.
func oldNames(of *yaml.Node) {
	for _, name := range [][2]string{{"tenant_id", "project_id"}, {"tenant_name", "project_name"}, {"project", "project_name"}} {
		old := nodeAt(of, name[0])
		if old == nil || old.Kind != yaml.ScalarNode {
			continue
		}
		if nodeAt(of, name[1]) == nil {
			set(of, name[1], old)
		}
		remove(of, name[0])
	}
}

// underscores replaces dashes in keys by underscores, which the client reads.
func underscores(of *yaml.Node) {
	for i := 0; i+1 < len(of.Content); i += 2 {
		of.Content[i].Value = strings.ReplaceAll(of.Content[i].Value, "-", "_")
		if value := target(of.Content[i+1]); of.Content[i].Value == "auth" && value.Kind == yaml.MappingNode {
			underscores(value)
		}
	}
}

// nodeAt returns the node at a path of a mapping, including aliases and merged mappings, or nil if there is none.
func nodeAt(of *yaml.Node, path ...string) *yaml.Node {
	if of == nil || len(path) == 0 || of.Kind != yaml.MappingNode {
		return of
	}
	var merged *yaml.Node
	for i := 0; i+1 < len(of.Content); i += 2 {
		switch value := target(of.Content[i+1]); {
		case of.Content[i].Value == path[0] && len(path) == 1:
			return value
		case of.Content[i].Value == path[0] && value.Kind == yaml.MappingNode:
			return nodeAt(value, path[1:]...)
		case of.Content[i].Value == path[0]:
			return nil
		case of.Content[i].Tag == "!!merge" && value.Kind == yaml.MappingNode && merged == nil:
			merged = nodeAt(value, path...)
		}
	}
	return merged
}

// target returns the node that an alias refers to. For other nodes it returns the node itself.
func target(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

// set writes a value into a mapping.
func set(of *yaml.Node, key string, value *yaml.Node) {
	if of == nil || of.Kind != yaml.MappingNode {
		return
	}
	bare := *value
	bare.Anchor = ""
	remove(of, key)
	of.Content = append(of.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: key}, &bare)
}

func remove(of *yaml.Node, key string) {
	for i := 0; i+1 < len(of.Content); i += 2 {
		if of.Content[i].Value == key {
			of.Content = slices.Delete(of.Content, i, i+2)
			return
		}
	}
}
