#!/bin/bash
# Starts Elasticsearch in the image that .ci/elasticsearch builds. Environment variables with a dot in their name are
# settings; ELASTIC_PASSWORD is the password of the user elastic, and ELASTIC_PASSWORD_FILE a file with it, which only
# its owner may read.
set -e
settings=()
while IFS='=' read -r -d '' name value; do
  if [[ $name == *.* ]]; then settings+=("-E$name=$value"); fi
done </proc/self/environ
if [[ -n $ELASTIC_PASSWORD_FILE ]]; then
  [[ $(stat -L -c %a "$ELASTIC_PASSWORD_FILE") =~ ^[46]00$ ]] ||
    { echo "ERROR: File $ELASTIC_PASSWORD_FILE must have file permissions 400 or 600" >&2; exit 1; }
  ELASTIC_PASSWORD=$(<"$ELASTIC_PASSWORD_FILE")
fi
if [[ -n $ELASTIC_PASSWORD ]]; then
  bin/elasticsearch-keystore add -f -x bootstrap.password <<<"$ELASTIC_PASSWORD"
fi
exec bin/elasticsearch "${settings[@]}"
