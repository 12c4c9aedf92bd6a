package define

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"path"
	"strings"

	"github.com/stackreeve/stackreeve/internal/cloud"
)

// neutron makes requests about the objects of a collection.
type neutron struct {
	Client   *cloud.Client
	Resource NeutronResource
	// extensions are those that attributes need.
	extensions map[string]string
}

// ifUnchanged makes a write conditional, where Neutron takes conditions: others
// answer 400 (neutron/api/api_common.py: ensure_if_match_supported).
func (n neutron) ifUnchanged(ctx context.Context, have NeutronBase) (map[string]string, error) {
	conditional, err := n.Client.HasExtension(ctx, "revision-if-match")
	if err != nil || !conditional {
		return nil, err
	}
	return map[string]string{"If-Match": fmt.Sprintf("revision_number=%d", have.Revision)}, nil
}

// send makes a request with attributes of the object with that ID, "" for a new one,
// and reads the object that is answered into all of into.
func (n neutron) send(ctx context.Context, method, id string, fields map[string]any, header map[string]string, into ...any) error {
	address := strings.TrimSuffix(n.Resource.Collection+"/"+id, "/")
	var answer map[string]json.RawMessage
	err := n.Client.Do(ctx, cloud.Call{Service: cloud.Network, Method: method, Path: address, Body: map[string]any{n.Resource.Singular: fields}, Into: &answer, Headers: header})
	if err != nil {
		return err
	}
	for _, object := range into {
		if err := json.Unmarshal(answer[n.Resource.Singular], object); err != nil {
			return fmt.Errorf("network: %s /%s: %w", method, address, err)
		}
	}
	return nil
}

// sendTags writes all tags of an object.
func (n neutron) sendTags(ctx context.Context, id string, tags []string) error {
	return n.Client.Do(ctx, cloud.Call{Service: cloud.Network, Method: http.MethodPut, Path: path.Base(n.Resource.Collection) + "/" + id + "/tags", Body: map[string]any{"tags": tags}})
}
