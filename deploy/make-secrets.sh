#!/bin/sh
# Creates the service's secrets in a folder, each in a separate file. Keeps existing files.
#   sh deploy/make-secrets.sh FOLDER [HOST OF POSTGRESQL]
set -eu
umask 077
mkdir -p "$1" && cd "$1"
for name in master_key jwt_secret edge_secret metrics_token; do
  [ -s $name ] || printf %s "$(openssl rand -base64 32)" > $name
done
for name in deployer_key keeper_key; do [ -s $name ] || echo "0x$(openssl rand -hex 32)" > $name; done
[ -s postgres_password ] || openssl rand -hex 24 > postgres_password
[ -s database_url ] || echo "postgres://sluice:$(cat postgres_password)@${2:-postgres}:5432/sluice" > database_url
