{{/*
So many per cent of the memory limit in resources, in whole MiB: (list RESOURCES PERCENT). Empty where there is no limit, or none
that is a plain quantity.
*/}}
{{- define "fleet-reloader.shareOfMemory" -}}
{{- with include "fleet-reloader.memoryLimit" (index . 0) -}}
{{- with divf (mulf . (index $ 1)) 104857600.0 | floor | int64 }}{{ . }}{{ end -}}
{{- end -}}
{{- end -}}

{{/* The memory limit in resources, in bytes. Empty where there is none, or none that is a plain quantity. */}}
{{- define "fleet-reloader.memoryLimit" -}}
{{- $limit := get (get (. | default dict) "limits" | default dict) "memory" -}}
{{- /* A plain number comes as a float, which would be written with an exponent. */ -}}
{{- $text := ternary (printf "%.0f" $limit) (toString $limit) (kindIs "float64" $limit) -}}
{{- if regexMatch "^[0-9]+(\\.[0-9]+)?(k|M|G|T|Ki|Mi|Gi|Ti)?$" $text -}}
{{- $unit := regexFind "[A-Za-z]*$" $text -}}
{{- $bytes := get (dict "" 1.0 "k" 1e3 "M" 1e6 "G" 1e9 "T" 1e12 "Ki" 1024.0 "Mi" 1048576.0 "Gi" 1073741824.0 "Ti" 1099511627776.0) $unit -}}
{{- mulf (trimSuffix $unit $text | float64) $bytes | printf "%.0f" -}}
{{- end -}}
{{- end -}}

{{/* The memory limits of the processes, as JSON: its value → `text`, the limit as it is written, and `mebibytes`. */}}
{{- define "fleet-reloader.memoryLimits" -}}
{{- $limits := dict -}}
{{- range include "fleet-reloader.components" . | mustFromJson -}}
{{- $own := get (get $.Values.fleetReloader.hub . | default dict) "resources" -}}
{{- $place := ternary "reloader.deployment" (printf "fleetReloader.hub.%s" .) (empty $own) -}}
{{- $resources := $own | default $.Values.reloader.deployment.resources -}}
{{- if empty $resources }}{{ $resources = include "fleet-reloader.standardResources" $ | fromYaml }}{{ end -}}
{{- with include "fleet-reloader.memoryLimit" $resources -}}
{{- $limit := dict "text" (include "fleet-reloader.text" $resources.limits.memory) "mebibytes" (divf . 1048576.0) -}}
{{- $_ := set $limits (printf "%s.resources.limits.memory" $place) $limit -}}
{{- end -}}
{{- end -}}
{{- toJson $limits -}}
{{- end -}}

{{/*
The memory limits of the processes that are below 256Mi, as JSON: its value → the limit. Not refused: how much is needed depends on the
cluster, and Stakater Reloader, whose values come here, needs less.
*/}}
{{- define "fleet-reloader.smallLimits" -}}
{{- $small := dict -}}
{{- range $value, $limit := include "fleet-reloader.memoryLimits" . | mustFromJson -}}
{{- if lt (float64 $limit.mebibytes) 256.0 }}{{ $_ := set $small $value $limit.text }}{{ end -}}
{{- end -}}
{{- toJson $small -}}
{{- end -}}

{{/*
The memory limits that a heap of fleetReloader.maxHeapMiB reaches, as JSON: its value → the limit. Not refused: it works until the heap is
that large.
*/}}
{{- define "fleet-reloader.limitsBelowHeap" -}}
{{- $below := dict -}}
{{- with .Values.fleetReloader.maxHeapMiB -}}
{{- $heap := float64 . -}}
{{- range $value, $limit := include "fleet-reloader.memoryLimits" $ | mustFromJson -}}
{{- if le (float64 $limit.mebibytes) $heap }}{{ $_ := set $below $value $limit.text }}{{ end -}}
{{- end -}}
{{- end -}}
{{- toJson $below -}}
{{- end -}}

{{/* Of a container of ours for which nothing is said: suits one cluster or some dozens. Without a CPU limit: a storm should end soon. */}}
{{- define "fleet-reloader.standardResources" -}}
requests: { cpu: 10m, memory: 128Mi }
limits: { memory: 512Mi }
{{- end -}}
