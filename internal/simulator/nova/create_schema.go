package nova

import "github.com/stackreeve/stackreeve/internal/simulator/pyjson"

var (
	serverName     = pyjson.Name
	metadataSchema = &pyjson.Schema{Types: []string{"object"}, Closed: true, Patterns: []pyjson.Prop{{Name: `^[a-zA-Z0-9-_:. ]{1,255}$`, Schema: pyjson.String(0, 255)}}}
	tagSchema      = &pyjson.Schema{Types: []string{"string"}, MinLength: 1, MaxLength: 60, Pattern: "^[^,/]*$"}
	tagsSchema     = &pyjson.Schema{Types: []string{"array"}, Items: tagSchema, MaxItems: 50}
	accessIPv4     = &pyjson.Schema{Types: []string{"string"}, Format: "ipv4"}
	accessIPv6     = &pyjson.Schema{Types: []string{"string"}, Format: "ipv6"}
	diskConfig     = &pyjson.Schema{Types: []string{"string"}, Enum: []any{"AUTO", "MANUAL"}}
	hostnameSchema = &pyjson.Schema{Types: []string{"string", "null"}, MinLength: 1, MaxLength: 63, Pattern: `^[a-zA-Z0-9]+[a-zA-Z0-9-]*[a-zA-Z0-9]+$`}
	userData       = &pyjson.Schema{Types: []string{"string"}, Format: "base64", MaxLength: 65535}
	groupNames     = &pyjson.Schema{Types: []string{"array"}, Items: &pyjson.Schema{Types: []string{"object"}, Closed: true, Props: []pyjson.Prop{{Name: "name", Schema: pyjson.String(1, 255)}}}}
	imageRef       = &pyjson.Schema{AnyOf: []*pyjson.Schema{{Types: []string{"string"}, Format: "uuid"}, {Types: []string{"string"}, Enum: []any{""}}}}
	flavorRef      = &pyjson.Schema{Types: []string{"string", "integer"}, MinLength: 1}
)

func networksSchema(minor int) *pyjson.Schema {
	item := &pyjson.Schema{Types: []string{"object"}, Closed: true, Props: []pyjson.Prop{
		{Name: "fixed_ip", Schema: &pyjson.Schema{Types: []string{"string"}, Format: "ip"}},
		{Name: "port", Schema: &pyjson.Schema{Types: []string{"string", "null"}, Format: "uuid"}},
		{Name: "uuid", Schema: &pyjson.Schema{Types: []string{"string"}, Format: "uuid"}}}}
	if minor == 32 || minor >= 42 {
		item.Props = append(item.Props, pyjson.Prop{Name: "tag", Schema: tagSchema})
	}
	list := &pyjson.Schema{Types: []string{"array"}, Items: item}
	if minor < 37 {
		return list
	}
	return &pyjson.Schema{AnyOf: []*pyjson.Schema{list, {Types: []string{"string"}, Enum: []any{"none", "auto"}}}}
}

func blockSchema(minor int) *pyjson.Schema {
	text := pyjson.String(0, 255)
	index := &pyjson.Schema{Types: []string{"integer", "string", "null"}}
	item := &pyjson.Schema{Types: []string{"object"}, Closed: true, Props: []pyjson.Prop{
		{Name: "boot_index", Schema: index}, {Name: "delete_on_termination", Schema: pyjson.Boolean}, {Name: "destination_type", Schema: &pyjson.Schema{Types: []string{"string"}, Enum: []any{"local", "volume"}}},
		{Name: "device_name", Schema: text}, {Name: "device_type", Schema: text}, {Name: "disk_bus", Schema: text}, {Name: "guest_format", Schema: text},
		{Name: "no_device", Schema: text}, {Name: "source_type", Schema: &pyjson.Schema{Types: []string{"string"}, Enum: []any{"volume", "image", "snapshot", "blank"}}},
		{Name: "uuid", Schema: &pyjson.Schema{Types: []string{"string", "null"}}}, {Name: "volume_size", Schema: &pyjson.Schema{Types: []string{"integer", "string"}, Pattern: "^[0-9]+$", Minimum: pyjson.Int64(1)}},
		{Name: "volume_id", Schema: &pyjson.Schema{Types: []string{"string"}, Format: "uuid"}}, {Name: "image_id", Schema: &pyjson.Schema{Types: []string{"string"}, Format: "uuid"}},
		{Name: "snapshot_id", Schema: &pyjson.Schema{Types: []string{"string"}, Format: "uuid"}}}}
	if minor == 32 || minor >= 42 {
		item.Props = append(item.Props, pyjson.Prop{Name: "tag", Schema: tagSchema})
	}
	if minor >= 67 {
		item.Props = append(item.Props, pyjson.Prop{Name: "volume_type", Schema: pyjson.OrNull(pyjson.String(0, 255))})
	}
	return &pyjson.Schema{Types: []string{"array"}, Items: item}
}

// createSchema mirrors nova/api/openstack/compute/schemas/servers.py: create and its
// later versions.
func createSchema(minor int) *pyjson.Schema {
	anything := &pyjson.Schema{}
	s := &pyjson.Schema{Types: []string{"object"}, Required: []string{"name", "flavorRef"}, Closed: true, Props: []pyjson.Prop{
		{Name: "name", Schema: serverName}, {Name: "imageRef", Schema: imageRef}, {Name: "flavorRef", Schema: flavorRef},
		{Name: "adminPass", Schema: &pyjson.Schema{Types: []string{"string"}}}, {Name: "metadata", Schema: metadataSchema}, {Name: "networks", Schema: networksSchema(minor)},
		{Name: "OS-DCF:diskConfig", Schema: diskConfig}, {Name: "accessIPv4", Schema: accessIPv4}, {Name: "accessIPv6", Schema: accessIPv6},
		{Name: "availability_zone", Schema: pyjson.String(1, 255)}, {Name: "block_device_mapping", Schema: &pyjson.Schema{Types: []string{"array"}}}, {Name: "block_device_mapping_v2", Schema: blockSchema(minor)},
		{Name: "config_drive", Schema: pyjson.Boolean}, {Name: "key_name", Schema: pyjson.String(1, 255)}, {Name: "min_count", Schema: positive}, {Name: "max_count", Schema: positive},
		{Name: "return_reservation_id", Schema: pyjson.Boolean}, {Name: "security_groups", Schema: groupNames}, {Name: "user_data", Schema: userData}}}
	since := func(at int, name string, schema *pyjson.Schema) {
		if minor >= at {
			s.Props = append(s.Props, pyjson.Prop{Name: name, Schema: schema})
		}
	}
	if minor < 57 {
		s.Props = append(s.Props, pyjson.Prop{Name: "personality", Schema: anything})
	}
	since(19, "description", pyjson.OrNull(pyjson.String(0, 255)))
	since(52, "tags", tagsSchema)
	since(63, "trusted_image_certificates", anything)
	since(74, "host", pyjson.String(1, 255))
	since(74, "hypervisor_hostname", pyjson.String(1, 255))
	since(90, "hostname", hostnameSchema)
	if minor >= 37 {
		s.Required = append(s.Required, "networks")
	}
	hints := &pyjson.Schema{Types: []string{"object"}, Props: []pyjson.Prop{{Name: "group", Schema: &pyjson.Schema{Types: []string{"string"}, Format: "uuid"}}}}
	return &pyjson.Schema{Types: []string{"object"}, Required: []string{"server"}, Closed: true,
		Props: []pyjson.Prop{{Name: "server", Schema: s}, {Name: "os:scheduler_hints", Schema: hints}, {Name: "OS-SCH-HNT:scheduler_hints", Schema: hints}}}
}
