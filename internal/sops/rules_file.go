package sops

import (
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// RulesFile is the name of the file with creation rules, in the folder of the encrypted file or above it.
const RulesFile = ".sops.yaml"

// CreationRule reads the rule of a .sops.yaml for a file. name is the path of the file, relative to the folder of the
// .sops.yaml. The first rule that matches counts.
func CreationRule(config []byte, name string) (Encryption, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(config, &doc); err != nil || len(doc.Content) != 1 {
		return Encryption{}, errors.New("the file is no YAML")
	}
	for i, item := range items(doc.Content[0], "creation_rules") {
		if written := text(item, "path_regex"); written != "" {
			expression, _, err := compile(written)
			if err != nil {
				return Encryption{}, fmt.Errorf("creation_rules[%d].path_regex %w", i, err)
			}
			if !expression.MatchString(name) {
				continue
			}
		}
		return encryptionOf(item, i)
	}
	return Encryption{}, errors.New("no creation rule matches the file")
}

// otherKeys are the fields of a creation rule that name keys of other kinds.
var otherKeys = []string{"pgp", "kms", "gcp_kms", "hckms", "azure_keyvault", "hc_vault_transit_uri", "key_groups"}

func encryptionOf(item *yaml.Node, i int) (e Encryption, err error) {
	for _, name := range otherKeys {
		if get(item, name) != nil {
			return e, fmt.Errorf("creation_rules[%d].%s names keys other than those of age; encrypt the file with: sops encrypt -i FILE", i, name)
		}
	}
	e.Recipients = recipients(get(item, "age"))
	for _, f := range ruleFields {
		if written := text(item, f.name); written != "" {
			e.Field, e.Expression = f.name, written
		}
	}
	e.MACOnly = text(item, "mac_only_encrypted") == "true"
	return e, nil
}

// recipients reads a list, or a text with commas.
func recipients(n *yaml.Node) (names []string) {
	switch {
	case n == nil:
		return nil
	case n.Kind == yaml.SequenceNode:
		for _, item := range n.Content {
			names = append(names, item.Value)
		}
		return names
	}
	for name := range strings.SplitSeq(n.Value, ",") {
		if name = strings.TrimSpace(name); name != "" {
			names = append(names, name)
		}
	}
	return names
}
