{{/* The port that audit events come to; empty in a process that receives none. */}}
{{- define "fleet-reloader.auditPort" -}}
{{- $receiver := ternary "watcher" "" (eq .Values.fleetReloader.mode "hub") -}}
{{- if and .Values.fleetReloader.audit.enabled (eq (.Component | default "") $receiver) }}{{ int .Values.fleetReloader.audit.port }}{{ end -}}
{{- end -}}

{{/* The Secrets of the listener as JSON: the name of the volume → the Secret. */}}
{{- define "fleet-reloader.auditSecrets" -}}
{{- $secrets := dict -}}
{{- if include "fleet-reloader.auditPort" . -}}
{{- range $volume, $key := dict "audit-tls" "serverSecret" "audit-ca" "clientCaSecret" "audit-tokens" "tokenSecret" -}}
{{- with get $.Values.fleetReloader.audit $key }}{{ $_ := set $secrets $volume . }}{{ end -}}
{{- end -}}
{{- end -}}
{{- toJson $secrets -}}
{{- end -}}

{{/* The flags of the listener, as JSON. */}}
{{- define "fleet-reloader.auditArgs" -}}
{{- $args := list -}}
{{- $audit := .Values.fleetReloader.audit -}}
{{- with include "fleet-reloader.auditPort" . -}}
{{- with $audit.eventSource }}{{ $args = append $args (printf "--event-source=%s" .) }}{{ end -}}
{{- $args = append $args (printf "--audit-listen-address=:%s" .) -}}
{{- $args = concat $args (list "--audit-tls-cert-file=/etc/fleet-reloader-audit-tls/tls.crt" "--audit-tls-key-file=/etc/fleet-reloader-audit-tls/tls.key") -}}
{{- if $audit.clientCaSecret }}{{ $args = append $args "--audit-client-ca-file=/etc/fleet-reloader-audit-ca/ca.crt" }}{{ end -}}
{{- if $audit.tokenSecret }}{{ $args = append $args (printf "--audit-token-file=/etc/fleet-reloader-audit-tokens/%s" $audit.tokenSecretKey) }}{{ end -}}
{{- end -}}
{{- toJson $args -}}
{{- end -}}

{{- define "fleet-reloader.auditName" -}}
{{- include "fleet-reloader.componentName" . | trunc 57 | trimSuffix "-" -}}-audit
{{- end -}}

{{/* A listener that tells nobody apart would end the process at its start. */}}
{{- define "fleet-reloader.checkAudit" -}}
{{- $audit := .Values.fleetReloader.audit -}}
{{- if $audit.enabled -}}
{{- if not $audit.serverSecret -}}
{{- fail "fleetReloader.audit.enabled is true, but fleetReloader.audit.serverSecret is empty: API servers send events over TLS only; name a Secret with tls.crt and tls.key" -}}
{{- end -}}
{{- if not (or $audit.clientCaSecret $audit.tokenSecret) -}}
{{- fail "fleetReloader.audit.enabled is true, but nothing tells the API servers apart; set fleetReloader.audit.tokenSecret or fleetReloader.audit.clientCaSecret" -}}
{{- end -}}
{{- end -}}
{{- end -}}
