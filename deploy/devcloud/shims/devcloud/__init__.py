"""The code of devcloud that runs inside the OpenStack daemons: what replaces hypervisor, switch, amphora and disk."""
