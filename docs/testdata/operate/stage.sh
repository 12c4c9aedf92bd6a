# The stage of operate.md: a repository with forty folders, the configuration of an agent, a cloud.
git init -q -b main cloud-config
net() { # DIR NAME CIDR
	mkdir -p "cloud-config/$1"
	printf 'apiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Network\nmetadata: {name: %s}\nspec: {resource: {}}\n---\napiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Subnet\nmetadata: {name: %s}\nspec: {resource: {networkRef: %s, ipVersion: 4, cidr: %s}}\n' "$2" "$2" "$2" "$3" >"cloud-config/$1/$2.yaml"
}
n=0
for town in aarhus athens basel bergen bilbao bonn brest bruges cadiz cork delft dijon dublin essen faro gdansk genoa ghent graz kassel lagos leeds lille lyon malmo nantes oslo parma porto riga seville tartu turin utrecht vienna zagreb; do
	n=$((n + 1))
	net "shops/$town" "$town" "10.1.$n.0/24"
done
net base backbone 10.0.0.0/24
net base dmz 10.0.1.0/24
net ledger ledger 10.0.2.0/24
net archive archive 10.0.3.0/24
net edge edge 10.0.4.0/24
printf 'apiVersion: stackreeve.dev/v1alpha1\nkind: VirtualMachine\nmetadata: {name: edge-1}\nspec: {image: debian-12, flavor: m1.small, network: edge}\n' >cloud-config/edge/machine.yaml
git -C cloud-config add -A && git -C cloud-config commit -qm 'Forty folders'

cloud=$(grep -o "http://[^/]*" clouds.yaml | head -n 1)
(umask 077 && echo "ada $(openssl rand -hex 32)" >api && echo "ada $(openssl rand -hex 32)" >control && echo "$CHAT" >chat)
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout agent.key -out agent.pem -days 2 -subj /CN=agent -addext subjectAltName=IP:127.0.0.1 2>/dev/null
export OS_CLIENT_CONFIG_FILE=$HOME/clouds.yaml SSL_CERT_FILE=$HOME/agent.pem CURL_CA_BUNDLE=$HOME/agent.pem
export STACKREEVE_SERVER=https://$AGENT STACKREEVE_API_TOKEN_FILE=$HOME/api STACKREEVE_CONTROL_TOKEN_FILE=$HOME/control

agent() { # starts the agent
	touch agent.log # it is read before the agent writes
	stackreeve run --listen "$AGENT" --listen-cert-file agent.pem --listen-key-file agent.key 2>>agent.log &
	agent=$!
}
mark=1
await() { # TEXT: until the log of the agent, from the mark on, has a line with the text
	until tail -n "+$mark" agent.log | grep -q -e "$1"; do sleep 0.05; done
}
synced() { # NUMBER: until so many stacks have had a pass after which they were in sync
	until [ "$(grep 'pass ended.*in sync' agent.log | grep -v suspended= | grep -o 'stack=[^ ]*' | sort -u | wc -l)" -ge "$1" ]; do sleep 0.05; done
}
landed() { # STACK: until it is in sync at the newest commit
	until grep "pass ended.*stack=$1 .*in sync.*commit=$(git -C cloud-config rev-parse --short=10 main)" agent.log | grep -qv suspended=; do sleep 0.05; done
}
told() { # TEXT: until the channel was
	until grep -q -e "$1" chat.log 2>/dev/null; do sleep 0.05; done
}

token() { # of the user demo
	curl -si "$cloud/identity/v3/auth/tokens" -H 'Content-Type: application/json' -d '{"auth": {"identity": {"methods": ["password"],
	  "password": {"user": {"name": "demo", "domain": {"id": "default"}, "password": "demo"}}},
	  "scope": {"project": {"name": "demo", "domain": {"id": "default"}}}}}' | tr -d '\r' | awk 'tolower($1) == "x-subject-token:" {print $2}'
}
first() { grep -o "\"$1\": *\"[^\"]*\"" | head -n 1 | cut -d'"' -f4; }

deleteServer() { # the only one
	curl -s -X DELETE "$cloud/compute/v2.1/servers/$(curl -s "$cloud/compute/v2.1/servers" -H "X-Auth-Token: $token" | first id)" -H "X-Auth-Token: $token"
}
credential() { # NAME: makes an application credential and has clouds.yaml name it
	curl -s "$cloud/identity/v3/users/$user/application_credentials" -H "X-Auth-Token: $token" -H 'Content-Type: application/json' -d "{\"application_credential\": {\"name\": \"$1\"}}" >credential.json
	printf 'clouds:\n  demo:\n    auth_type: v3applicationcredential\n    auth: {auth_url: %s/identity/v3, application_credential_id: %s, application_credential_secret: %s}\n    region_name: RegionOne\n' \
		"$cloud" "$(first id <credential.json)" "$(first secret <credential.json)" >clouds.yaml
}
hash() { stackreeve plan --stack "$1" | sed -n 's/^    stackreeve run --once .* --approve //p'; }
ask() { # STACK: has it reconciled, and sets the mark
	mark=$(($(wc -l <agent.log) + 1))
	stackreeve reconcile "$1" >ask.log
}

# What happens between the blocks that readers see, in this order.

stage() { credential first; }
morning() {
	# Nothing is looked at but what the page asks for, and no window is open.
	sed -e 's/sync: {/sync: {driftCheck: "@every 24h", /' -e 's/demo, dependsOn/demo, sync: {driftCheck: "@every 24h"}, dependsOn/' -e 's/demo}/demo, sync: {driftCheck: "@every 24h"}}/' \
		-e 's/cloud-config, /cloud-config, poll: "@every 24h", /' stackreeve.yaml >quiet.yaml && mv quiet.yaml stackreeve.yaml
	case $(date -u +%H) in 0[0-5]) sed 's/ 0 1 / 0 13 /' stackreeve.yaml >other.yaml && mv other.yaml stackreeve.yaml ;; esac
	agent
	synced 39
	await 'pass ended.*stack=ledger'
	stackreeve kubeconfig --server "$STACKREEVE_SERVER" --certificate-authority agent.pem >kubeconfig
	export KUBECONFIG=$HOME/kubeconfig
}
guests() {
	git -C cloud-config checkout -qb guests
	printf -- '---\napiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Subnet\nmetadata: {name: oslo-guests}\nspec: {resource: {networkRef: oslo, ipVersion: 4, cidr: 192.168.7.0/24}}\n' >>cloud-config/shops/oslo/oslo.yaml
	git -C cloud-config commit -qam 'Guests in Oslo' && git -C cloud-config checkout -q main
}
elsewhere() {
	git -C cloud-config checkout -q guests
	sed 's/192.168.7/10.2.7/' cloud-config/shops/oslo/oslo.yaml >oslo.yaml && mv oslo.yaml cloud-config/shops/oslo/oslo.yaml
	git -C cloud-config commit -qam 'Guests in Oslo, within 10.0.0.0/8' && git -C cloud-config checkout -q main
}
drift() {
	landed shop-oslo
	deleteServer
	ask edge
	told 'edge is drifted'
}
hashed() { edge=$(hash edge); }
overshoot() {
	await 'pass ended.*stack=base'
	await 'pass ended.*stack=archive'
	ask shop-oslo
	await 'pass ended.*stack=shop-oslo'
}
approving() { base=$(kubectl get plan base -n base -o jsonpath='{.status.hash}'); }
restart() {
	await 'pass ended.*stack=base.*in sync'
	told 'base is in sync again'
	landed shop-oslo
	kill "$agent" && wait "$agent"
	mv agent.log before.log
	agent
	# Those that were checked before base was, are checked once more; ledger and archive are let be.
	synced 38
}
away() {
	curl -s "$cloud/_simulator/faults" -d '{"status": 503}' >fault.json
	ask shop-riga
	await 'pass ended.*stack=shop-riga'
	told 'shop-riga is failed'
}
rotate() {
	curl -s -X DELETE "$cloud/_simulator/faults"
	ask shop-riga
	await 'pass ended.*stack=shop-riga.*in sync'
	told 'shop-riga is in sync again'
	token=$(token) old=$(first id <credential.json)
	credential second
	curl -s -X DELETE "$cloud/identity/v3/users/$user/application_credentials/$old" -H "X-Auth-Token: $token"
	curl -s "$cloud/_simulator/faults" -d '{"expire_token": true, "count": 1, "path": "/network/"}' >fault.json
	ask shop-turin
	told 'shop-turin is failed'
	await 'pass ended.*stack=shop-turin.*in sync'
	told 'shop-turin is in sync again'
	ask edge
	await 'pass ended.*stack=edge.*in sync'
	told 'edge is in sync again'
}

token=$(token)
user=$(curl -s "$cloud/identity/v3/auth/tokens" -H "X-Auth-Token: $token" -H "X-Subject-Token: $token" | tr -d '\n' | sed 's/"domain": *{[^}]*}//g; s/.*"user": *//' | first id)
