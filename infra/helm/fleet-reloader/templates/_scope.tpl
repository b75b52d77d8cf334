{{/* The namespaces that are served, as JSON; `[]` with a ClusterRole. The release's own is always among them. */}}
{{- define "fleet-reloader.namespaces" -}}
{{- if .Values.reloader.watchGlobally -}}
[]
{{- else -}}
{{- $given := .Values.reloader.namespaces | default list -}}
{{- if kindIs "string" $given }}{{ $given = splitList "," $given }}{{ end -}}
{{- $all := list (include "fleet-reloader.namespace" .) -}}
{{- range $given -}}
{{- with trim (toString .) }}{{ $all = append $all . }}{{ end -}}
{{- end -}}
{{- $all | uniq | sortAlpha | toJson -}}
{{- end -}}
{{- end -}}

{{/* Not empty when instances share a Redis. */}}
{{- define "fleet-reloader.hasRedis" -}}
{{- if or .Values.fleetReloader.redis.url .Values.fleetReloader.redis.existingSecret }}true{{ end -}}
{{- end -}}

{{- define "fleet-reloader.replicas" -}}
{{- $wanted := int .Values.reloader.deployment.replicas -}}
{{- if include "fleet-reloader.hasRedis" . }}{{ $wanted }}{{ else }}{{ min $wanted 1 }}{{ end -}}
{{- end -}}

{{/* What cannot work is refused here: a message instead of a pod that does not start. */}}
{{- define "fleet-reloader.check" -}}
{{- $reloader := .Values.reloader -}}
{{- $own := .Values.fleetReloader -}}
{{- if and $reloader.watchGlobally $reloader.namespaces -}}
{{- fail "reloader.namespaces is set while reloader.watchGlobally is true; set reloader.watchGlobally=false to serve these namespaces only, or remove reloader.namespaces" -}}
{{- end -}}
{{- if and $reloader.ignoreSecrets $reloader.ignoreConfigMaps -}}
{{- fail "reloader.ignoreSecrets and reloader.ignoreConfigMaps are both true; nothing is left to look at: set one of them to false" -}}
{{- end -}}
{{- range $key := list "name" "repository" -}}
{{- if contains "stakater/reloader" (get $.Values.image $key | default "") -}}
{{- fail (printf "image.%s is %s, the image of Stakater Reloader; name the one of fleet-reloader, and remove its image.tag" $key (get $.Values.image $key)) -}}
{{- end -}}
{{- end -}}
{{- if and $own.redis.url $own.redis.existingSecret -}}
{{- fail "fleetReloader.redis.url and fleetReloader.redis.existingSecret are both set; keep one of them" -}}
{{- end -}}
{{- if contains "@" ($own.redis.url | default "") -}}
{{- fail "fleetReloader.redis.url holds a user or password; put the URL into a Secret and name that in fleetReloader.redis.existingSecret" -}}
{{- end -}}
{{- if and (gt (int (include "fleet-reloader.replicas" .)) 1) (not (include "fleet-reloader.markKeySecret" .)) -}}
{{- fail "fleetReloader.markKey.create is false and fleetReloader.markKey.existingSecret is empty, but reloader.deployment.replicas is more than 1: all instances need the same key; set one of the two" -}}
{{- end -}}
{{- end -}}

{{- define "fleet-reloader.redisPort" -}}
{{- $redis := .Values.fleetReloader.redis -}}
{{- if $redis.url -}}
{{- regexFind ":[0-9]+$" (get (urlParse $redis.url) "host") | trimPrefix ":" | default "6379" -}}
{{- else -}}
{{- int $redis.port -}}
{{- end -}}
{{- end -}}

{{/* Not empty when it calls webhooks, as far as the values tell. */}}
{{- define "fleet-reloader.hasWebhook" -}}
{{- if or .Values.reloader.webhookUrl .Values.fleetReloader.networkPolicy.alertTo }}true{{ end -}}
{{- $env := .Values.reloader.deployment.env | default dict -}}
{{- range concat (keys ($env.open | default dict)) (keys ($env.secret | default dict)) (values ($env.existing | default dict) | toJson | list) -}}
{{- if contains "ALERT_" . }}true{{ end -}}
{{- end -}}
{{- end -}}
