package takeover

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// state contains the fields of Terraform's state that are read.
type state struct {
	Version   json.RawMessage `json:"version"`
	Shown     json.RawMessage `json:"format_version"` // written by `terraform show -json`
	Encrypted json.RawMessage `json:"encrypted_data"` // the encrypted state of OpenTofu
	Resources resources       `json:"resources"`
}

// resources contains the resources of OpenStack. others is the number of resources of other providers.
type resources struct {
	list   []Declared
	parts  []part
	others int
	text   int // bytes of the addresses and names in the list
}

// part is an object in the state that may be part of another one, with its index in the list.
type part struct {
	at     int
	id     string
	parent string // the ID of the object to which it belongs
}

type resource struct {
	Mode, Type, Name string
	Module           string
	Instances        json.RawMessage
}

type instance struct {
	Key        json.RawMessage `json:"index_key"`
	Status     string
	Deposed    string
	Attributes attributes
}

// Terraform parses a state of version 4. It returns the resources of OpenStack, sorted by address, and the number
// of the resources of other providers. Its errors contain no value of the state.
func Terraform(encoded []byte) (list []Declared, others int, err error) {
	if err := check(encoded); err != nil {
		return nil, 0, err
	}
	var s state
	err = json.Unmarshal(encoded, &s)
	switch {
	case err != nil:
		return nil, 0, fmt.Errorf("the file is not a state of Terraform: %w", wrongShape(err))
	case s.Encrypted != nil:
		return nil, 0, errors.New("the state is encrypted; give the output of `tofu state pull`")
	case s.Shown != nil:
		return nil, 0, errors.New("the file is the output of `terraform show`; give the output of `terraform state pull`")
	case s.Version == nil:
		return nil, 0, errors.New("the file is not a state of Terraform, because it has no version; give the output of `terraform state pull`")
	case string(s.Version) != "4":
		return nil, 0, errors.New("the state does not have version 4, and no other version can be read; pull it with Terraform 0.12 or later, or with OpenTofu")
	}
	s.Resources.join()
	return sorted(s.Resources.list), s.Resources.others, nil
}

// UnmarshalJSON implements json.Unmarshaler.
func (r *resources) UnmarshalJSON(encoded []byte) error {
	return each(encoded, func(at int, one *resource) error {
		if err := r.add(one); err != nil {
			return fmt.Errorf("resource %d: %w", at+1, err)
		}
		return nil
	})
}

func (r *resources) add(one *resource) error {
	if one.Mode != "managed" {
		return nil // data sources are only read, and not managed
	}
	base, err := one.address()
	if err != nil {
		return err
	}
	if !strings.HasPrefix(one.Type, "openstack_") {
		r.others++
		return nil
	}
	of, whole := forms[one.Type], strings.Join(one.path(), "-")
	return each(one.Instances, func(_ int, i *instance) error {
		if len(r.list) == maxObjects {
			return tooMany()
		}
		step, name, err := key(i.Key)
		if err != nil {
			return fmt.Errorf("index_key: %w", err)
		}
		if r.text += len(base) + len(step) + len(whole) + len(name); r.text > maxText {
			return fmt.Errorf("all addresses and names together exceed %d MiB", maxText>>20)
		}
		d := Declared{Address: base + step, resource: base, Name: whole, Kind: of.kind}
		if name != "" {
			d.Name += "-" + name
		}
		if of.of != nil {
			d.Kind = of.of(&i.Attributes)
		}
		switch {
		case of.stays != "":
			d.Stays = of.stays
		case d.Kind == "":
			d.Stays = "there is no kind for this type"
		case i.Deposed != "":
			d.Stays = "the object is deposed, so Terraform will delete it; first apply that with Terraform"
		case i.Status == "tainted":
			d.Stays = "the object is tainted, so Terraform will replace it; first apply that with Terraform, or untaint the object"
		case of.parent != nil:
			d.Part = true
			r.parts = append(r.parts, part{at: len(r.list), id: string(i.Attributes.ID), parent: string(of.parent(&i.Attributes))})
		default:
			d.identify(of, &i.Attributes)
			r.parts = append(r.parts, part{at: len(r.list), id: d.ID})
		}
		r.list = append(r.list, d)
		return nil
	})
}

func (d *Declared) identify(of form, a *attributes) {
	id := string(a.ID)
	switch {
	case of.id != nil:
		id = of.id(a)
	case of.uses != nil:
		id = ""
		for _, used := range of.uses(a) {
			if used != "" {
				d.Uses = append(d.Uses, string(used))
			}
		}
	}
	d.ID = id
	if len(d.Uses) == 0 && !usable(d.ID) {
		d.ID, d.Stays = "", "the state has no ID for this object"
	}
}

// join sets the object to which each part belongs. The parent of a part may itself be a part.
func (r *resources) join() {
	byID := map[string]part{}
	for _, p := range r.parts {
		if other, taken := byID[p.id]; !taken || other.parent != "" {
			byID[p.id] = p // an association may have the ID of the object to which it belongs
		}
	}
	for _, p := range r.parts {
		d := &r.list[p.at]
		if !d.Part {
			continue
		}
		above := byID[p.parent]
		for depth := 0; depth < 4 && above.parent != ""; depth++ {
			above = byID[above.parent]
		}
		if above.id == "" || r.list[above.at].Kind != d.Kind || r.list[above.at].Part {
			d.Stays = "the " + d.Kind + " to which it belongs is not in the state"
			continue
		}
		d.ID = above.id
	}
}
