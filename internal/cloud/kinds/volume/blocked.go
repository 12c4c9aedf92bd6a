package volume

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/blockstorage"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

// withAttachments is the first microversion in which Cinder lists all attachments of a volume. The volume itself does not
// show attachments that are only reserved. (cinder/api/openstack/rest_api_version_history.rst)
const withAttachments = "3.27"

// deletable is the beginning of Cinder's error when it refuses to delete a volume, whatever the cause is.
const deletable = "Volume status must be"

// blocked adds to Cinder's error the attachments, snapshots or transfer because of which it refuses to delete a volume. Some
// of them stay until a person removes them: the attachment of a server that no longer exists, available snapshots, and a
// transfer. Such an attachment is left if a server was deleted while Nova built it. In all other cases the error means busy,
// because the cause will end without a person.
func blocked(ctx context.Context, d driver, have typed.Live[state], refused error) error {
	passes := blockstorage.Refused(refused, have.State.More.Status, deletable)
	if !errors.Is(passes, kind.ErrBusy) {
		return refused
	}
	if have.State.More.Status == "awaiting-transfer" {
		return fmt.Errorf("the volume is offered to another project: accept the transfer, or delete the transfer (openstack volume transfer request delete): %w", refused)
	}
	class, held := kind.ErrRejected, []string{}
	claims, err := claims(ctx, d.Client, have.ID)
	for _, a := range claims {
		if define.ServerGone(ctx, d.Client, a.Instance) {
			held = append(held, fmt.Sprintf("attachment %s of server %s, which no longer exists: delete the attachment (openstack volume attachment delete %[1]s)", a.ID, a.Instance))
			continue
		}
		class, held = kind.ErrBusy, append(held, fmt.Sprintf("attachment %s of server %s", a.ID, a.Instance))
	}
	snapshots, unread := snapshots(ctx, d.Client, have.ID)
	for _, s := range snapshots {
		held = append(held, fmt.Sprintf("snapshot %s (%s)", s.ID, s.Name))
		if s.Status != "available" && s.Status != "error" {
			class = kind.ErrBusy
		}
	}
	if errors.Join(err, unread) != nil || len(held) == 0 {
		return passes
	}
	return fmt.Errorf("%w: the volume is still in use by %s: %s", class, strings.Join(held, " and by "), refused.Error())
}

type claim struct {
	ID       string `json:"id"`
	Instance string `json:"instance"`
}

// claims returns the attachments of a volume that name a server. If Cinder is too old to list them, it returns none.
func claims(ctx context.Context, c *cloud.Client, volume string) ([]claim, error) {
	version, err := c.Microversion(ctx, cloud.BlockStorage, withAttachments)
	if err != nil || !cloud.AtLeast(version, withAttachments) {
		return nil, err
	}
	list, err := cloud.List[claim](ctx, c, cloud.Call{Service: cloud.BlockStorage, Path: "attachments?volume_id=" + url.QueryEscape(volume), Microversion: version}, "attachments")
	var named []claim
	for _, a := range list {
		if a.Instance != "" {
			named = append(named, a)
		}
	}
	return named, err
}

type snapshot struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Status string `json:"status"`
}

func snapshots(ctx context.Context, c *cloud.Client, volume string) ([]snapshot, error) {
	return cloud.List[snapshot](ctx, c, cloud.Call{Service: cloud.BlockStorage, Path: "snapshots?volume_id=" + url.QueryEscape(volume)}, "snapshots")
}
