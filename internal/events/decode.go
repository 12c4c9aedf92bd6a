package events

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// MaxMessage is the maximum size of a message that is read, in bytes. Nova's largest messages, about machines with many addresses and much
// metadata, have about 100 KiB.
const MaxMessage = 1 << 20

// maxText is the maximum length of an ID or a name in a message, in bytes. Longer ones are ignored.
const maxText = 255

// These errors mean that nothing can be learnt from a message.
var (
	ErrTooLarge  = fmt.Errorf("the message has more than %d bytes", MaxMessage)
	ErrMalformed = errors.New("the message is no notification of an OpenStack service")
)

// envelope is the message of the driver messagingv2: a version and, as a string, the notification (oslo_messaging/_drivers/common.py).
type envelope struct {
	Message *string `json:"oslo.message"`
}

// notification is a message of the driver messaging, and the content of an envelope (oslo_messaging/notify/notifier.py). The context of the
// user's request is in fields of its own; older services have it under older names.
type notification struct {
	EventType string          `json:"event_type"`
	Payload   json.RawMessage `json:"payload"`

	User     text `json:"_context_user"`
	UserID   text `json:"_context_user_id"`
	UserName text `json:"_context_user_name"`

	Project   text `json:"_context_project_id"`
	TenantID  text `json:"_context_tenant_id"`
	OldTenant text `json:"_context_tenant"`
}

// Decode reads a message. ok is false if nothing can have changed. An error means that the message cannot be read.
func Decode(body []byte) (look Look, ok bool, err error) {
	if len(body) > MaxMessage {
		return Look{}, false, ErrTooLarge
	}
	var e envelope
	var n notification
	if err := json.Unmarshal(body, &e); err != nil {
		return Look{}, false, ErrMalformed
	}
	if e.Message != nil {
		body = []byte(*e.Message)
	}
	if err := json.Unmarshal(body, &n); err != nil || n.EventType == "" {
		return Look{}, false, ErrMalformed
	}
	if !isNews(n.EventType) {
		return Look{}, false, nil
	}
	look.Who = User{ID: string(cmp.Or(n.UserID, n.User)), Name: string(n.UserName), Project: string(cmp.Or(n.Project, n.TenantID, n.OldTenant))}
	look.read(classify(n.EventType), n)
	return look, true, nil
}

// read adds what the event type and the payload say.
func (l *Look) read(k kindOf, n notification) {
	l.Service, l.Collection = k.service, k.collection
	object, fields := objectOf(n.Payload, k)
	l.Project = projectOf(object, fields)
	l.ID = cmp.Or(object[cmp.Or(k.id, "id")].text(), fields[k.noun+"_id"].text()) // noun_id: what neutron has deleted
	if strings.HasPrefix(n.EventType, "tag.") {
		l.Service, l.Collection, l.ID = "network", tagged[fields["parent_resource"].text()], fields["parent_resource_id"].text()
	}
	if by := fields["initiator"].object(); by != nil { // CADF: keystone, and the audit middleware of other services
		l.Who.ID = cmp.Or(l.Who.ID, by["user_id"].text(), by["id"].text())
		l.Who.Name = cmp.Or(l.Who.Name, by["username"].text(), by["name"].text())
		l.Who.Project = cmp.Or(l.Who.Project, by["project_id"].text())
	}
}

// objectOf returns the fields of the object that a payload is about, and those of the payload itself. They differ where the payload contains
// the object under its noun (neutron), or in an object with a version (nova). Of several objects, it returns the first without its ID.
func objectOf(payload json.RawMessage, k kindOf) (object, fields fieldsOf) {
	fields = raw(payload).object()
	if data := fields["nova_object.data"].object(); data != nil {
		return data, fields
	}
	noun := strings.ReplaceAll(k.noun, ".", "_") // router.interface: router_interface
	if inner := fields[noun].object(); inner != nil {
		return inner, fields
	}
	if many := fields[noun+"s"].list(); len(many) > 0 {
		object = many[0].object()
		if len(many) > 1 {
			object = object.without(k.id)
		}
		return object, fields
	}
	return fields, fields
}

// projectOf returns the project of an object. The field owner is glance's.
func projectOf(object, fields fieldsOf) string {
	for _, in := range []fieldsOf{object, fields} {
		for _, name := range []string{"project_id", "tenant_id", "owner"} {
			if id := in[name].text(); id != "" {
				return id
			}
		}
	}
	return ""
}
