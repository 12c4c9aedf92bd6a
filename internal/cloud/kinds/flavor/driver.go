package flavor

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strings"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

// described is the first microversion in which flavors have a description, and in which it can be changed. The
// description contains the mark. (nova/api/openstack/rest_api_version_history.rst)
const described = "2.55"

// begunKey is the note beside the mark of a flavor whose extra specs are not all written yet. Nova accepts them only in
// separate requests.
const begunKey = mark.OwnerKey + "-begun"

func validate(s *Spec, r *kind.Report) {
	seen := map[string]bool{}
	for i, e := range s.ExtraSpecs {
		if seen[e.Name] {
			r.Problem(fmt.Sprintf("spec.resource.extraSpecs[%d].name", i), "is given twice", "keep one of the two")
		}
		seen[e.Name] = true
	}
}

func observe(c *cloud.Client, s *state, live *kind.Live) {
	define.ObserveIdentity(c, s, "", live)
	live.Facts.Size = kind.Size{CPUs: s.Spec.Vcpus, Memory: s.Spec.RAM, Disk: s.Spec.Disk}
	if s.More.Disabled {
		live.Facts.Unusable = "disabled"
	}
	if live.Mark != nil && s.Notes[begunKey] != "" {
		live.Mark.Applied = kind.HalfMade
	}
}

func version(ctx context.Context, d driver) (string, error) {
	return d.Client.Require(ctx, cloud.Compute, described, "flavors with a description, which shows who owns them")
}

// create creates the flavor with the note, then its extra specs, and removes the note last. If the agent is killed
// before that, the note shows that the flavor is half-made.
func create(ctx context.Context, d driver, w typed.Want[Spec]) (*state, error) {
	if _, err := version(ctx, d); err != nil {
		return nil, err
	}
	body := d.Creation(w)
	specs, _ := body["extra_specs"].(map[string]string)
	delete(body, "extra_specs")
	text, _ := body["description"].(string)
	if len(specs) > 0 {
		body["description"] = strings.TrimSuffix(text, "]") + " " + begunKey + ":1]"
	}
	made, err := d.Post(ctx, w, body)
	if err != nil || len(specs) == 0 {
		return made, err
	}
	if err := setSpecs(ctx, d, d.Path(made.ID), nil, specs); err != nil {
		return nil, err
	}
	delete(made.Notes, begunKey)
	return made, describe(ctx, d, made.ID, text)
}

// update writes the changed extra specs, and then the description with the mark.
func update(ctx context.Context, d driver, n define.Change[Spec, More]) error {
	fields := maps.Clone(n.Fields)
	if specs, changed := fields["extra_specs"].(map[string]string); changed {
		if err := setSpecs(ctx, d, d.Path(n.Have.ID), n.Have.State.Spec.ExtraSpecs, specs); err != nil {
			return err
		}
	}
	own, changed := fields["description"]
	if text := n.Have.State.Spec.Description; !changed && text != nil {
		own = *text
	}
	text, _ := mark.IdentityDescriptionPlace.Put(own, n.Want.Mark, n.Have.ID, d.Client.ProjectID).(string)
	return describe(ctx, d, n.Have.ID, text)
}

// unmark removes the mark from the description, and leaves the text that people wrote.
func unmark(ctx context.Context, d driver, have typed.Live[state]) error {
	own := ""
	if text := have.State.Spec.Description; text != nil {
		own = *text
	}
	return describe(ctx, d, have.ID, own)
}

func describe(ctx context.Context, d driver, id, text string) error {
	version, err := version(ctx, d)
	if err != nil {
		return err
	}
	return d.Client.Do(ctx, cloud.Call{Service: cloud.Compute, Method: http.MethodPut, Path: d.Path(id), Microversion: version,
		Body: map[string]any{"flavor": map[string]any{"description": text}}})
}

// setSpecs writes extra specs with the oldest microversion, because it accepts names that only the cloud's own drivers
// know. From 2.86 on, Nova refuses names that it does not know.
func setSpecs(ctx context.Context, d driver, path string, have []define.NameValue, want map[string]string) error {
	path += "/os-extra_specs"
	if len(want) > 0 {
		if err := d.Client.Do(ctx, cloud.Call{Service: cloud.Compute, Method: http.MethodPost, Path: path, Body: map[string]any{"extra_specs": want}}); err != nil {
			return err
		}
	}
	for _, e := range have {
		if _, stays := want[e.Name]; stays {
			continue
		}
		err := d.Client.Do(ctx, cloud.Call{Service: cloud.Compute, Method: http.MethodDelete, Path: path + "/" + url.PathEscape(e.Name)})
		if err != nil && !errors.Is(err, kind.ErrGone) {
			return err
		}
	}
	return nil
}
