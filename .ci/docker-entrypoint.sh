#!/bin/bash
# Starts Elasticsearch in the image that .ci/elasticsearch builds. Environment variables with a dot in their name are
# settings; ELASTIC_PASSWORD is the password of the user elastic.
set -e
settings=()
while IFS='=' read -r -d '' name value; do
  if [[ $name == *.* ]]; then settings+=("-E$name=$value"); fi
done </proc/self/environ
if [[ -n $ELASTIC_PASSWORD ]]; then
  bin/elasticsearch-keystore add -f -x bootstrap.password <<<"$ELASTIC_PASSWORD"
fi
exec bin/elasticsearch "${settings[@]}"
