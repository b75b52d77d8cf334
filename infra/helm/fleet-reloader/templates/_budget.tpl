{{/*
The limit of the PodDisruptionBudget of one process, as JSON: `maxUnavailable` or `minAvailable` → the value; empty: there is no budget. Where
nothing is said: one replica alone needs none, and how many KEDA makes is not known here.
*/}}
{{- define "fleet-reloader.budget" -}}
{{- $budget := .Values.reloader.podDisruptionBudget | default dict -}}
{{- $enabled := get $budget "enabled" -}}
{{- $replicas := include "fleet-reloader.replicas" . -}}
{{- /* One pod that runs where several were asked for: their budget would keep it on its node for ever. */ -}}
{{- $isLess := and (not .Component) (lt (int $replicas) (int .Values.reloader.deployment.replicas)) -}}
{{- $limit := dict -}}
{{- if and (not $isLess) (ternary $enabled (or (not $replicas) (gt (int $replicas) 1)) (kindIs "bool" $enabled)) -}}
{{- $limit = dict "maxUnavailable" 1 -}}
{{- /* The dashboard is one pod, which nothing waits for: a node is drained of it. */ -}}
{{- if ne (.Component | default "") "dashboard" -}}
{{- if include "fleet-reloader.hasValue" $budget.maxUnavailable -}}
{{- $limit = dict "maxUnavailable" $budget.maxUnavailable -}}
{{- else if include "fleet-reloader.hasValue" $budget.minAvailable -}}
{{- $limit = dict "minAvailable" $budget.minAvailable -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- toJson $limit -}}
{{- end -}}

{{/* The budgets that let no pod be evicted, as JSON: the name of each → its limit. Not refused: that may be what somebody wants. */}}
{{- define "fleet-reloader.stuckBudgets" -}}
{{- $stuck := dict -}}
{{- range include "fleet-reloader.components" . | mustFromJson -}}
{{- $at := dict "Component" . "Values" $.Values "Release" $.Release "Chart" $.Chart "Capabilities" $.Capabilities "Template" $.Template -}}
{{- $replicas := include "fleet-reloader.replicas" $at | default $.Values.fleetReloader.hub.keda.maxReplicaCount | int -}}
{{- range $kind, $value := include "fleet-reloader.budget" $at | mustFromJson -}}
{{- $number := trimSuffix "%" (toString $value) | int -}}
{{- /* A share of the pods is rounded up. */ -}}
{{- $pods := ternary (divf (mulf $number $replicas) 100 | ceil | int) $number (hasSuffix "%" (toString $value)) -}}
{{- if and $replicas (ternary (eq $pods 0) (ge $pods $replicas) (eq $kind "maxUnavailable")) -}}
{{- $_ := set $stuck (include "fleet-reloader.componentName" $at) (printf "%s: %v" $kind $value) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- toJson $stuck -}}
{{- end -}}
