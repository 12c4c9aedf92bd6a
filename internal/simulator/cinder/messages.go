package cinder

import (
	"net/http"
	"slices"
	"time"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
)

// message is a text for users about the reason of a failure. (cinder/message/api.py)
type message struct {
	ID, Project, About, Text, Code string
	Created                        time.Time
}

// noBackend is the scheduler's message. (cinder/message/message_field.py)
const noBackend = "schedule allocate volume:Could not find any available weighted backend."

// backendOf returns the name of the backend that a type requires. The only backend has the same name as the
// default type.
func backendOf(t *volumeType) string {
	if name := t.Specs["volume_backend_name"]; name != "" {
		return name
	}
	return defaultType
}

// reject sets the status of a volume to error because no backend accepts the volume.
func (b *Cinder) reject(v *Volume) {
	b.to(v, "creating", "error", func(v *Volume) {
		b.messages.Add(&message{ID: b.cloud.UUID(), Project: v.Project, About: v.ID, Text: noBackend, Code: "VOLUME_VOLUME_001_003", Created: b.cloud.Now()})
	})
}

// listMessages mirrors cinder/api/v3/messages.py: index, the newest first.
func (b *Cinder) listMessages(c *call) (*oslo.Response, error) {
	l, err := b.listing(c)
	if err != nil {
		return nil, err
	}
	list := b.messages.Where(func(m *message) bool { return m.Project == c.Caller.ProjectID })
	slices.Reverse(list)
	if list, err = cut(c, l, list, func(m *message) string { return m.ID }, func(id string) error {
		return oslo.Errorf(http.StatusNotFound, "MessageNotFound", "Message %s could not be found.", id)
	}); err != nil {
		return nil, err
	}
	views, last := []any{}, ""
	for _, m := range list {
		last = m.ID
		views = append(views, map[string]any{"id": m.ID, "event_id": m.Code, "user_message": m.Text, "message_level": "ERROR", "created_at": oslo.StampMicro(m.Created),
			"guaranteed_until": oslo.StampMicro(m.Created.Add(30 * 24 * time.Hour)), "resource_type": "VOLUME", "resource_uuid": m.About})
	}
	return l.answer(c, "messages", "messages", views, last), nil
}
