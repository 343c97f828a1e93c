{{- define "matching.name" -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" -}}
{{- end }}

{{- define "matching.labels" -}}
{{ include "matching.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{- define "matching.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "matching.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- with .Values.image.digest }}@{{ . }}{{ end }}
{{- end }}

{{- define "matching.host" -}}
{{ .Values.ingress.host | default (get (urlParse .Values.publicUrl) "host") }}
{{- end }}

{{/* Combinations that would start and then lose data or limits are refused. */}}
{{- define "matching.check" -}}
{{- $several := or .Values.autoscaling.enabled (gt (int .Values.replicas) 1) -}}
{{- if not (has .Values.engine (list "embedded" "elasticsearch")) -}}
{{- fail (printf "engine is %q; use embedded or elasticsearch" .Values.engine) -}}
{{- end -}}
{{- if and (eq .Values.engine "elasticsearch") (not .Values.elasticsearch.url) -}}
{{- fail "engine elasticsearch needs elasticsearch.url" -}}
{{- end -}}
{{- if and (eq .Values.engine "embedded") $several -}}
{{- fail "several servers need engine: elasticsearch; the embedded engine has one server and its volume" -}}
{{- end -}}
{{- if and (eq .Values.engine "elasticsearch") (not .Values.database.url) -}}
{{- fail "engine elasticsearch needs database.url: accounts and keys would be lost with the pod" -}}
{{- end -}}
{{- if and $several (not .Values.redis.url) -}}
{{- fail "several servers need redis.url, which counts their requests together" -}}
{{- end -}}
{{- if and (eq .Values.engine "embedded") .Values.loads -}}
{{- fail "loads need engine: elasticsearch; with the embedded engine, upload files or use sync" -}}
{{- end -}}
{{- end }}

{{/* The secrets as a list of file, secret, key and variable. */}}
{{- define "matching.secrets" -}}
{{- $files := list -}}
{{- $known := list
  (list "elasticsearch-password" .Values.elasticsearch.passwordSecret "MATCHING_ELASTICSEARCH_PASSWORD_FILE")
  (list "elasticsearch-api-key" .Values.elasticsearch.apiKeySecret "MATCHING_ELASTICSEARCH_API_KEY_FILE")
  (list "elasticsearch-ca" .Values.elasticsearch.caSecret "MATCHING_ELASTICSEARCH_CA_FILE")
  (list "database-password" .Values.database.passwordSecret "MATCHING_DATABASE_PASSWORD_FILE")
  (list "redis-password" .Values.redis.passwordSecret "MATCHING_REDIS_PASSWORD_FILE")
  (list "admin-password" .Values.admin.passwordSecret "MATCHING_ADMIN_PASSWORD_FILE") -}}
{{- range $known -}}
{{- $secret := index . 1 -}}
{{- if $secret.name -}}
{{- $files = append $files (dict "name" (index . 0) "secret" $secret.name "key" $secret.key "variable" (index . 2)) -}}
{{- end -}}
{{- end -}}
{{- toYaml (concat $files .Values.secretFiles) -}}
{{- end }}

{{/* What servers and indexers have in common. */}}
{{- define "matching.environment" -}}
- {name: MATCHING_DATA, value: /data}
{{- if eq .Values.engine "elasticsearch" }}
- {name: MATCHING_ELASTICSEARCH_URL, value: {{ .Values.elasticsearch.url | quote }}}
{{- with .Values.elasticsearch.user }}
- {name: MATCHING_ELASTICSEARCH_USER, value: {{ . | quote }}}
{{- end }}
{{- end }}
{{- with .Values.database.url }}
- {name: MATCHING_DATABASE_URL, value: {{ . | quote }}}
{{- end }}
{{- range include "matching.secrets" . | fromYamlArray }}
- {name: {{ .variable }}, value: /run/secrets/{{ .name }}/{{ .key }}}
{{- end }}
{{- range $name, $value := .Values.settings }}
- {name: {{ $name }}, value: {{ $value | quote }}}
{{- end }}
{{- end }}

{{- define "matching.mounts" -}}
- {name: data, mountPath: /data}
- {name: tmp, mountPath: /tmp}
{{- range include "matching.secrets" . | fromYamlArray }}
- {name: secret-{{ .name }}, mountPath: /run/secrets/{{ .name }}, readOnly: true}
{{- end }}
{{- end }}

{{- define "matching.volumes" -}}
- name: tmp
  emptyDir: {sizeLimit: 2Gi}
{{- range include "matching.secrets" . | fromYamlArray }}
- name: secret-{{ .name }}
  secret:
    secretName: {{ .secret }}
    items: [{key: {{ .key }}, path: {{ .key }}}]
    defaultMode: 0440
{{- end }}
{{- end }}

{{- define "matching.podSecurity" -}}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
{{- range . }}
  - name: {{ . }}
{{- end }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 65532
  runAsGroup: 65532
  fsGroup: 65532
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile: {type: RuntimeDefault}
{{- end }}

{{- define "matching.security" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: {drop: [ALL]}
{{- end }}

{{- define "matching.syncContainer" -}}
- name: sync
  image: {{ include "matching.image" . }}
  imagePullPolicy: {{ .Values.image.pullPolicy }}
  command: [indexer, sync]
  args: {{ toJson .Values.sync.args }}
  env:
    {{- include "matching.environment" . | nindent 4 }}
    {{- with .Values.sync.env }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  volumeMounts:
    {{- include "matching.mounts" . | nindent 4 }}
  resources:
    {{- toYaml .Values.sync.resources | nindent 4 }}
  securityContext:
    {{- include "matching.security" . | nindent 4 }}
{{- end }}
