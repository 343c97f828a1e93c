#!/bin/bash
# Starts PostgreSQL in the image that .ci/container builds. As in the official image, the first start creates the user
# POSTGRES_USER and the database POSTGRES_DB. Connections from other containers need the password in
# POSTGRES_PASSWORD_FILE.
set -eu
export PGDATA=/var/lib/postgresql/data
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  initdb --username="$POSTGRES_USER" --pwfile="$POSTGRES_PASSWORD_FILE" --auth-local=trust --auth-host=scram-sha-256
  echo 'host all all all scram-sha-256' >>"$PGDATA/pg_hba.conf"
  pg_ctl --wait --options='-c listen_addresses=' start
  createdb --username="$POSTGRES_USER" "$POSTGRES_DB"
  pg_ctl --wait stop
fi
exec postgres -c 'listen_addresses=*'
