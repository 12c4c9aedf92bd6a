package events

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
)

const (
	ours, theirs = "0f0e0d0c0b0a09080706050403020100", "ffffffffffffffffffffffffffffffff"
	object       = "6b1c3f0e-5b60-4bb1-9d5e-3a8a5ddc4b77"
	person       = "cafe0000cafe0000cafe0000cafe0000"
)

// sent returns a notification as a service writes it: the context of the request in fields of its own.
func sent(eventType, payload string, context ...string) string {
	fields := `"message_id":"11111111-1111-1111-1111-111111111111","publisher_id":"x.host","priority":"INFO","timestamp":"2026-11-29 10:00:00.000000","_unique_id":"22222222222222222222222222222222"`
	for _, c := range context {
		fields += "," + c
	}
	return fmt.Sprintf(`{"event_type":%q,"payload":%s,%s}`, eventType, payload, fields)
}

// enveloped returns a notification as the driver messagingv2 sends it.
func enveloped(message string) string {
	text, _ := json.Marshal(message)
	return `{"oslo.version":"2.0","oslo.message":` + string(text) + `}`
}

func by(project string) string {
	return fmt.Sprintf(`"_context_user_id":%q,"_context_user_name":"anna","_context_project_id":%q,"_context_project_name":"p","_context_roles":["member"],"_context_auth_token":"secret"`, person, project)
}

// TestDecode has a message of each service, in the form in which the service writes it.
func TestDecode(t *testing.T) {
	anna := User{ID: person, Name: "anna", Project: ours}
	admin := User{ID: person, Name: "anna", Project: theirs}
	for _, tt := range []struct {
		of      string
		message string
		want    Look
	}{
		{"nova, without versions", sent("compute.instance.update", `{"tenant_id":"`+ours+`","user_id":"someone","instance_id":"`+object+`","display_name":"web","state":"active","metadata":{}}`, by(ours)),
			Look{"compute", "server", ours, object, anna}},
		{"nova, deleted by an administrator", sent("compute.instance.delete.end", `{"tenant_id":"`+ours+`","instance_id":"`+object+`","state":"deleted"}`, by(theirs)),
			Look{"compute", "server", ours, object, admin}},
		{"nova, with versions", sent("instance.update", `{"nova_object.name":"InstanceUpdatePayload","nova_object.namespace":"nova","nova_object.version":"1.8","nova_object.data":{"uuid":"`+object+`","tenant_id":"`+ours+`","user_id":"someone","state_update":{"nova_object.data":{"state":"active"}}}}`, by(ours)),
			Look{"compute", "server", ours, object, anna}},
		{"nova, a key pair", sent("keypair.create.end", `{"tenant_id":"`+ours+`","user_id":"`+person+`","key_name":"k"}`, by(ours)),
			Look{"compute", "keypair", ours, "k", anna}},
		{"nova, a server group", sent("server_group.delete", `{"nova_object.data":{"uuid":"`+object+`","project_id":"`+ours+`","policy":"affinity"}}`, by(ours)),
			Look{"compute", "server_group", ours, object, anna}},
		{"neutron, updated", sent("port.update.end", `{"port":{"id":"`+object+`","tenant_id":"`+ours+`","project_id":"`+ours+`","name":"p","fixed_ips":[]}}`, by(theirs)),
			Look{"network", "port", ours, object, admin}},
		{"neutron, deleted: no project", sent("network.delete.end", `{"network_id":"`+object+`"}`, by(theirs)),
			Look{"network", "network", "", object, admin}},
		{"neutron, several at once", sent("port.create.end", `{"ports":[{"id":"`+object+`","project_id":"`+ours+`"},{"id":"x","project_id":"`+ours+`"}]}`, by(ours)),
			Look{"network", "port", ours, "", anna}},
		{"neutron, a router's interface", sent("router.interface.create", `{"router_interface":{"id":"`+object+`","tenant_id":"`+ours+`","port_id":"x","subnet_id":"y","subnet_ids":["y"]}}`, by(ours)),
			Look{"network", "router_interface", ours, "x", anna}},
		{"neutron, a rule of a security group", sent("security_group_rule.create.end", `{"security_group_rules":[{"id":"`+object+`","project_id":"`+ours+`","security_group_id":"g"}]}`, by(ours)),
			Look{"network", "security_group", ours, "g", anna}},
		{"neutron, several rules", sent("security_group_rule.create.end", `{"security_group_rules":[{"id":"`+object+`","project_id":"`+ours+`","security_group_id":"g"},{"id":"x","project_id":"`+ours+`","security_group_id":"h"}]}`, by(ours)),
			Look{"network", "security_group", ours, "", anna}},
		{"neutron, a deleted rule", sent("security_group_rule.delete.end", `{"security_group_rule_id":"`+object+`","security_group_rule":{"id":"`+object+`","project_id":"`+ours+`","security_group_id":"g"}}`, by(ours)),
			Look{"network", "security_group", ours, "g", anna}},
		{"neutron, tags", sent("tag.update.end", `{"parent_resource":"networks","parent_resource_id":"`+object+`","tags":["a"]}`, by(ours)),
			Look{"network", "network", "", object, anna}},
		{"neutron, an older context", sent("subnet.update.end", `{"subnet":{"id":"`+object+`","tenant_id":"`+ours+`"}}`, `"_context_user":"`+person+`","_context_tenant":"`+ours+`"`),
			Look{"network", "subnet", ours, object, User{ID: person, Project: ours}}},
		{"cinder, a volume of a snapshot", sent("volume.create.end", `{"tenant_id":"`+ours+`","user_id":"someone","volume_id":"`+object+`","snapshot_id":"s","status":"available"}`, by(ours)),
			Look{"block-storage", "volume", ours, object, anna}},
		{"cinder, a snapshot", sent("snapshot.delete.end", `{"tenant_id":"`+ours+`","volume_id":"v","snapshot_id":"`+object+`"}`, by(ours)),
			Look{"block-storage", "snapshot", ours, object, anna}},
		{"cinder, a backup", sent("backup.create.end", `{"tenant_id":"`+ours+`","volume_id":"v","snapshot_id":null,"backup_id":"`+object+`"}`, by(ours)),
			Look{"block-storage", "backup", ours, object, anna}},
		{"glance: no context", sent("image.update", `{"id":"`+object+`","owner":"`+ours+`","name":"debian","status":"active","properties":{},"tags":[]}`),
			Look{"image", "image", ours, object, User{}}},
		{"glance, a failed upload: the payload is a text", sent("image.upload", `"storage is full"`),
			Look{"image", "image", "", "", User{}}},
		{"octavia: no user", sent("octavia.loadbalancer.update.end", `{"loadbalancer_id":"`+object+`","project_id":"`+ours+`","name":"lb"}`, `"_context_user_id":null,"_context_project_id":"`+ours+`"`),
			Look{"load-balancer", "loadbalancer", ours, object, User{Project: ours}}},
		{"designate", sent("dns.recordset.update", `{"id":"`+object+`","tenant_id":"`+ours+`","zone_id":"z","name":"www.example.org."}`, by(ours)),
			Look{"dns", "recordset", ours, object, anna}},
		{"keystone, basic", sent("identity.project.updated", `{"resource_info":"`+object+`"}`),
			Look{"identity", "project", "", object, User{}}},
		{"keystone, CADF", sent("identity.user.deleted", `{"typeURI":"http://schemas.dmtf.org/cloud/audit/1.0/event","initiator":{"typeURI":"service/security/account/user","id":"hashed","user_id":"`+person+`","username":"anna","project_id":"`+ours+`"},"target":{"id":"`+object+`"},"resource_info":"`+object+`"}`),
			Look{"identity", "user", "", object, anna}},
		{"manila", sent("share_network.create", `{"project_id":"`+ours+`","share_network_id":"`+object+`"}`, by(ours)),
			Look{"shared-file-system", "share_network", ours, object, anna}},
		{"a service that is not known", sent("cluster.create.end", `{"id":"`+object+`","project_id":"`+ours+`"}`, by(ours)),
			Look{"", "", ours, object, anna}},
		{"a payload that is a list", sent("port.update.end", `[1,2]`, by(ours)),
			Look{"network", "port", "", "", anna}},
		{"texts that cannot be shown", sent("image.update", `{"id":"a\u001b[2J","owner":"`+ours+`"}`, `"_context_user_name":"`+strings.Repeat("x", 256)+`"`),
			Look{"image", "image", ours, "", User{}}},
	} {
		for form, body := range map[string]string{"plain": tt.message, "enveloped": enveloped(tt.message)} {
			got, ok, err := Decode([]byte(body))
			if err != nil || !ok || got != tt.want {
				t.Errorf("%s (%s):\ngot  %+v %t %v\nwant %+v", tt.of, form, got, ok, err, tt.want)
			}
		}
	}
}

// No pass follows from these events: with them, each login of the agent would cause another pass.
func TestDecodeNoNews(t *testing.T) {
	for _, eventType := range []string{"identity.authenticate", "compute.instance.exists", "port.create.start", "compute.instance.create.start", "volume.usage", "image.send", "scheduler.select_destinations.end"} {
		if look, ok, err := Decode([]byte(enveloped(sent(eventType, `{"tenant_id":"`+ours+`"}`, by(ours))))); ok || err != nil {
			t.Errorf("%s: %+v %t %v", eventType, look, ok, err)
		}
	}
}

func TestAttackDecodeGarbage(t *testing.T) {
	for _, tt := range []struct {
		body string
		want error
	}{
		{"", ErrMalformed}, {"\x00\xff", ErrMalformed}, {"[]", ErrMalformed}, {"{}", ErrMalformed}, {`{"oslo.message":"{"}`, ErrMalformed}, {`{"oslo.message":"[]"}`, ErrMalformed},
		{`{"event_type":7}`, ErrMalformed}, {strings.Repeat("[", 100_000), ErrMalformed},
		{`{"event_type":"a.b","payload":` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + `}`, ErrMalformed},
		{strings.Repeat(" ", MaxMessage+1), ErrTooLarge},
	} {
		if look, ok, err := Decode([]byte(tt.body)); ok || !errors.Is(err, tt.want) {
			t.Errorf("%.40q: %+v %t %v, want %v", tt.body, look, ok, err, tt.want)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(sent("port.update.end", `{"port":{"id":"a","project_id":"b"}}`, by(ours))))
	f.Add([]byte(enveloped(sent("instance.update", `{"nova_object.data":{"uuid":"a","tenant_id":"b"}}`))))
	f.Add([]byte(sent("tag.create.end", `{"parent_resource":"networks","parent_resource_id":"a"}`)))
	f.Add([]byte(sent("identity.user.updated", `{"initiator":{"id":"a","name":"b"},"resource_info":"c"}`)))
	f.Fuzz(func(t *testing.T, body []byte) {
		look, ok, err := Decode(body)
		if err != nil && (ok || look != Look{}) {
			t.Errorf("%+v %t with %v", look, ok, err)
		}
		for _, s := range []string{look.ID, look.Project, look.Who.ID, look.Who.Name, look.Who.Project} {
			if len(s) > maxText {
				t.Errorf("%d bytes: %q", len(s), s)
			}
		}
		if (look.Service == "") != (look.Collection == "") && look.Service != "network" {
			t.Errorf("%+v", look)
		}
		if again, _, _ := Decode(body); again != look {
			t.Errorf("%+v, then %+v", look, again)
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	body := []byte(enveloped(sent("port.update.end", `{"port":{"id":"`+object+`","project_id":"`+ours+`","description":"`+strings.Repeat("x", 2000)+`"}}`, by(ours))))
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if _, ok, err := Decode(body); !ok || err != nil {
			b.Fatal(err)
		}
	}
}
