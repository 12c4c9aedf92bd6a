package forge

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"strconv"
	"time"

	"github.com/stackreeve/stackreeve/internal/localfile"
)

// jwt returns a signed token with which the App logs in (a JSON Web Token). It expires in nine
// minutes, because GitHub accepts at most ten. It is valid from a minute ago, because clocks
// differ.
func (a *App) jwt(now time.Time) (string, error) {
	key, err := readKey(a.PrivateKeyFile)
	if err != nil {
		return "", err
	}
	claims, err := json.Marshal(struct {
		Issued  int64  `json:"iat"`
		Expires int64  `json:"exp"`
		Issuer  string `json:"iss"`
	}{now.Add(-time.Minute).Unix(), now.Add(9 * time.Minute).Unix(), strconv.FormatInt(a.AppID, 10)})
	if err != nil {
		return "", err
	}
	text := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"RS256","typ":"JWT"}`)) + "." + base64.RawURLEncoding.EncodeToString(claims)
	sum := sha256.Sum256([]byte(text))
	signature, err := rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, sum[:])
	if err != nil {
		return "", fmt.Errorf("%s does not sign: %w", a.PrivateKeyFile, err)
	}
	return text + "." + base64.RawURLEncoding.EncodeToString(signature), nil
}

func readKey(path string) (*rsa.PrivateKey, error) {
	text, err := localfile.Read(path, localfile.Secret)
	if err != nil {
		return nil, fmt.Errorf("private key: %w", err)
	}
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, fmt.Errorf("private key: %s is not PEM; download one from the App's settings", path)
	}
	if key, err := x509.ParsePKCS1PrivateKey(block.Bytes); err == nil {
		return key, nil
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if k, ok := key.(*rsa.PrivateKey); ok && err == nil {
		return k, nil
	}
	return nil, fmt.Errorf("private key: %s holds no RSA private key but %q; download one from the App's settings", path, block.Type)
}
