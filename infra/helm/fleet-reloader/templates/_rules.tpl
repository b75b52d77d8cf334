{{/*
What it may do in a namespace it serves; each rule only with the feature that needs it. `list` and `watch` on Secrets are a
right to read them, also where only metadata is asked for. There is no `update`: what is changed is patched.
*/}}
{{- define "fleet-reloader.rules" -}}
{{- $reloader := .Values.reloader -}}
- apiGroups: [""]
  resources:
    {{- if not $reloader.ignoreConfigMaps }}
    - configmaps
    {{- end }}
    {{- if not $reloader.ignoreSecrets }}
    - secrets
    {{- end }}
  verbs: [get, list, watch]
- apiGroups: [apps]
  resources: [deployments, statefulsets, daemonsets]
  verbs: [get, list, watch, patch]
{{- if not $reloader.ignoreCronJobs }}
- apiGroups: [batch]
  resources: [cronjobs]
  verbs: [get, list, watch, patch]
{{- end }}
{{- if not $reloader.ignoreJobs }}
- apiGroups: [batch]
  resources: [jobs]
  verbs: [get, list, watch, create, delete, patch]
{{- else if not $reloader.ignoreCronJobs }}
# A CronJob is rolled by a Job of its template.
- apiGroups: [batch]
  resources: [jobs]
  verbs: [get, create]
{{- end }}
{{- if $reloader.isArgoRollouts }}
- apiGroups: [argoproj.io]
  resources: [rollouts]
  verbs: [get, list, watch, patch]
{{- end }}
{{- if or $reloader.isOpenshift (.Capabilities.APIVersions.Has "apps.openshift.io/v1") }}
- apiGroups: [apps.openshift.io]
  resources: [deploymentconfigs]
  verbs: [get, list, watch, patch]
{{- end }}
{{- if $reloader.enableCSIIntegration }}
- apiGroups: [secrets-store.csi.x-k8s.io]
  resources: [secretproviderclasses, secretproviderclasspodstatuses]
  verbs: [get, list, watch]
{{- end }}
- apiGroups: [""]
  resources: [events]
  verbs: [create, patch]
{{- if .Values.fleetReloader.listPods }}
# Why a rollout fails. Without it the status of the workload has to do.
- apiGroups: [""]
  resources: [pods]
  verbs: [list]
{{- end }}
{{- with .Values.fleetReloader.extraRules }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "fleet-reloader.rbacLabels" -}}
{{ include "fleet-reloader.labels" . }}
{{- with .Values.reloader.rbac.labels }}
{{ tpl (toYaml .) $ }}
{{- end }}
{{- end -}}
