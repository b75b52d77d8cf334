{{/*
What it may do in a namespace it serves; each rule only with the feature that needs it. `list` and `watch` on Secrets are a
right to read them, also where only metadata is asked for. There is no `update`: what is changed is patched. In a hub the
watcher follows, and reads workloads and pods of slow rollouts; the worker reads and writes; the dashboard only reads. Where a webhook is
called and nothing is rolled, sources are read, and the worker of a hub has nothing to do.
*/}}
{{- define "fleet-reloader.servedRules" -}}
{{- $reloader := .Values.reloader -}}
{{- $component := .Component | default "" -}}
{{- $rolls := empty (include "fleet-reloader.onlyTells" .) -}}
{{- $read := "get, list, watch" -}}
{{- if eq $component "watcher" }}{{ $read = ternary "list, watch" "get, list, watch" $rolls }}{{ end -}}
{{- if has $component (list "worker" "dashboard") }}{{ $read = "get, list" }}{{ end -}}
{{- $acts := has $component (list "" "worker") -}}
{{- $roll := dict "" "get, list, watch, patch" "watcher" "get, list, watch" "worker" "get, patch" "dashboard" "get, list" -}}
{{- if or $rolls (ne $component "worker") }}
- apiGroups: [""]
  resources:
    {{- if not $reloader.ignoreConfigMaps }}
    - configmaps
    {{- end }}
    {{- if not $reloader.ignoreSecrets }}
    - secrets
    {{- end }}
  verbs: [{{ $read }}]
{{- if $reloader.enableCSIIntegration }}
- apiGroups: [secrets-store.csi.x-k8s.io]
  resources: [secretproviderclasses, secretproviderclasspodstatuses]
  verbs: [{{ $read }}]
{{- end }}
{{- end }}
{{- if $rolls }}
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
{{- end }}
{{- /* Also of a registration that claims to be another cluster. */}}
{{- if and $acts (or $rolls (include "fleet-reloader.registers" .)) }}
- apiGroups: [""]
  resources: [events]
  verbs: [create, patch]
{{- end }}
{{- if and $rolls .Values.fleetReloader.listPods }}
# Why a rollout fails, and since when pods run. Without it the status of the workload has to do.
- apiGroups: [""]
  resources: [pods]
  verbs: [list]
{{- end }}
{{- end -}}

{{/* All of the rules in a namespace: also those that people give. */}}
{{- define "fleet-reloader.rules" -}}
{{- $component := .Component | default "" -}}
{{- if include "fleet-reloader.servesHub" . }}{{ include "fleet-reloader.servedRules" . }}{{ end -}}
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

{{/* All of the rules where every namespace is served. */}}
{{- define "fleet-reloader.clusterRules" -}}
{{- if include "fleet-reloader.servesHub" . -}}
# The UID of kube-system is the cluster's identity.
- apiGroups: [""]
  resources: [namespaces]
  resourceNames: [kube-system]
  verbs: [get]
{{- /* A worker that rolls nothing looks at none. */}}
{{- $looks := or (ne (.Component | default "") "worker") (empty (include "fleet-reloader.onlyTells" .)) }}
{{- if and .Values.reloader.namespaceSelector $looks }}
# For their labels: a watcher follows all, the others look at one.
- apiGroups: [""]
  resources: [namespaces]
  verbs: [{{ get (dict "" "get, list, watch" "watcher" "list, watch" "worker" "get" "dashboard" "get") (.Component | default "") }}]
{{- end }}
{{- end }}
{{- include "fleet-reloader.rules" . }}
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
