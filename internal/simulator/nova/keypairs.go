package nova

import (
	"crypto/md5"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/pem"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/stackreeve/stackreeve/internal/pattern"
	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
	"github.com/stackreeve/stackreeve/internal/simulator/pyjson"
)

// keyPair is a key pair. It belongs to a user and not to a project.
type keyPair struct {
	user, name, public, kind, fingerprint string
	number                                int
	created                               time.Time
}

func keyID(user, name string) string { return user + "\x00" + name }

func (k *keyPair) id() string { return keyID(k.user, k.name) }

func (n *Nova) addKeyPairs() {
	n.handle("GET /v2.1/os-keypairs", 1, n.listKeys)
	n.handle("POST /v2.1/os-keypairs", 1, n.createKey)
	n.handle("GET /v2.1/os-keypairs/{id}", 1, n.showKey)
	n.handle("DELETE /v2.1/os-keypairs/{id}", 1, n.deleteKey)
}

// keyUser is the user whose keys a call is about. Only admins may set user_id, from 2.10 on.
func keyUser(c *call, action, asked string) (string, error) {
	if asked == "" || c.minor < 10 || asked == c.Caller.UserID {
		return c.Caller.UserID, nil
	}
	if !c.Caller.Admin() {
		return "", disallowed("os-keypairs:" + action)
	}
	return asked, nil
}

func (k *keyPair) view(c *call) map[string]any {
	v := map[string]any{"name": k.name, "public_key": k.public, "fingerprint": k.fingerprint}
	if c.minor >= 2 {
		v["type"] = k.kind
	}
	return v
}

func (n *Nova) listKeys(c *call) (*oslo.Response, error) {
	user, err := keyUser(c, "index", c.Query().Get("user_id"))
	if err != nil {
		return nil, err
	}
	recs := n.keys.Where(func(k *keyPair) bool { return k.user == user })
	slices.SortFunc(recs, func(a, b *keyPair) int { return strings.Compare(a.name, b.name) })
	name := func(k *keyPair) string { return k.name }
	more := false
	if c.minor >= 35 {
		limit, err := n.limit(c)
		if err != nil {
			return nil, err
		}
		if recs, more, err = page(c, recs, limit, name); err != nil {
			return nil, badRequest("Marker %s could not be found.", c.Query().Get("marker"))
		}
		more = more && c.Query().Has("limit")
	}
	return listOf(c, "keypairs", "os-keypairs", recs, more, name, func(k *keyPair) any {
		return map[string]any{"keypair": k.view(c)}
	}), nil
}

func (n *Nova) findKey(c *call, action string) (*keyPair, error) {
	user, err := keyUser(c, action, c.Query().Get("user_id"))
	if err != nil {
		return nil, err
	}
	k, ok := n.keys.Get(keyID(user, c.PathValue("id")))
	if !ok {
		return nil, notFound("Keypair %s not found for user %s", c.PathValue("id"), user)
	}
	return k, nil
}

func (n *Nova) showKey(c *call) (*oslo.Response, error) {
	k, err := n.findKey(c, "show")
	if err != nil {
		return nil, err
	}
	v := k.view(c)
	v["user_id"], v["id"], v["created_at"] = k.user, k.number, k.created.Format("2006-01-02T15:04:05.000000")
	v["deleted"], v["deleted_at"], v["updated_at"] = false, nil, nil
	return oslo.OK(map[string]any{"keypair": v}), nil
}

// keySchema mirrors nova/api/openstack/compute/schemas/keypairs.py.
func keySchema(minor int) *pyjson.Schema {
	s := &pyjson.Schema{Types: []string{"object"}, Required: []string{"name"}, Closed: true,
		Props: []pyjson.Prop{{Name: "name", Schema: pyjson.Name}, {Name: "public_key", Schema: pyjson.String(0, 0)}}}
	if minor >= 2 {
		s.Props = append(s.Props, pyjson.Prop{Name: "type", Schema: &pyjson.Schema{Types: []string{"string"}, Enum: []any{"ssh", "x509"}}})
	}
	if minor >= 10 {
		s.Props = append(s.Props, pyjson.Prop{Name: "user_id", Schema: pyjson.String(0, 255)})
	}
	if minor >= 92 {
		s.Required = append(s.Required, "public_key")
	}
	return wrapped("keypair", s)
}

var oldKeyName = pattern.Of(`^[_\- 0-9a-zA-Z]+$`)

var newKeyName = pattern.Of(`^[_\- 0-9a-zA-Z.@]+$`)

func checkKeyName(minor int, name string) error {
	known, chars := oldKeyName, "[_- 0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ]"
	if minor >= 92 {
		known, chars = newKeyName, "[@._- 0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ]"
	}
	if !known.MatchString(name) {
		return badRequest("An invalid 'name' value was provided. The name must be: Only expected characters: %s", chars)
	}
	return nil
}

func (n *Nova) createKey(c *call) (*oslo.Response, error) {
	body, err := c.read(keySchema(c.minor))
	if err != nil {
		return nil, err
	}
	in := body.Object("keypair")
	user, err := keyUser(c, "create", in.Text("user_id"))
	if err != nil {
		return nil, err
	}
	k := &keyPair{user: user, name: in.Text("name"), public: in.Text("public_key"), kind: in.Text("type"), created: n.cloud.Now()}
	if k.kind == "" {
		k.kind = "ssh"
	}
	if err := checkKeyName(c.minor, k.name); err != nil {
		return nil, err
	}
	if limit := n.quotas.Limit(c.Caller.ProjectID, "key_pairs"); limit >= 0 && len(n.keys.Where(func(o *keyPair) bool { return o.user == user })) >= limit {
		return nil, forbidden("Quota exceeded, too many key pairs.")
	}
	if _, used := n.keys.Get(k.id()); used {
		return nil, conflict("Key pair '%s' already exists.", k.name)
	}
	private := ""
	if !in.Has("public_key") {
		private, err = k.generate()
	} else {
		err = k.identify()
	}
	if err != nil {
		return nil, err
	}
	n.keySerial++
	k.number = n.keySerial
	n.keys.Add(k)
	v := k.view(c)
	v["user_id"] = k.user
	if private != "" {
		v["private_key"] = private
	}
	status := http.StatusOK
	if c.minor >= 2 {
		status = http.StatusCreated
	}
	return &oslo.Response{Status: status, Body: map[string]any{"keypair": v}}, nil
}

// identify mirrors nova/crypto.py: generate_fingerprint. The fingerprint is the MD5 of the key's blob, and does
// not depend on the comment.
func (k *keyPair) identify() error {
	invalid := badRequest("Keypair data is invalid: failed to generate fingerprint")
	if k.kind == "x509" {
		block, _ := pem.Decode([]byte(k.public))
		if block == nil {
			return invalid
		}
		k.fingerprint = colons(md5.Sum(block.Bytes))
		return nil
	}
	words := strings.Fields(k.public)
	if len(words) < 2 {
		return invalid
	}
	blob, err := base64.StdEncoding.DecodeString(words[1])
	if err != nil {
		return invalid
	}
	if _, err := ssh.ParsePublicKey(blob); err != nil {
		return invalid
	}
	k.fingerprint = colons(md5.Sum(blob))
	return nil
}

func colons(sum [16]byte) string {
	parts := make([]string, len(sum))
	for i, b := range sum {
		parts[i] = hex.EncodeToString([]byte{b})
	}
	return strings.Join(parts, ":")
}

// generate makes a key for a request that contains none, as Nova did before 2.92.
func (k *keyPair) generate() (string, error) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return "", fmt.Errorf("generate a key pair: %w", err)
	}
	public, err := ssh.NewPublicKey(&key.PublicKey)
	if err != nil {
		return "", fmt.Errorf("generate a key pair: %w", err)
	}
	k.public = strings.TrimSpace(string(ssh.MarshalAuthorizedKey(public))) + " Generated-by-Nova"
	k.fingerprint = colons(md5.Sum(public.Marshal()))
	return string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})), nil
}

func (n *Nova) deleteKey(c *call) (*oslo.Response, error) {
	k, err := n.findKey(c, "delete")
	if err != nil {
		return nil, err
	}
	n.keys.Remove(k.id())
	if c.minor >= 2 {
		return oslo.NoContent(), nil
	}
	return oslo.Accepted(nil), nil
}
