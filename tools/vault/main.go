// Program vault serves the core of the real Vault on a loopback address, with secrets in memory, KV, and the auth methods approle and jwt.
// It prints its address. HashiCorp's own program has 60 other engines, and takes five times as long to build.
package main

import (
	"fmt"
	"net"
	"net/http"
	"os"

	log "github.com/hashicorp/go-hclog"
	jwt "github.com/hashicorp/vault-plugin-auth-jwt"
	kv "github.com/hashicorp/vault-plugin-secrets-kv"
	"github.com/hashicorp/vault/builtin/credential/approle"
	"github.com/hashicorp/vault/helper/metricsutil"
	vaulthttp "github.com/hashicorp/vault/http"
	"github.com/hashicorp/vault/internalshared/configutil"
	"github.com/hashicorp/vault/sdk/helper/consts"
	"github.com/hashicorp/vault/sdk/logical"
	"github.com/hashicorp/vault/sdk/physical/inmem"
	"github.com/hashicorp/vault/vault"
)

func main() {
	if err := serve(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func serve() error {
	logger := log.New(&log.LoggerOptions{Level: log.Warn})
	storage, err := inmem.NewInmem(nil, logger)
	if err != nil {
		return err
	}
	secrets := map[string]logical.Factory{"kv": kv.Factory}
	logins := map[string]logical.Factory{"approle": approle.Factory, "jwt": jwt.Factory}
	core, err := vault.NewCore(&vault.CoreConfig{
		Physical: storage, Logger: logger, DisableMlock: true, LogicalBackends: secrets, CredentialBackends: logins,
		BuiltinRegistry: registry{consts.PluginTypeSecrets: secrets, consts.PluginTypeCredential: logins}, MetricSink: metricsutil.BlackholeSink(),
	})
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println("http://" + listener.Addr().String())
	return http.Serve(listener, vaulthttp.Handler.Handler(&vault.HandlerProperties{Core: core, ListenerConfig: &configutil.Listener{}}))
}

// registry says which plugins are part of the program.
type registry map[consts.PluginType]map[string]logical.Factory

func (r registry) Contains(name string, of consts.PluginType) bool {
	_, ok := r[of][name]
	return ok
}

func (r registry) Get(name string, of consts.PluginType) (func() (interface{}, error), bool) {
	factory, ok := r[of][name]
	return func() (interface{}, error) { return factory, nil }, ok
}

func (r registry) Keys(of consts.PluginType) (names []string) {
	for name := range r[of] {
		names = append(names, name)
	}
	return names
}

func (r registry) DeprecationStatus(name string, of consts.PluginType) (consts.DeprecationStatus, bool) {
	return consts.Supported, r.Contains(name, of)
}

func (registry) IsBuiltinEntPlugin(string, consts.PluginType) bool { return false }
