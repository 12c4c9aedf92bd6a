package glance

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
	"github.com/stackreeve/stackreeve/internal/simulator/pyjson"
)

var diskFormats = []any{nil, "ami", "ari", "aki", "vhd", "vhdx", "vmdk", "raw", "qcow2", "vdi", "iso", "ploop"}

var containerFormats = []any{nil, "ami", "ari", "aki", "bare", "ovf", "ova", "docker", "compressed"}

// readOnly are the attributes that only Glance sets (images.py: _readonly_properties and _reserved_properties).
var readOnly = []string{"created_at", "updated_at", "status", "checksum", "size", "virtual_size", "direct_url", "self", "file", "schema",
	"id", "os_hash_algo", "os_hash_value"}

var reserved = []string{"location", "deleted", "deleted_at", "stores", "os_glance_import_task", "os_glance_failed_import", "os_glance_importing_to_stores"}

func (g *Glance) create(c *oslo.Call) (*oslo.Response, error) {
	v, err := pyjson.Parse(c.Body())
	body, ok := v.(*pyjson.Object)
	if err != nil || !ok {
		return nil, badRequest("Malformed JSON in request body.")
	}
	i := g.newImage(c.Caller.ProjectID)
	for _, key := range body.Keys() {
		value, _ := body.Get(key)
		if key == "id" {
			id, _ := value.(string)
			if !pyjson.IsUUID(id) {
				return nil, mismatch("%s does not match '%s'\n\nFailed validating 'pattern' in schema['properties']['id']:\n    {'description': 'An identifier for the image',\n     'pattern': '%s',\n     'type': 'string'}\n\nOn instance['id']:\n    %s",
					pyjson.Repr(value), uuidPattern, uuidPattern, pyjson.Repr(value))
			}
			if _, used := g.images.Get(id); used {
				return nil, conflict("Image ID %s already exists!", id)
			}
			i.ID = id
			continue
		}
		if key == "owner" && !c.Caller.Admin() && value != c.Caller.ProjectID {
			return nil, forbidden("You are not permitted to create images owned by '%s'.", pyjson.Str(value))
		}
		if err := g.set(c.Caller, i, key, value); err != nil {
			return nil, err
		}
	}
	g.images.Add(i)
	return oslo.Created(i.view()).With("Location", c.Base+"/v2/images/"+i.ID).
		With("OpenStack-image-import-methods", "glance-direct,web-download").
		With("OpenStack-image-store-ids", "file,os_glance_staging_store,os_glance_tasks_store"), nil
}

const uuidPattern = "^([0-9a-fA-F]){8}-([0-9a-fA-F]){4}-([0-9a-fA-F]){4}-([0-9a-fA-F]){4}-([0-9a-fA-F]){12}$"

// set writes one attribute and checks the image schema and policies.
func (g *Glance) set(c *oslo.Caller, i *Image, key string, value any) error {
	if slices.Contains(readOnly, key) {
		return forbidden("Attribute '%s' is read-only.", key)
	}
	if slices.Contains(reserved, key) || strings.HasPrefix(key, "os_glance") {
		return denied("Attribute '%s' is reserved.", key)
	}
	switch key {
	case "name":
		return setText(&i.Name, key, value, 255)
	case "disk_format", "container_format":
		return setFormat(i, key, value)
	case "visibility":
		return setVisibility(c, i, value)
	case "protected", "os_hidden":
		b, ok := value.(bool)
		if !ok {
			return wrongType(key, value, "boolean")
		}
		if key == "protected" {
			i.Protected = b
		} else {
			i.Hidden = b
		}
	case "min_disk", "min_ram":
		return setNumber(i, key, value)
	case "owner":
		owner, ok := value.(string)
		if !ok {
			return wrongType(key, value, "string")
		}
		i.Owner = owner
	case "tags":
		return setTags(i, value)
	default:
		s, ok := value.(string)
		if !ok {
			return mismatch("%s is not of type 'string'\n\nFailed validating 'type' in schema['additionalProperties']:\n    {'type': 'string'}\n\nOn instance['%s']:\n    %s",
				pyjson.Repr(value), key, pyjson.Repr(value))
		}
		i.Properties[key] = s
	}
	return nil
}

// described are the descriptions in images.py: get_base_properties that refusals contain.
var described = map[string]string{"min_disk": "Amount of disk space (in GB) required to boot image.", "min_ram": "Amount of ram (in MB) required to boot image.",
	"protected": "If true, image will not be deletable.", "os_hidden": "If true, image will not appear in default image list response.", "owner": "Owner of the image"}

func wrongType(key string, value any, kind string) error {
	return mismatch("%s is not of type '%s'\n\nFailed validating 'type' in schema['properties']['%s']:\n    {'description': '%s',\n     'type': '%s'}\n\nOn instance['%s']:\n    %s",
		pyjson.Repr(value), kind, key, described[key], kind, key, pyjson.Repr(value))
}

const nameText = "Descriptive name for the image"

func setText(to **string, key string, value any, limit int) error {
	switch v := value.(type) {
	case nil:
		*to = nil
	case string:
		if len([]rune(v)) > limit {
			return mismatch("%s is too long\n\nFailed validating 'maxLength' in schema['properties']['%s']:\n    {'description': '%s',\n     'maxLength': %d,\n     'type': ['null', 'string']}\n\nOn instance['%s']:\n    %s",
				pyjson.Repr(v), key, nameText, limit, key, pyjson.Repr(v))
		}
		*to = &v
	default:
		return mismatch("%s is not of type 'null', 'string'\n\nFailed validating 'type' in schema['properties']['%s']:\n    {'description': '%s',\n     'maxLength': %d,\n     'type': ['null', 'string']}\n\nOn instance['%s']:\n    %s",
			pyjson.Repr(value), key, nameText, limit, key, pyjson.Repr(value))
	}
	return nil
}

func setFormat(i *Image, key string, value any) error {
	known, to, title := diskFormats, &i.DiskFormat, "Format of the disk"
	if key == "container_format" {
		known, to, title = containerFormats, &i.ContainerFormat, "Format of the container"
	}
	if !slices.Contains(known, value) {
		lines := make([]string, len(known))
		for n, k := range known {
			lines[n] = pyjson.Repr(k)
		}
		return mismatch("%s is not one of %s\n\nFailed validating 'enum' in schema['properties']['%s']:\n    {'description': '%s',\n     'enum': [%s],\n     'type': ['null', 'string']}\n\nOn instance['%s']:\n    %s",
			pyjson.Repr(value), pyjson.Repr(known), key, title, strings.Join(lines, ",\n              "), key, pyjson.Repr(value))
	}
	if i.Status != "queued" {
		return forbidden("Attribute %s can be only replaced for a queued image.", key)
	}
	return setText(to, key, value, 255)
}

// setVisibility mirrors etc/policies: publicize_image is for admins, communitize_image for everybody.
func setVisibility(c *oslo.Caller, i *Image, value any) error {
	v, _ := value.(string)
	if !slices.Contains([]string{"community", "public", "private", "shared"}, v) {
		return mismatch("%s is not one of ['community', 'public', 'private', 'shared']\n\nFailed validating 'enum' in schema['properties']['visibility']:\n    {'description': 'Scope of image accessibility',\n     'enum': ['community', 'public', 'private', 'shared'],\n     'type': 'string'}\n\nOn instance['visibility']:\n    %s",
			pyjson.Repr(value), pyjson.Repr(value))
	}
	if v == "public" && i.Visibility != "public" && !c.Admin() {
		return unauthorizedFor("publicize_image")
	}
	i.Visibility = v
	return nil
}

func setNumber(i *Image, key string, value any) error {
	number, ok := value.(json.Number)
	n, err := strconv.Atoi(number.String())
	if !ok || err != nil {
		return wrongType(key, value, "integer")
	}
	if n < 0 {
		return badRequest("Invalid value '%d' for parameter '%s': Cannot be a negative value", n, key)
	}
	if key == "min_disk" {
		i.MinDisk = n
	} else {
		i.MinRAM = n
	}
	return nil
}

func setTags(i *Image, value any) error {
	list, ok := value.([]any)
	if !ok {
		return mismatch("%s is not of type 'array'\n\nFailed validating 'type' in schema['properties']['tags']:\n    {'description': 'List of strings related to the image',\n     'items': {'maxLength': 255, 'type': 'string'},\n     'type': 'array'}\n\nOn instance['tags']:\n    %s", pyjson.Repr(value), pyjson.Repr(value))
	}
	tags := []string{}
	for n, item := range list {
		tag, ok := item.(string)
		if !ok {
			return mismatch("%s is not of type 'string'\n\nFailed validating 'type' in schema['properties']['tags']['items']:\n    {'maxLength': 255, 'type': 'string'}\n\nOn instance['tags'][%d]:\n    %s", pyjson.Repr(item), n, pyjson.Repr(item))
		}
		if len([]rune(tag)) > 255 {
			return badRequest("Provided object does not match schema 'image': %s is too long", pyjson.Repr(tag))
		}
		if !slices.Contains(tags, tag) {
			tags = append(tags, tag)
		}
	}
	if len(tags) > 128 {
		return oslo.Errorf(http.StatusRequestEntityTooLarge, "ImageTagLimitExceeded", "The limit has been exceeded on the number of allowed image tags. Attempted: %d, Maximum: 128", len(tags))
	}
	i.Tags = tags
	return nil
}
