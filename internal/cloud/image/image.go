// Package image is the kind Image: a disk image (Glance), in K-ORC's
// vocabulary. It finds images that exist; it does not upload any.
package image

import (
	"context"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Filter says which existing image is meant.
type Filter struct {
	Name       *string  `json:"name,omitempty" doc:"Exact name."`
	Visibility *string  `json:"visibility,omitempty" rule:"enum=public|private|shared|community" doc:"Who can see it. Community images are only considered when asked for: anybody can publish one under any name."`
	Tags       []string `json:"tags,omitempty" doc:"All of these tags."`
}

// FilterName implements plan.Named.
func (f *Filter) FilterName() string { return cloud.Or(f.Name, "") }

// State is an image as Glance shows it.
type State struct {
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Owner       string   `json:"owner"`
	Status      string   `json:"status"`
	Visibility  string   `json:"visibility"`
	Protected   bool     `json:"protected"`
	Tags        []string `json:"tags"`
	HashAlgo    string   `json:"os_hash_algo"`
	HashValue   string   `json:"os_hash_value"`
	Size        *int64   `json:"size"`
	VirtualSize *int64   `json:"virtual_size"`
	MinDisk     int      `json:"min_disk"`
}

type rules struct{}

// Kind is the kind Image over c, which may be nil where only rules are needed.
func Kind(c *cloud.Client) kind.Kind {
	return kind.Define[Spec, Filter, State](kind.Info{
		Group: cloud.OrcGroup, Version: "v1alpha1", Kind: "Image", Service: cloud.Image, ImportOnly: true,
		Doc: "A disk image that servers and volumes start from (Glance). Only existing images can be used: managementPolicy unmanaged.",
	}, rules{}, driver{c})
}

func (rules) Name(w kind.Want[Spec]) string { return cloud.Name(w.Spec.Name, w.Key.Name) }

func (rules) Validate(_ *Spec, r *kind.Report) {
	r.Problem("spec.resource", "asks for an image to be uploaded, which is not supported",
		"upload it by other means, and set managementPolicy: unmanaged with spec.import.filter.name")
}

func (rules) Diff(kind.Want[Spec], *State, *kind.Changes) {}

func (rules) Match(w kind.Want[Filter], have *State) bool {
	f := w.Spec
	if have.Visibility == community && f.Visibility == nil {
		return false
	}
	missing := func(tag string) bool { return !slices.Contains(have.Tags, tag) }
	return cloud.Is(f.Name, have.Name) && cloud.Is(f.Visibility, have.Visibility) && !slices.ContainsFunc(f.Tags, missing)
}

const community = "community"

// Hash is a digest of an image's content.
type Hash struct {
	Algorithm string `json:"algorithm" rule:"required,enum=md5|sha1|sha256|sha512" doc:"How it is computed."`
	Value     string `json:"value" rule:"required,min=1,max=1024,pattern=^[0-9a-f]+$" doc:"The digest in hexadecimal digits."`
}

// Observed is status.resource, in K-ORC's words.
type Observed struct {
	Name         string   `json:"name"`
	Status       string   `json:"status"`
	Protected    bool     `json:"protected"`
	Visibility   string   `json:"visibility"`
	Hash         *Hash    `json:"hash,omitempty"`
	SizeB        *int64   `json:"sizeB,omitempty"`
	VirtualSizeB *int64   `json:"virtualSizeB,omitempty"`
	Tags         []string `json:"tags,omitempty"`
}

func (rules) Status(s *State) any {
	o := Observed{Name: s.Name, Status: s.Status, Protected: s.Protected, Visibility: s.Visibility,
		SizeB: s.Size, VirtualSizeB: s.VirtualSize, Tags: s.Tags}
	if s.HashAlgo != "" {
		o.Hash = &Hash{Algorithm: s.HashAlgo, Value: s.HashValue}
	}
	return o
}

// phases by Glance's status. (glance/common/utils.py, api-ref: image statuses)
var phases = map[string]kind.Phase{
	"active": kind.Ready, "queued": kind.Pending, "saving": kind.Pending, "uploading": kind.Pending,
	"importing": kind.Pending, "deleted": kind.Deleting, "pending_delete": kind.Deleting,
}

type driver struct{ c *cloud.Client }

// List reads the images that the project can use, and those that anybody has
// published, which Glance leaves out unless they are asked for.
func (d driver) List(ctx context.Context) ([]kind.Live[*State], error) {
	var out []kind.Live[*State]
	for _, query := range []string{"images?limit=1000", "images?limit=1000&visibility=" + community} {
		list, err := cloud.List[State](ctx, d.c, cloud.Call{Service: cloud.Image, Path: query}, "images")
		if err != nil {
			return nil, err
		}
		for i := range list {
			out = append(out, d.live(&list[i]))
		}
	}
	return out, nil
}

func (d driver) live(s *State) kind.Live[*State] {
	l := kind.Live[*State]{ID: s.ID, Name: s.Name, Mine: s.Owner == d.c.ProjectID, Phase: phases[s.Status], State: s,
		Attr: map[string]string{"name": s.Name}}
	if l.Phase == "" {
		l.Phase = kind.Failed
	}
	if l.Phase != kind.Ready {
		l.Message = "is " + strings.ReplaceAll(s.Status, "_", " ")
	}
	return l
}

func (driver) Create(context.Context, kind.Want[Spec]) (kind.Live[*State], error) {
	return kind.Live[*State]{}, cloud.ErrImportOnly
}

func (driver) Update(context.Context, kind.Want[Spec], kind.Live[*State], []kind.Change) error {
	return cloud.ErrImportOnly
}

func (driver) Delete(context.Context, kind.Live[*State]) (bool, error) {
	return false, cloud.ErrImportOnly
}
