{{/*
What it may do in a namespace it serves; each rule only with the feature that needs it. `list` and `watch` on Secrets are a
right to read them, also where only metadata is asked for. There is no `update`: what is changed is patched. In a hub the
watcher follows, and reads workloads and pods of slow rollouts; the worker reads and writes; the dashboard only reads.
*/}}
{{- define "fleet-reloader.rules" -}}
{{- $reloader := .Values.reloader -}}
{{- $component := .Component | default "" -}}
{{- $read := "get, list, watch" -}}
{{- if eq $component "watcher" }}{{ $read = ternary "get, list, watch" "list, watch" (not (empty (include "fleet-reloader.onlyTells" .))) }}{{ end -}}
{{- if has $component (list "worker" "dashboard") }}{{ $read = "get, list" }}{{ end -}}
{{- $acts := has $component (list "" "worker") -}}
{{- $roll := dict "" "get, list, watch, patch" "watcher" "get, list, watch" "worker" "get, patch" "dashboard" "get, list" -}}
- apiGroups: [""]
  resources:
    {{- if not $reloader.ignoreConfigMaps }}
    - configmaps
    {{- end }}
    {{- if not $reloader.ignoreSecrets }}
    - secrets
    {{- end }}
  verbs: [{{ $read }}]
- apiGroups: [apps]
  resources: [deployments, statefulsets, daemonsets]
  verbs: [{{ get $roll $component }}]
{{- if not $reloader.ignoreCronJobs }}
- apiGroups: [batch]
  resources: [cronjobs]
  verbs: [{{ get $roll $component }}]
{{- end }}
{{- if not $reloader.ignoreJobs }}
- apiGroups: [batch]
  resources: [jobs]
  verbs: [{{ get (dict "" "get, list, watch, create, delete, patch" "watcher" "get, list, watch" "worker" "get, create, delete, patch" "dashboard" "get, list") $component }}]
{{- else if and (not $reloader.ignoreCronJobs) $acts }}
# A CronJob is rolled by a Job of its template.
- apiGroups: [batch]
  resources: [jobs]
  verbs: [get, create]
{{- end }}
{{- if $reloader.isArgoRollouts }}
- apiGroups: [argoproj.io]
  resources: [rollouts]
  verbs: [{{ get $roll $component }}]
{{- end }}
{{- if include "fleet-reloader.isOpenshift" . }}
- apiGroups: [apps.openshift.io]
  resources: [deploymentconfigs]
  verbs: [{{ get $roll $component }}]
{{- end }}
{{- if $reloader.enableCSIIntegration }}
- apiGroups: [secrets-store.csi.x-k8s.io]
  resources: [secretproviderclasses, secretproviderclasspodstatuses]
  verbs: [{{ $read }}]
{{- end }}
{{- if $acts }}
- apiGroups: [""]
  resources: [events]
  verbs: [create, patch]
{{- end }}
{{- if .Values.fleetReloader.listPods }}
# Why a rollout fails, and since when pods run. Without it the status of the workload has to do.
- apiGroups: [""]
  resources: [pods]
  verbs: [list]
{{- end }}
{{- range $rule := .Values.fleetReloader.extraRules }}
{{- $verbs := $rule.verbs | default list }}
{{- $only := get (dict "watcher" (list "get" "list" "watch") "dashboard" (list "get" "list")) $component }}
{{- if $only }}
{{- $verbs = list }}
{{- range $verb := $only }}
{{- if or (has $verb $rule.verbs) (has "*" $rule.verbs) }}{{ $verbs = append $verbs $verb }}{{ end }}
{{- end }}
{{- else if eq $component "worker" }}
{{- $verbs = without $verbs "watch" }}
{{- end }}
{{- if $verbs }}
{{ list (set (deepCopy $rule) "verbs" $verbs) | toYaml }}
{{- end }}
{{- end }}
{{- end -}}

{{/* Not empty on OpenShift; a template that is rendered without the cluster is told by the value. */}}
{{- define "fleet-reloader.isOpenshift" -}}
{{- if or .Values.reloader.isOpenshift (.Capabilities.APIVersions.Has "apps.openshift.io/v1") }}true{{ end -}}
{{- end -}}

{{- define "fleet-reloader.rbacLabels" -}}
{{- include "fleet-reloader.mergedLabels" (list (include "fleet-reloader.labels" .) (tpl (toYaml .Values.reloader.rbac.labels) .)) -}}
{{- end -}}

{{/* All processes of the release. */}}
{{- define "fleet-reloader.subjects" -}}
{{- $names := list -}}
{{- range include "fleet-reloader.components" . | mustFromJson -}}
{{- $names = append $names (include "fleet-reloader.serviceAccountName" (dict "Component" . "Values" $.Values "Release" $.Release "Chart" $.Chart "Capabilities" $.Capabilities "Template" $.Template)) -}}
{{- end -}}
{{- range $names | uniq }}
- kind: ServiceAccount
  name: {{ . }}
  namespace: {{ include "fleet-reloader.namespace" $ }}
{{- end }}
{{- end -}}
