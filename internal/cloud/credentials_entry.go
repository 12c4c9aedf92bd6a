package cloud

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// asClients is a clouds.yaml as gophercloud has to be given it so that the entry means what it means to the
// openstack client (openstacksdk, config/loader.py): old names of a project, keys with dashes, values of a
// region. profile is what the entry takes the rest from, "" for nothing. Text that is no YAML comes back as it is.
func asClients(text []byte, name string) (changed []byte, profile string, err error) {
	var doc yaml.Node
	if yaml.Unmarshal(text, &doc) != nil || len(doc.Content) == 0 {
		return text, "", nil
	}
	entry := under(doc.Content[0], "clouds", name)
	if entry == nil || entry.Kind != yaml.MappingNode {
		return text, "", nil
	}
	underscores(entry)
	if err := inRegion(entry, name); err != nil {
		return nil, "", err
	}
	oldNames(under(entry, "auth"))
	for _, key := range []string{"cloud", "profile"} { // the latter counts
		if n := under(entry, key); n != nil && n.Value != name {
			profile = n.Value
		}
	}
	var out bytes.Buffer
	if yaml.NewEncoder(&out).Encode(&doc) != nil {
		return text, profile, nil
	}
	return out.Bytes(), profile, nil
}

// inRegion gives an entry the values of its region: the one that it names, or the first.
func inRegion(entry *yaml.Node, name string) error {
	regions := under(entry, "regions")
	if regions == nil || regions.Kind != yaml.SequenceNode || len(regions.Content) == 0 {
		return nil
	}
	asked, names := under(entry, "region_name"), []string{}
	for _, region := range regions.Content {
		region = target(region)
		called := under(region, "name")
		if region.Kind == yaml.ScalarNode {
			called = region
		}
		if called == nil {
			continue
		}
		if asked == nil || asked.Value == called.Value {
			set(entry, "region_name", called)
			merge(entry, under(region, "values"))
			return nil
		}
		names = append(names, called.Value)
	}
	if asked == nil {
		return nil
	}
	return fmt.Errorf("entry %s has no region %s; its regions are %s", name, asked.Value, strings.Join(names, ", "))
}

// merge writes values over those of a mapping, and those of auth one by one.
func merge(into, values *yaml.Node) {
	if values == nil || values.Kind != yaml.MappingNode {
		return
	}
	underscores(values)
	for i := 0; i+1 < len(values.Content); i += 2 {
		key, value := values.Content[i].Value, target(values.Content[i+1])
		if auth := under(into, key); key == "auth" && auth != nil && auth.Kind == yaml.MappingNode {
			merge(auth, value)
			continue
		}
		set(into, key, value)
	}
}

// oldNames calls a project as Keystone's third version does.
func oldNames(of *yaml.Node) {
	for _, name := range [][2]string{{"tenant_id", "project_id"}, {"tenant_name", "project_name"}, {"project", "project_name"}} {
		old := under(of, name[0])
		if old == nil || old.Kind != yaml.ScalarNode {
			continue
		}
		if under(of, name[1]) == nil {
			set(of, name[1], old)
		}
		remove(of, name[0])
	}
}

// underscores stand in the names of what the client reads where people have written dashes.
func underscores(of *yaml.Node) {
	for i := 0; i+1 < len(of.Content); i += 2 {
		of.Content[i].Value = strings.ReplaceAll(of.Content[i].Value, "-", "_")
		if value := target(of.Content[i+1]); of.Content[i].Value == "auth" && value.Kind == yaml.MappingNode {
			underscores(value)
		}
	}
}

// under is what stands at a path of a mapping, aliases and merged mappings included; nil for nothing.
func under(of *yaml.Node, path ...string) *yaml.Node {
	if of == nil || len(path) == 0 || of.Kind != yaml.MappingNode {
		return of
	}
	var merged *yaml.Node
	for i := 0; i+1 < len(of.Content); i += 2 {
		switch value := target(of.Content[i+1]); {
		case of.Content[i].Value == path[0] && len(path) == 1:
			return value
		case of.Content[i].Value == path[0] && value.Kind == yaml.MappingNode:
			return under(value, path[1:]...)
		case of.Content[i].Value == path[0]:
			return nil
		case of.Content[i].Tag == "!!merge" && value.Kind == yaml.MappingNode && merged == nil:
			merged = under(value, path...)
		}
	}
	return merged
}

// target is what an alias stands for.
func target(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

// set gives a mapping a value.
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
