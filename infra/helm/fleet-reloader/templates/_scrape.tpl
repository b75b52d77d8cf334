{{/* What PodMonitors and ServiceMonitors have in common. */}}
{{- define "fleet-reloader.monitorMetadata" -}}
{{- $root := index . 0 -}}
{{- $monitor := index . 1 -}}
name: {{ include "fleet-reloader.fullname" $root }}
namespace: {{ tpl ($monitor.namespace | default (include "fleet-reloader.namespace" $root)) $root }}
labels:
  {{- /* Prometheus operators often select by `release`, which is among ours. */}}
  {{- toYaml (mergeOverwrite (include "fleet-reloader.labels" $root | fromYaml) (tpl (toYaml $monitor.labels) $root | fromYaml)) | nindent 2 }}
{{- with $monitor.annotations }}
annotations:
  {{- tpl (toYaml .) $root | nindent 2 }}
{{- end }}
{{- end -}}

{{- define "fleet-reloader.endpoint" -}}
{{- $root := index . 0 -}}
{{- $monitor := index . 1 -}}
path: /metrics
{{- with $monitor.interval }}
interval: {{ . }}
{{- end }}
{{- with $monitor.timeout }}
scrapeTimeout: {{ . }}
{{- end }}
{{- with $monitor.scheme }}
scheme: {{ . }}
{{- end }}
{{- with $monitor.tlsConfig }}
tlsConfig:
  {{- toYaml . | nindent 2 }}
{{- end }}
honorLabels: {{ $monitor.honorLabels }}
{{- with $monitor.metricRelabelings }}
metricRelabelings:
  {{- tpl (toYaml .) $root | nindent 2 }}
{{- end }}
{{- with $monitor.relabelings }}
relabelings:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- define "fleet-reloader.monitorSelector" -}}
namespaceSelector:
  matchNames:
    - {{ include "fleet-reloader.namespace" . }}
selector:
  matchLabels:
    {{- include "fleet-reloader.selector" . | nindent 4 }}
{{- end -}}
