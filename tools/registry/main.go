// Program registry serves the real registry of the CNCF (distribution) on a loopback address. It prints its address.
// The argument is a file with a configuration. The program links one storage driver; the registry's own links those of all clouds.
package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"

	"github.com/distribution/distribution/v3/configuration"
	_ "github.com/distribution/distribution/v3/registry/auth/htpasswd"
	_ "github.com/distribution/distribution/v3/registry/auth/token"
	"github.com/distribution/distribution/v3/registry/handlers"
	_ "github.com/distribution/distribution/v3/registry/storage/driver/inmemory"
	"github.com/sirupsen/logrus"
)

func main() {
	if err := serve(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func serve(file string) error {
	text, err := os.Open(file)
	if err != nil {
		return err
	}
	config, err := configuration.Parse(text)
	if err != nil {
		return err
	}
	logrus.SetLevel(logrus.ErrorLevel)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(listener.Addr())
	return http.Serve(listener, handlers.NewApp(context.Background(), config))
}
