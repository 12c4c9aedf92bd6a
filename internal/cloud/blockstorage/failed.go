// Package blockstorage is shared by the kinds of the block storage service: why an object failed, and which refusals are
// temporary. It does not know how a kind's objects are created.
package blockstorage

import (
	"context"
	"net/http"
	"strings"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
)

// withPages is the microversion from which messages can be listed with the newest first. newestMessages is the path of a
// list with as many messages as one request may return. (cinder/api/microversions.py: MESSAGES_PAGINATION)
const (
	withPages      = "3.5"
	newestMessages = "messages?limit=1000"
)

// FailedWhy is a [define.Resource.Join] that reads why objects in an error status failed: the newest message about each.
// One request reads the messages of all objects, and no request is sent if no object failed. The reasons are only shown
// to people, so they may stay empty if the cloud shows no messages.
func FailedWhy[Spec, Filter, More any](of func(*More) (status string, reason *string)) func(context.Context, *define.Driver[Spec, Filter, More], []*define.State[Spec, More]) error {
	return func(ctx context.Context, d *define.Driver[Spec, Filter, More], objects []*define.State[Spec, More]) error {
		reasons := map[string]*string{}
		for _, s := range objects {
			if status, reason := of(&s.More); s.Mark != nil && strings.HasPrefix(status, "error") {
				reasons[s.ID] = reason
			}
		}
		if len(reasons) > 0 {
			explain(ctx, d.Client, reasons)
		}
		return nil
	}
}

// explain writes the newest message about each object into reasons, by the object's ID. It writes nothing if the messages
// cannot be read.
func explain(ctx context.Context, c *cloud.Client, reasons map[string]*string) {
	version, err := c.Microversion(ctx, cloud.BlockStorage, withPages)
	if err != nil || !cloud.AtLeast(version, withPages) {
		return
	}
	var said struct {
		Messages []struct {
			About string `json:"resource_uuid"`
			Text  string `json:"user_message"` // "action:what went wrong"
		} `json:"messages"`
	}
	if c.Do(ctx, cloud.Call{Service: cloud.BlockStorage, Method: http.MethodGet, Path: newestMessages, Microversion: version, Into: &said}) != nil {
		return
	}
	for _, m := range said.Messages {
		if reason := reasons[m.About]; reason != nil && *reason == "" {
			*reason = strings.TrimRight(strings.Replace(m.Text, ":", ": ", 1), ". ")
		}
	}
}

// InStatus is the text that an object is in a status. It includes the cloud's reason if there is one.
func InStatus(status, reason string) string {
	if reason != "" {
		status += ": " + reason
	}
	return "is in the status " + status
}
