package config

import (
	"slices"
	"testing"
)

func TestOverlays(t *testing.T) {
	for _, c := range []struct {
		source Source
		root   string
		layers []string
		wrong  []string
	}{
		{Source{Path: "clouds"}, "clouds", nil, nil},
		{Source{Path: "clouds", Overlays: []string{"base", "prod"}}, "clouds", []string{"base", "prod"}, nil},
		{Source{Overlays: []string{"base", "envs/prod"}}, ".", []string{"base", "envs/prod"}, nil},
		{Source{Path: "clouds/prod/", Overlays: []string{"../base", "."}}, "clouds", []string{"base", "prod"}, nil},
		{Source{Path: "envs/prod", Overlays: []string{"../../base", "."}}, ".", []string{"base", "envs/prod"}, nil},
		{Source{Path: "a", Overlays: []string{"b"}}, "a/b", []string{"."}, nil},
		{Source{Paths: "envs/*", Overlays: []string{"../../base", "."}}, "", nil, nil},
		{Source{Path: "a", Overlays: []string{"b", "b/c"}}, "a/b", []string{".", "c"}, []string{"spec.source.overlays[1]"}},
		{Source{Path: "a", Overlays: []string{"../../b"}}, "../b", []string{"."}, []string{"spec.source.overlays[0]"}},
		{Source{Overlays: []string{"/b"}}, "/b", []string{"."}, []string{"spec.source.overlays[0]"}},
	} {
		var wrong []string
		c.source.checkOverlays(func(field, _ string) { wrong = append(wrong, field) })
		if c.source.root() != c.root || !slices.Equal(c.source.layers(), c.layers) || !slices.Equal(wrong, c.wrong) {
			t.Errorf("%+v: got %q, %v, %v", c.source, c.source.root(), c.source.layers(), wrong)
		}
	}
}

func TestValues(t *testing.T) {
	s := Stack{Spec: Spec{Source: Source{Path: "envs/prod", Overlays: []string{"../../base", "."}, ValuesFrom: []ValuesFrom{{File: "values.yaml"}, {File: "../../base/all.yaml"}, {ConfigMap: "a"}}}}}
	from := s.Values().From
	if len(from) != 3 || from[0].File != "envs/prod/values.yaml" || from[1].File != "base/all.yaml" || from[2].ConfigMap != "a" {
		t.Errorf("got %+v", from)
	}
	for field, source := range map[string]Source{
		"":                               {Values: map[string]string{"a_B1": "x"}, ValuesFrom: s.Spec.Source.ValuesFrom, Path: "envs/prod", Overlays: s.Spec.Source.Overlays},
		"spec.source.values.a-b":         {Values: map[string]string{"a-b": "x"}},
		"spec.source.valuesFrom[0]":      {ValuesFrom: []ValuesFrom{{File: "a", Secret: "b"}}},
		"spec.source.valuesFrom[0].file": {Path: "a", ValuesFrom: []ValuesFrom{{File: "../b/values.yaml"}}},
	} {
		got := ""
		source.checkValues(func(field, _ string) { got = field })
		if got != field {
			t.Errorf("%+v: got %q, want %q", source, got, field)
		}
	}
}
