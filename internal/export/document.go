package export

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/printable"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
)

// document writes the manifest of an object.
func (x *exporter) document(one *item) ([]byte, error) {
	info := one.kind.Info
	gvk := manifest.GroupVersionKind{Group: info.Group, Version: info.Version, Kind: info.Kind}
	annotations, spec := mapping(), mapping()
	switch resource, err := one.resource(); {
	case err != nil:
		return nil, err
	case !one.managed:
		add(spec, "managementPolicy", text("unmanaged"))
		add(spec, "import", x.filter(one))
	case importable(one):
		add(spec, "resource", resource)
	default:
		spec = resource
	}
	if one.managed {
		add(annotations, resolve.AnnotationAdopt, text(one.live.ID))
		if ignored := one.ignored(); len(ignored) > 0 {
			add(annotations, resolve.AnnotationIgnore, text(strings.Join(ignored, ",")))
		}
	}
	metadata := mapping("name", text(one.name))
	if len(annotations.Content) > 0 {
		add(metadata, "annotations", annotations)
	}
	return encode(mapping("apiVersion", text(gvk.APIVersion()), "kind", text(info.Kind), "metadata", metadata, "spec", spec))
}

// filter returns a filter that selects an object of the cloud. It contains the object's name if no other object
// has this name and the name contains no mark. Otherwise, it contains the object's ID.
func (x *exporter) filter(one *item) *yaml.Node {
	same := 0
	for _, other := range x.all[one.kind.Info.Kind] {
		if other.live.Name == one.live.Name {
			same++
		}
	}
	if same == 1 && one.live.Name != "" && !ownertext.LooksLikeMark(one.live.Name) && !one.exact && filtersByName(one.kind.Body.Go()) {
		return mapping("filter", mapping("name", text(one.live.Name)))
	}
	return mapping("id", text(one.live.ID))
}

// filtersByName reports whether the import filter of a kind has a field for the name.
func filtersByName(body reflect.Type) bool {
	t := body
	for _, step := range []string{"Spec", "Import", "Filter"} {
		f, ok := t.FieldByName(step)
		if !ok {
			return false
		}
		if t = f.Type; t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
	}
	return slices.ContainsFunc(reflect.VisibleFields(t), func(f reflect.StructField) bool { return strings.HasPrefix(f.Tag.Get("json"), "name,") })
}

// resource returns the spec as YAML, with its fields in their order.
func (i *item) resource() (*yaml.Node, error) {
	if !i.managed {
		return nil, nil
	}
	node, err := nodeOf(i.spec)
	if err != nil {
		return nil, fmt.Errorf("%s: encode: %w", i.live.ID, err)
	}
	removeFields(node, i.dropped)
	return node, nil
}

// nodeOf returns a spec as YAML, with its fields in their order.
func nodeOf(spec any) (*yaml.Node, error) {
	encoded, err := json.Marshal(spec)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(encoded))
	d.UseNumber()
	return decode(d)
}

// removeFields removes fields from a mapping.
func removeFields(node *yaml.Node, dropped map[string]bool) {
	kept := node.Content[:0]
	for i := 0; i+1 < len(node.Content); i += 2 {
		if name := node.Content[i].Value; !dropped[name] {
			kept = append(kept, node.Content[i], node.Content[i+1])
		}
	}
	node.Content = kept
}

func decode(d *json.Decoder) (*yaml.Node, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch v := token.(type) {
	case json.Delim:
		node := &yaml.Node{Kind: yaml.MappingNode}
		if v == '[' {
			node.Kind = yaml.SequenceNode
		}
		for d.More() {
			below, err := decode(d)
			if err != nil {
				return nil, err
			}
			node.Content = append(node.Content, below)
		}
		_, err = d.Token()
		return node, err
	case string:
		return text(v), nil
	case json.Number:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!int", Value: v.String()}, nil
	case bool:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: strconv.FormatBool(v)}, nil
	case nil:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Value: "null"}, nil
	}
	return nil, fmt.Errorf("unexpected %v", reflect.TypeOf(token))
}

func text(value string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: value}
	if !printable.Safe(value) {
		n.Style = yaml.DoubleQuotedStyle
	}
	return n
}

// mapping returns a mapping. Its arguments are names and nodes, alternately.
func mapping(pairs ...any) *yaml.Node {
	n := &yaml.Node{Kind: yaml.MappingNode}
	for i := 0; i+1 < len(pairs); i += 2 {
		add(n, pairs[i].(string), pairs[i+1].(*yaml.Node))
	}
	return n
}

func add(to *yaml.Node, name string, value *yaml.Node) {
	to.Content = append(to.Content, text(name), value)
}

func encode(node *yaml.Node) ([]byte, error) {
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	enc.CompactSeqIndent()
	if err := errors.Join(enc.Encode(node), enc.Close()); err != nil {
		return nil, fmt.Errorf("encode: %w", err)
	}
	return printable.YAML(b.Bytes()), nil
}
