package manifest

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"
)

// Sample returns the shortest document of a kind that its field rules accept. It contains the required fields, with values
// that show readers what to write.
func Sample(body Type, gvk GroupVersionKind, name string) (string, error) {
	doc := &yaml.Node{Kind: yaml.MappingNode}
	put(doc, "apiVersion", scalar(gvk.APIVersion()))
	put(doc, "kind", scalar(gvk.Kind))
	meta := &yaml.Node{Kind: yaml.MappingNode}
	put(meta, "name", scalar(name))
	put(doc, "metadata", meta)
	if err := samples(doc, body); err != nil {
		return "", fmt.Errorf("sample of %s: %w", gvk.Kind, err)
	}
	var out bytes.Buffer
	enc := yaml.NewEncoder(&out)
	enc.SetIndent(2)
	if err := enc.Encode(doc); err != nil {
		return "", fmt.Errorf("sample of %s: %w", gvk.Kind, err)
	}
	return out.String(), nil
}

func scalar(text string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Value: text} }

func put(m *yaml.Node, name string, value *yaml.Node) {
	m.Content = append(m.Content, scalar(name), value)
}

// samples adds the required fields of a struct, and those with an example. It also adds the field resource (the desired
// state), which all objects need except imports.
func samples(m *yaml.Node, t Type) error {
	known := t.fields()
	if known.err != nil {
		return known.err
	}
	for _, f := range known.list {
		if !f.rules.required && f.name != "resource" && f.example == "" {
			continue
		}
		value, err := sampleOf(f.typ, f)
		if err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
		put(m, f.name, value)
	}
	return nil
}

func sampleOf(t Type, f field) (*yaml.Node, error) {
	r := f.rules
	switch {
	case f.example != "" && (slices.Contains([]shape{mapShape, structShape, anything}, t.shape()) || t.shape() == listShape && f.example[0] == '['):
		var doc yaml.Node
		if err := yaml.Unmarshal([]byte(f.example), &doc); err != nil {
			return nil, err
		}
		return doc.Content[0], nil
	case f.example != "" && t.shape() != listShape:
		return scalar(f.example), nil
	case r.def != "":
		return scalar(r.def), nil
	case len(r.enum) > 0:
		return scalar(r.enum[0]), nil
	}
	switch t.shape() {
	case structShape:
		m := &yaml.Node{Kind: yaml.MappingNode}
		return m, samples(m, t)
	case listShape:
		item, err := sampleOf(t.elem(), field{typ: t.elem(), name: f.name, rules: r.ofElement(), example: f.example})
		return &yaml.Node{Kind: yaml.SequenceNode, Content: []*yaml.Node{item}}, err
	case mapShape:
		return &yaml.Node{Kind: yaml.MappingNode}, nil
	case boolShape:
		return scalar("true"), nil
	case intShape, uintShape, floatShape:
		n := 1.0
		if r.min != nil {
			n = math.Max(n, *r.min)
		}
		return scalar(strconv.FormatFloat(n, 'f', -1, 64)), nil
	}
	if text, ok := map[string]string{"cidr": "10.0.0.0/24", "ip": "10.0.0.10", "mac": "fa:16:3e:00:00:01", "uri": "https://example.org/x",
		"uuid": "3f2a1c5e-0000-4000-8000-000000000001", "base64": "c2VjcmV0"}[r.format]; ok {
		return scalar(text), nil
	}
	return scalar("example"), nil
}
