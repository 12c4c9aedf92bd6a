package barbican

import (
	"net/http"
	"slices"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
)

// Container refers to several secrets.
type Container struct {
	ID, ProjectID, CreatorID string
	Name, Type               string
	Refs                     []any // the references as the request contained them

	created string
}

// containerTypes are the names that the secrets in a container of each type must have. Nil allows all names.
// (barbican/common/validators.py: ContainerValidator)
var containerTypes = map[string][]string{"generic": nil, "rsa": {"public_key", "private_key", "private_key_passphrase"},
	"certificate": {"certificate", "private_key", "private_key_passphrase", "intermediates"}}

func (b *Barbican) addContainers(svc *oslo.Service) {
	svc.Handle("GET /v1/containers", func(c *oslo.Call) (*oslo.Response, error) {
		found := b.containers.Where(func(o *Container) bool { return o.ProjectID == c.Caller.ProjectID })
		from, to, answer := b.page(c, "containers", len(found))
		views := []any{}
		for _, o := range found[from:to] {
			views = append(views, o.view(c))
		}
		answer["containers"] = views
		return oslo.OK(answer), allowedOrNil(c, "Containers(s) retrieval", "creator", "observer")
	})
	svc.Handle("POST /v1/containers", b.createContainer)
	one := func(method string, h func(*oslo.Call, *Container) *oslo.Response) {
		svc.Handle(method+" /v1/containers/{id}", func(c *oslo.Call) (*oslo.Response, error) {
			o, ok := b.containers.Get(c.PathValue("id"))
			if !ok || o.ProjectID != c.Caller.ProjectID {
				return nil, refused(http.StatusNotFound, "Not Found. Sorry but your container is in another castle.")
			}
			return h(c, o), nil
		})
	}
	one("GET", func(c *oslo.Call, o *Container) *oslo.Response { return oslo.OK(o.view(c)) })
	one("DELETE", func(_ *oslo.Call, o *Container) *oslo.Response {
		b.containers.Remove(o.ID)
		return oslo.NoContent()
	})
}

// allowedOrNil prevents that a nil *oslo.Error becomes a non-nil error.
func allowedOrNil(c *oslo.Call, what string, roles ...string) error {
	if err := allowed(c, what, roles...); err != nil {
		return err
	}
	return nil
}

func (o *Container) view(c *oslo.Call) map[string]any {
	return map[string]any{"container_ref": c.Base + "/v1/containers/" + o.ID, "name": o.Name, "type": o.Type, "secret_refs": o.Refs, "status": "ACTIVE",
		"creator_id": o.CreatorID, "created": o.created, "updated": o.created, "consumers": []any{}}
}

func (b *Barbican) createContainer(c *oslo.Call) (*oslo.Response, error) {
	if err := allowed(c, "Container creation", "creator"); err != nil {
		return nil, err
	}
	in, err := body(c, "Container")
	if err != nil {
		return nil, err
	}
	o := &Container{ID: b.cloud.UUID(), ProjectID: c.Caller.ProjectID, CreatorID: c.Caller.UserID, created: stamp(c.Now), Refs: []any{}}
	o.Name, _ = in["name"].(string)
	o.Type, _ = in["type"].(string)
	names, known := containerTypes[o.Type]
	if !known {
		return nil, invalid("Container", "is not one of ['generic', 'rsa', 'certificate']", "type")
	}
	list, _ := in["secret_refs"].([]any)
	for _, ref := range list {
		fields, _ := ref.(map[string]any)
		name, _ := fields["name"].(string)
		address, _ := fields["secret_ref"].(string)
		if names != nil && !slices.Contains(names, name) {
			return nil, invalid("Container", "only "+o.Type+" names are allowed", "secret_refs")
		}
		if s, ok := b.secrets.Get(lastOf(address)); !ok || s.ProjectID != o.ProjectID {
			return nil, refused(http.StatusNotFound, "Not Found. Sorry but your secret is in another castle.")
		}
		o.Refs = append(o.Refs, map[string]any{"name": name, "secret_ref": address})
	}
	b.containers.Add(o)
	address := c.Base + "/v1/containers/" + o.ID
	return oslo.Created(map[string]any{"container_ref": address}).With("Location", address), nil
}
