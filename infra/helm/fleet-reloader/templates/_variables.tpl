{{/*
The variables of a container, each once: server-side apply refuses a list that has a name twice. What people give comes first, so that $(NAME)
finds it, and of two that they give with one name the later counts.
*/}}
{{- define "fleet-reloader.env" -}}
{{- $last := dict -}}
{{- $given := include "fleet-reloader.givenVariables" . | mustFromJson -}}
{{- range $given }}{{ $_ := set $last .variable.name . }}{{ end -}}
{{- $env := list -}}
{{- range $given }}{{ if eq .from (get $last .variable.name).from }}{{ $env = append $env .variable }}{{ end }}{{ end -}}
{{- range include "fleet-reloader.ownVariables" . | fromYamlArray -}}
{{- with get $last .name -}}
{{- include "fleet-reloader.checkVariable" . -}}
{{- else -}}
{{- $env = append $env . -}}
{{- end -}}
{{- end -}}
{{- toYaml $env -}}
{{- end -}}

{{/* What people give, as JSON: the variables, and where in the values each is from. */}}
{{- define "fleet-reloader.givenVariables" -}}
{{- $env := .Values.reloader.deployment.env | default dict -}}
{{- $given := list -}}
{{- range $name, $value := $env.open -}}
{{- if include "fleet-reloader.hasValue" $value -}}
{{- $variable := dict "name" $name "value" (include "fleet-reloader.text" $value) -}}
{{- $given = append $given (dict "from" (printf "open.%s" $name) "variable" $variable) -}}
{{- end -}}
{{- end -}}
{{- range $name, $value := $env.secret -}}
{{- if include "fleet-reloader.hasValue" $value -}}
{{- $variable := dict "name" $name "valueFrom" (dict "secretKeyRef" (dict "name" (include "fleet-reloader.fullname" $) "key" $name)) -}}
{{- $given = append $given (dict "from" (printf "secret.%s" $name) "variable" $variable) -}}
{{- end -}}
{{- end -}}
{{- range $secret, $variables := $env.existing -}}
{{- range $name, $key := $variables -}}
{{- $variable := dict "name" $name "valueFrom" (dict "secretKeyRef" (dict "name" $secret "key" (toString $key))) -}}
{{- $given = append $given (dict "from" (printf "existing.%s.%s" $secret $name) "variable" $variable) -}}
{{- end -}}
{{- end -}}
{{- range $name, $path := $env.field -}}
{{- if not (empty $path) -}}
{{- $variable := dict "name" $name "valueFrom" (dict "fieldRef" (dict "fieldPath" $path)) -}}
{{- $given = append $given (dict "from" (printf "field.%s" $name) "variable" $variable) -}}
{{- end -}}
{{- end -}}
{{- toJson $given -}}
{{- end -}}

{{/*
Of a variable that is given although the chart sets it: names of the process, and what it says of itself, may be others, as with the peer.
Another value of the rest would undo a value of the chart, and be told by nobody.
*/}}
{{- define "fleet-reloader.checkVariable" -}}
{{- $name := .variable.name -}}
{{- $isNamespace := has $name (list "KUBERNETES_NAMESPACE" "POD_NAMESPACE") -}}
{{- $isSame := and $isNamespace (eq (dig "valueFrom" "fieldRef" "fieldPath" "" .variable) "metadata.namespace") -}}
{{- if not (or $isSame (has $name (list "METRICS_COUNT_BY_NAMESPACE" "POD_NAME" "RELOADER_DEPLOYMENT_NAME" "RELOADER_NAMESPACE"))) -}}
{{- $mends := dict "POD_NAMESPACE" "itself; remove it" -}}
{{- $_ := set $mends "KUBERNETES_NAMESPACE" "itself; remove it, and name other namespaces in reloader.namespaces" -}}
{{- $_ := set $mends "NODE_EXTRA_CA_CERTS" "from fleetReloader.redis.caSecret, and Node reads one file; put all certificates into that Secret and remove this" -}}
{{- $_ := set $mends "FLEET_RELOADER_REDIS_URL" "from fleetReloader.redis or fleetReloader.hub.valkey; keep one of them" -}}
{{- $_ := set $mends "FLEET_RELOADER_FREEZE_CONFIGMAP" "from fleetReloader.brakes.freezeConfigMap or the name of the release; use that value and remove this" -}}
{{- $section := ternary "fleetReloader.markKey" "fleetReloader.hub.valkey" (contains "MARK_KEY" $name) -}}
{{- fail (printf "reloader.deployment.env.%s: the chart sets this variable %s" .from (get $mends $name | default (printf "from %s; use that value and remove this" $section))) -}}
{{- end -}}
{{- end -}}

{{/* What the chart sets, for one process. */}}
{{- define "fleet-reloader.ownVariables" -}}
{{- if and (not .Values.reloader.watchGlobally) (not .Values.reloader.namespaces) }}
- name: KUBERNETES_NAMESPACE
  valueFrom:
    fieldRef:
      fieldPath: metadata.namespace
{{- end }}
- name: RELOADER_NAMESPACE
  valueFrom:
    fieldRef:
      fieldPath: metadata.namespace
- name: RELOADER_DEPLOYMENT_NAME
  value: {{ include "fleet-reloader.componentName" . | quote }}
- name: POD_NAME
  valueFrom:
    fieldRef:
      fieldPath: metadata.name
- name: POD_NAMESPACE
  valueFrom:
    fieldRef:
      fieldPath: metadata.namespace
{{- if .Values.reloader.enableMetricsByNamespace }}
- name: METRICS_COUNT_BY_NAMESPACE
  value: enabled
{{- end }}
{{- if include "fleet-reloader.hasValkey" . }}
{{- $host := printf "%s.%s.svc:6379" (include "fleet-reloader.valkeyName" .) (include "fleet-reloader.namespace" .) }}
{{- $user := "" }}
{{- if .Values.fleetReloader.hub.valkey.usersPerRole }}{{ $user = .Component }}{{ end }}
{{- /* People who are signed in act on the page. */}}
{{- if and (eq $user "dashboard") .Values.fleetReloader.access.existingSecret }}{{ $user = "operator" }}{{ end }}
{{- with .Values.fleetReloader.hub.valkey.existingSecret }}
- name: VALKEY_PASSWORD
  valueFrom:
    secretKeyRef:
      name: {{ . }}
      key: {{ $.Values.fleetReloader.hub.valkey.existingSecretKey | quote }}
- name: FLEET_RELOADER_REDIS_URL
  value: redis://{{ $user }}:$(VALKEY_PASSWORD)@{{ $host }}
{{- else }}
- name: FLEET_RELOADER_REDIS_URL
  value: redis://{{ with $user }}{{ . }}@{{ end }}{{ $host }}
{{- end }}
{{- end }}
{{- /* Variables, so that a command in the pod finds freezes, Redis and the key as the service does. */}}
{{- with include "fleet-reloader.freezeConfigMap" . }}
- name: FLEET_RELOADER_FREEZE_CONFIGMAP
  {{- /* Standalone is a base of Kustomize too, whose overlays move it to another namespace. */}}
  value: {{ printf "%s/%s" (ternary (include "fleet-reloader.namespace" $) "$(POD_NAMESPACE)" (not (empty $.Component))) . | quote }}
{{- end }}
{{- with include "fleet-reloader.madeValkeySecret" . }}
- name: FLEET_RELOADER_REDIS_PASSWORD_SECRET
  value: {{ printf "%s/%s/%s" (include "fleet-reloader.namespace" $) . $.Values.fleetReloader.hub.valkey.existingSecretKey | quote }}
{{- end }}
{{- if include "fleet-reloader.mountedMarkKey" . }}
- name: FLEET_RELOADER_MARK_KEY_FILE
  value: {{ printf "/etc/fleet-reloader/%s" .Values.fleetReloader.markKey.existingSecretKey | quote }}
{{- end }}
{{- if include "fleet-reloader.hashes" . }}
{{- with include "fleet-reloader.madeMarkKey" . }}
- name: FLEET_RELOADER_MARK_KEY_SECRET
  value: {{ printf "%s/%s/%s" (include "fleet-reloader.namespace" $) . $.Values.fleetReloader.markKey.existingSecretKey | quote }}
{{- end }}
{{- end }}
{{- with .Values.fleetReloader.redis.caSecret }}
- name: NODE_EXTRA_CA_CERTS
  value: /etc/fleet-reloader-redis/{{ $.Values.fleetReloader.redis.caSecretKey }}
{{- end }}
{{- with .Values.fleetReloader.redis.url }}
- name: FLEET_RELOADER_REDIS_URL
  value: {{ . | quote }}
{{- end }}
{{- with .Values.fleetReloader.redis.existingSecret }}
- name: FLEET_RELOADER_REDIS_URL
  valueFrom:
    secretKeyRef:
      name: {{ . | quote }}
      key: {{ $.Values.fleetReloader.redis.existingSecretKey | quote }}
{{- end }}
{{- end -}}
