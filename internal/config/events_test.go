package config

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func TestAMQPLogin(t *testing.T) {
	for address, want := range map[string]AMQPLogin{
		"amqps://u:p%2F@rabbit.example.org/nova\n":   {[]string{"rabbit.example.org:5671"}, "u", "p/", "nova", true},
		"amqp://u:p@10.0.0.1":                        {[]string{"10.0.0.1:5672"}, "u", "p", "/", false},
		"amqp://u:p@[fd00::1]:7/%2F":                 {[]string{"[fd00::1]:7"}, "u", "p", "/", false},
		"https://u:hidden@rabbit.example.org":        {},
		"amqp://rabbit.example.org":                  {},
		"amqp://u:hidden@:5672/":                     {},
		"amqp://u:hidden%@rabbit.example.org":        {},
		"rabbit://u:hidden@rabbit.example.org:5672/": {},
	} {
		file := filepath.Join(t.TempDir(), "url")
		if err := os.WriteFile(file, []byte(address), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := (&AMQP{URLFile: file}).Login()
		if !reflect.DeepEqual(got, want) || (err == nil) != (want.User != "") {
			t.Errorf("%q: %+v, %v", address, got, err)
		}
		if err != nil && strings.Contains(err.Error(), "hidden") {
			t.Errorf("the error contains the password: %v", err)
		}
	}
}

func TestEventsThatContradict(t *testing.T) {
	for name, tt := range map[string]struct {
		amqp AMQP
		want string // the field of the only problem; "" if there is none
	}{
		"address":           {AMQP{URLFile: "f"}, ""},
		"servers":           {AMQP{Servers: []string{"rabbit:5672"}, Username: "u", PasswordFile: "f"}, ""},
		"neither":           {AMQP{}, "spec.events.amqp"},
		"no password":       {AMQP{Servers: []string{"rabbit:5672"}, Username: "u"}, "spec.events.amqp"},
		"both":              {AMQP{URLFile: "f", Username: "u"}, "spec.events.amqp.urlFile"},
		"no port":           {AMQP{Servers: []string{"rabbit"}, Username: "u", PasswordFile: "f"}, "spec.events.amqp.servers[0]"},
		"half a pair":       {AMQP{URLFile: "f", CertFile: "c"}, "spec.events.amqp"},
		"an empty exchange": {AMQP{URLFile: "f", Exchanges: []string{"nova", ""}}, "spec.events.amqp.exchanges[1]"},
	} {
		var fields []string
		(&Events{AMQP: &tt.amqp}).check(func(field, _ string) { fields = append(fields, field) })
		if got := strings.Join(fields, " "); got != tt.want {
			t.Errorf("%s: problems with %q, want %q", name, got, tt.want)
		}
	}
}
