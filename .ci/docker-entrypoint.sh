#!/bin/bash
# Starts Elasticsearch in the image of .ci/elasticsearch. Environment variables with a dot in the name are settings, and
# ELASTIC_PASSWORD is the password of the user elastic.
set -e
settings=()
while IFS='=' read -r -d '' name value; do
  if [[ $name == *.* ]]; then settings+=("-E$name=$value"); fi
done </proc/self/environ
if [[ -n $ELASTIC_PASSWORD ]]; then
  bin/elasticsearch-keystore add -f -x bootstrap.password <<<"$ELASTIC_PASSWORD"
fi
exec bin/elasticsearch "${settings[@]}"
