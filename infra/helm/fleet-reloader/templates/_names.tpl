{{/* `reloader` and not the chart's name: a release of the peer keeps its objects, their names and its selector. */}}
{{- define "fleet-reloader.name" -}}
{{- .Values.nameOverride | default "reloader" | lower | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{- define "fleet-reloader.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 63 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name (.Values.nameOverride | default "reloader") | trunc 63 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* The processes of the mode, as JSON; in one pod they have no name. */}}
{{- define "fleet-reloader.components" -}}
{{- $components := list "" -}}
{{- if eq (.Values.fleetReloader.mode | default "standalone") "hub" -}}
{{- $components = list "watcher" "worker" -}}
{{- if .Values.fleetReloader.hub.dashboard.enabled }}{{ $components = append $components "dashboard" }}{{ end -}}
{{- end -}}
{{- toJson $components -}}
{{- end -}}

{{/*
Like the root, for one process: what is included with it knows its name as .Component. Shortened only where that follows: a name that
is as long as the peer's may be stays what it is.
*/}}
{{- define "fleet-reloader.componentName" -}}
{{- $name := include "fleet-reloader.fullname" . -}}
{{- with .Component -}}
{{- $name = printf "%s-%s" ($name | trunc (min 55 (sub 62 (len .)) | int) | trimSuffix "-") . -}}
{{- end -}}
{{- $name -}}
{{- end -}}

{{/*
The ConfigMap where freezes are declared; empty: only in the data dir. A document that may not be read freezes everything, so standalone has
none by itself where the rights or the first cluster may be others than those of the chart.
*/}}
{{- define "fleet-reloader.freezeConfigMap" -}}
{{- $isOurs := eq (.Values.fleetReloader.mode | default "standalone") "hub" -}}
{{- if and (not $isOurs) .Values.reloader.rbac.enabled -}}
{{- $said := list .Values.fleetReloader.args .Values.reloader.deployment.env | toJson -}}
{{- $isOurs = not (regexMatch "\"--(freeze-configmap|kubeconfig)[=\"]|\"(FLEET_RELOADER_FREEZE_CONFIGMAP|KUBECONFIG)\":\"[^\"]" $said) -}}
{{- end -}}
{{- .Values.fleetReloader.brakes.freezeConfigMap | default ($isOurs | ternary (printf "%s-freezes" (include "fleet-reloader.fullname" . | trunc 55 | trimSuffix "-")) "") -}}
{{- end -}}

{{- define "fleet-reloader.namespace" -}}
{{- .Values.namespace | default .Release.Namespace -}}
{{- end -}}

{{- define "fleet-reloader.serviceAccountName" -}}
{{- if .Values.reloader.serviceAccount.create -}}
{{- .Values.reloader.serviceAccount.name | default (include "fleet-reloader.fullname" .) -}}{{ with .Component }}-{{ . }}{{ end -}}
{{- else -}}
{{- .Values.reloader.serviceAccount.name | default "default" -}}
{{- end -}}
{{- end -}}

{{/* Labels from a list of YAML texts. Where two have the same one the later wins: no key may be there twice. */}}
{{- define "fleet-reloader.mergedLabels" -}}
{{- $labels := dict -}}
{{- range . }}{{ $labels = mergeOverwrite $labels (fromYaml .) }}{{ end -}}
{{- toYaml $labels -}}
{{- end -}}

{{/* The selector of a Deployment cannot be changed: these two are the peer's. */}}
{{- define "fleet-reloader.selector" -}}
{{- $ours := dict "app" (include "fleet-reloader.fullname" .) "release" .Release.Name -}}
{{- with .Component }}{{ $_ := set $ours "app.kubernetes.io/component" . }}{{ end -}}
{{- include "fleet-reloader.mergedLabels" (list (toYaml $ours) (tpl (toYaml .Values.reloader.matchLabels) .)) -}}
{{- end -}}

{{/* Without the chart's version: a new chart that changes nothing else does not restart the pods. */}}
{{- define "fleet-reloader.podLabels" -}}
{{- $ours := dict "app.kubernetes.io/name" (include "fleet-reloader.name" .) "app.kubernetes.io/instance" .Release.Name -}}
{{- include "fleet-reloader.mergedLabels" (list (toYaml $ours) (include "fleet-reloader.selector" .)) -}}
{{- end -}}

{{/* Flux puts a digest after a `+` behind the chart's version, which a label may not hold. */}}
{{- define "fleet-reloader.labels" -}}
{{- $chart := printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" -}}
{{- $ours := dict "app.kubernetes.io/version" .Chart.AppVersion "app.kubernetes.io/managed-by" .Release.Service "helm.sh/chart" $chart -}}
{{- include "fleet-reloader.mergedLabels" (list (toYaml $ours) (include "fleet-reloader.podLabels" .)) -}}
{{- end -}}

{{- define "fleet-reloader.image" -}}
{{- $image := .Values.image -}}
{{- $name := $image.repository -}}
{{- with .Values.global.imageRegistry -}}
{{- $name = printf "%s/%s" . $image.name -}}
{{- end -}}
{{- if $image.digest -}}
{{- printf "%s@%s" $name $image.digest -}}
{{- else -}}
{{- printf "%s:%s" $name ($image.tag | default $.Chart.AppVersion) -}}
{{- end -}}
{{- end -}}

{{/* The Secret with the key of the marks; empty: the key is in the data dir. */}}
{{- define "fleet-reloader.markKeySecret" -}}
{{- .Values.fleetReloader.markKey.existingSecret | default (include "fleet-reloader.madeMarkKey" .) -}}
{{- end -}}

{{/* The Secret that the processes make with the key of the marks; empty: there is none. */}}
{{- define "fleet-reloader.madeMarkKey" -}}
{{- $markKey := .Values.fleetReloader.markKey -}}
{{- if and $markKey.create (not $markKey.existingSecret) -}}
{{- include "fleet-reloader.fullname" . }}-mark-key
{{- end -}}
{{- end -}}

{{/*
Not empty where the process needs the key: a watcher of a hub hashes nothing, unless it calls a webhook for each source that changes and
has to know what it has told.
*/}}
{{- define "fleet-reloader.hashes" -}}
{{- if or (ne (.Component | default "") "watcher") (include "fleet-reloader.onlyTells" .) }}true{{ end -}}
{{- end -}}

{{/* The Secret whose key is mounted; empty: none is. */}}
{{- define "fleet-reloader.mountedMarkKey" -}}
{{- if include "fleet-reloader.hashes" . }}{{ .Values.fleetReloader.markKey.existingSecret }}{{ end -}}
{{- end -}}

{{/* The Secrets that this process may make and read, as JSON. */}}
{{- define "fleet-reloader.madeSecrets" -}}
{{- $names := list (include "fleet-reloader.madeValkeySecret" .) -}}
{{- if include "fleet-reloader.hashes" . }}{{ $names = append $names (include "fleet-reloader.madeMarkKey" .) }}{{ end -}}
{{- compact $names | toJson -}}
{{- end -}}
