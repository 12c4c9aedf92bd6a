package sops

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

const (
	prefix    = "ENC[AES256_GCM,"
	nonceSize = 32 // bytes of the nonces that this package writes
	maxNonce  = 64
	tagSize   = 16
	keySize   = 32
)

// Looks reports whether a text has the form of an encrypted value.
func Looks(text string) bool { return strings.HasPrefix(text, prefix) && strings.HasSuffix(text, "]") }

// sealedValue is an encrypted value, as its text describes it.
type sealedValue struct {
	data, nonce []byte // data ends with the tag
	kind        string
}

var errForm = errors.New("the text is not of the form ENC[AES256_GCM,data:…,iv:…,tag:…,type:…]")

func parseValue(text string) (v sealedValue, err error) {
	if !Looks(text) {
		return v, errForm
	}
	fields := strings.Split(text[len(prefix):len(text)-1], ",")
	if len(fields) != 4 {
		return v, errForm
	}
	var parts [3][]byte
	for i, name := range []string{"data:", "iv:", "tag:"} {
		encoded, ok := strings.CutPrefix(fields[i], name)
		if !ok {
			return v, errForm
		}
		if parts[i], err = base64.StdEncoding.DecodeString(encoded); err != nil {
			return v, errForm
		}
	}
	kind, ok := strings.CutPrefix(fields[3], "type:")
	if !ok || len(parts[1]) == 0 || len(parts[1]) > maxNonce || len(parts[2]) != tagSize {
		return v, errForm
	}
	return sealedValue{append(parts[0], parts[2]...), parts[1], kind}, nil
}

// dataKey encrypts and decrypts the values of one file. It is safe for concurrent use.
type dataKey struct {
	block cipher.Block
	usual cipher.AEAD // for nonces of the usual size
}

func newDataKey(key []byte) (*dataKey, error) {
	if len(key) != keySize {
		return nil, fmt.Errorf("the data key has %d bytes instead of %d", len(key), keySize)
	}
	b, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	usual, err := cipher.NewGCMWithNonceSize(b, nonceSize)
	return &dataKey{b, usual}, err
}

func (k *dataKey) aead(size int) (cipher.AEAD, error) {
	if size == nonceSize {
		return k.usual, nil
	}
	return cipher.NewGCMWithNonceSize(k.block, size)
}

var errAuthentication = errors.New("the encrypted value was changed, or it was moved from another place or another file")

// open decrypts a value. additional is the path of the value, which was authenticated with it.
func (k *dataKey) open(text, additional string) (plain, kind string, err error) {
	v, err := parseValue(text)
	if err != nil {
		return "", "", err
	}
	a, err := k.aead(len(v.nonce))
	if err != nil {
		return "", "", errForm
	}
	out, err := a.Open(nil, v.nonce, v.data, []byte(additional))
	if err != nil {
		return "", "", errAuthentication
	}
	return string(out), v.kind, nil
}

func (k *dataKey) seal(plain, kind, additional string) (string, error) {
	nonce := make([]byte, nonceSize)
	if _, err := rand.Read(nonce); err != nil {
		return "", err
	}
	out := k.usual.Seal(nil, nonce, []byte(plain), []byte(additional))
	data, tag := out[:len(out)-tagSize], out[len(out)-tagSize:]
	b64 := base64.StdEncoding.EncodeToString
	return prefix + "data:" + b64(data) + ",iv:" + b64(nonce) + ",tag:" + b64(tag) + ",type:" + kind + "]", nil
}

// These are the types of values.
const (
	typeString = "str"
	typeInt    = "int"
	typeFloat  = "float"
	typeBool   = "bool"
	typeBytes  = "bytes"
	typeTime   = "time"
)

// value is a scalar as SOPS understands it. hashed is the text that the checksum covers. The same text is encrypted.
type value struct{ kind, hashed string }

// valueOf returns the value of a scalar in clear text. ok is false for a null, and err is set for a value that SOPS cannot
// read.
func valueOf(n *yaml.Node) (v value, ok bool, err error) {
	if n.ShortTag() == "!!str" {
		return value{typeString, n.Value}, true, nil
	}
	var decoded any
	if err := n.Decode(&decoded); err != nil {
		return v, false, errors.New("the value cannot be read")
	}
	switch d := decoded.(type) {
	case nil:
		return v, false, nil
	case string:
		return value{typeString, d}, true, nil
	case bool:
		return boolValue(d), true, nil
	case int:
		return value{typeInt, strconv.Itoa(d)}, true, nil
	case uint64: // SOPS reads such a number of a JSON file like this
		return floatValue(float64(d)), true, nil
	case float64:
		return floatValue(d), true, nil
	case time.Time:
		text, err := d.MarshalText()
		return value{typeTime, string(text)}, true, err
	}
	return v, false, errors.New("values of this type cannot be encrypted")
}

func boolValue(b bool) value {
	if b {
		return value{typeBool, "True"}
	}
	return value{typeBool, "False"}
}

func floatValue(f float64) value { return value{typeFloat, strconv.FormatFloat(f, 'f', -1, 64)} }

// restore writes a decrypted value into its node, and returns the text that the checksum covers.
func restore(n *yaml.Node, plain, kind string) (hashed string, err error) {
	set := func(tag, text string, style yaml.Style) { n.Tag, n.Value, n.Style = tag, text, style }
	switch kind {
	case typeString, typeBytes:
		if !utf8.ValidString(plain) {
			return "", errors.New("the decrypted value is no text in UTF-8; encode it in base64, and encrypt the file again")
		}
		set("!!str", plain, yaml.DoubleQuotedStyle)
		return plain, nil
	case typeInt:
		i, err := strconv.Atoi(plain)
		if err != nil {
			break
		}
		set("!!int", strconv.Itoa(i), 0)
		return n.Value, nil
	case typeFloat:
		f, err := strconv.ParseFloat(plain, 64)
		if err != nil {
			break
		}
		set("!!float", floatValue(f).hashed, 0)
		return n.Value, nil
	case typeBool:
		b, err := strconv.ParseBool(plain)
		if err != nil {
			break
		}
		set("!!bool", strconv.FormatBool(b), 0)
		return boolValue(b).hashed, nil
	case typeTime:
		var t time.Time
		if t.UnmarshalText([]byte(plain)) != nil {
			break
		}
		text, err := t.MarshalText()
		set("!!timestamp", string(text), 0)
		return string(text), err
	}
	return "", fmt.Errorf("the decrypted value is not of the type %q", clipped(kind))
}
