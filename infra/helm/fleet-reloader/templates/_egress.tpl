{{/* The port that a URL names, or that of its scheme. The last part of an address of IPv6 is none. Empty where a variable of the pod may name it. */}}
{{- define "fleet-reloader.urlPort" -}}
{{- $authority := regexReplaceAll "^[A-Za-z-]+://([^/?#]*@)?([^/?#]*).*$" (trim .) "${2}" -}}
{{- $standard := ternary "80" "443" (hasPrefix "http://" (trim . | lower)) -}}
{{- regexFind ":[0-9]+$" $authority | trimPrefix ":" | default (ternary "" $standard (contains "$(" $authority)) -}}
{{- end -}}

{{/* Of (list ROOT FLAG VARIABLE) the URLs that flags and variables with plain values say, as JSON. */}}
{{- define "fleet-reloader.saidUrls" -}}
{{- $flag := printf "--%s" (index . 1) -}}
{{- $variable := index . 2 -}}
{{- with index . 0 -}}
{{- $env := .Values.reloader.deployment.env | default dict -}}
{{- $urls := list (get ($env.open | default dict) $variable) (get ($env.secret | default dict) $variable) -}}
{{- $hub := .Values.fleetReloader.hub -}}
{{- range $args := list .Values.fleetReloader.args $hub.watcher.args $hub.worker.args $hub.dashboard.args -}}
{{- range $i, $arg := $args -}}
{{- $arg = toString $arg -}}
{{- if hasPrefix (printf "%s=" $flag) $arg }}{{ $urls = append $urls (trimPrefix (printf "%s=" $flag) $arg) }}{{ end -}}
{{- if and (eq $flag $arg) (lt (add1 $i | int) (len $args)) }}{{ $urls = append $urls (index $args (add1 $i | int)) }}{{ end -}}
{{- end -}}
{{- end -}}
{{- $texts := list -}}
{{- range compact $urls }}{{ $texts = append $texts (toString .) }}{{ end -}}
{{- toJson $texts -}}
{{- end -}}
{{- end -}}

{{/* The ports of URLs, as JSON, each once. */}}
{{- define "fleet-reloader.portsOf" -}}
{{- $ports := list -}}
{{- range . }}{{ with include "fleet-reloader.urlPort" . }}{{ $ports = append $ports (int .) }}{{ end }}{{ end -}}
{{- uniq $ports | toJson -}}
{{- end -}}

{{/* Not empty when it calls webhooks, as far as the values tell. */}}
{{- define "fleet-reloader.hasWebhook" -}}
{{- if or (include "fleet-reloader.onlyTells" .) .Values.fleetReloader.networkPolicy.alertTo }}true{{ end -}}
{{- $env := .Values.reloader.deployment.env | default dict -}}
{{- range concat (keys ($env.open | default dict)) (keys ($env.secret | default dict)) (values ($env.existing | default dict) | toJson | list) -}}
{{- if contains "ALERT_" . }}true{{ end -}}
{{- end -}}
{{- $said := list .Values.fleetReloader.args .Values.fleetReloader.hub $env | toJson -}}
{{- if regexMatch "\"--(notify|alert)-webhook-(url|proxy)[=\"]|\"FLEET_RELOADER_NOTIFY_WEBHOOK_(URL|PROXY)\":\"[^\"]" $said }}true{{ end -}}
{{- end -}}

{{/* The ports of webhooks, as JSON: those of the values, and that of each URL that is known, or of the proxy before it. */}}
{{- define "fleet-reloader.webhookPorts" -}}
{{- $urls := list .Values.reloader.webhookUrl | compact -}}
{{- $urls = concat $urls (include "fleet-reloader.saidUrls" (list . "webhook-url" "FLEET_RELOADER_WEBHOOK_URL") | mustFromJson) -}}
{{- range $flag, $variable := dict "alert-webhook" "ALERT_WEBHOOK" "notify-webhook" "FLEET_RELOADER_NOTIFY_WEBHOOK" -}}
{{- $proxies := include "fleet-reloader.saidUrls" (list $ (printf "%s-proxy" $flag) (printf "%s_PROXY" $variable)) | mustFromJson -}}
{{- $urls = concat $urls ($proxies | default (include "fleet-reloader.saidUrls" (list $ (printf "%s-url" $flag) (printf "%s_URL" $variable)) | mustFromJson)) -}}
{{- end -}}
{{- $ports := list -}}
{{- range concat (.Values.fleetReloader.networkPolicy.alertPorts | default list) (include "fleet-reloader.portsOf" $urls | mustFromJson) -}}
{{- $ports = append $ports (toString .) -}}
{{- end -}}
{{- uniq $ports | toJson -}}
{{- end -}}

{{/* The ports of the issuer of people, as JSON; none: nobody signs in there. */}}
{{- define "fleet-reloader.issuerPorts" -}}
{{- $said := include "fleet-reloader.saidUrls" (list . "oidc-issuer-url" "FLEET_RELOADER_OIDC_ISSUER_URL") | mustFromJson -}}
{{- include "fleet-reloader.portsOf" (prepend $said .Values.fleetReloader.access.oidc.issuerUrl | compact) -}}
{{- end -}}

{{/* The ports of the collector of traces, as JSON; none: nothing is traced. */}}
{{- define "fleet-reloader.collectorPorts" -}}
{{- include "fleet-reloader.portsOf" (include "fleet-reloader.saidUrls" (list . "otlp-endpoint" "OTEL_EXPORTER_OTLP_ENDPOINT") | mustFromJson) -}}
{{- end -}}

{{/* The ports of Redis, as JSON; the nodes of a Redis Cluster may have several. None: only the embedded one is used. */}}
{{- define "fleet-reloader.redisPorts" -}}
{{- $redis := .Values.fleetReloader.redis -}}
{{- $variables := values ((.Values.reloader.deployment.env | default dict).existing | default dict) | toJson -}}
{{- $ports := list -}}
{{- if include "fleet-reloader.hasValkey" . }}{{ $ports = list 6379 }}{{ end -}}
{{- if or $redis.existingSecret (contains "\"FLEET_RELOADER_REDIS_URL\":" $variables) }}{{ $ports = append $ports (int $redis.port) }}{{ end -}}
{{- $said := include "fleet-reloader.saidUrls" (list . "redis-url" "FLEET_RELOADER_REDIS_URL") | mustFromJson -}}
{{- range $url := prepend $said $redis.url | compact -}}
{{- range regexReplaceAll "^[a-z-]+://([^/?#]*@)?([^/?#]*).*$" $url "${2}" | splitList "," -}}
{{- $ports = append $ports (regexFind ":[0-9]+$" . | trimPrefix ":" | default "6379" | int) -}}
{{- end -}}
{{- end -}}
{{- $ports | uniq | toJson -}}
{{- end -}}

{{/* Of which addresses the values do not name the ports, as JSON: sentences that say which are open, and where others belong. */}}
{{- define "fleet-reloader.unknownPorts" -}}
{{- $policy := .Values.fleetReloader.networkPolicy -}}
{{- $redis := .Values.fleetReloader.redis -}}
{{- $unknown := list -}}
{{- if include "fleet-reloader.mayRegister" . -}}
{{- $addresses := ternary "" ", and addresses into reloader.netpol.to" (empty .Values.reloader.netpol.to) -}}
{{- $unknown = append $unknown (printf "API servers of other clusters, and proxies of kubeconfigs. Open are %s; put others into fleetReloader.networkPolicy.apiServerPorts%s" (join ", " $policy.apiServerPorts) $addresses) -}}
{{- end -}}
{{- $ofRedis := printf "Open is %d; put another into fleetReloader.redis.port" (int $redis.port) -}}
{{- with $redis.existingSecret }}{{ $unknown = append $unknown (printf "Redis (Secret %s). %s" . $ofRedis) }}{{ end -}}
{{- $says := dict "FLEET_RELOADER_REDIS_URL" $ofRedis -}}
{{- range list "OTEL_EXPORTER_OTLP_ENDPOINT" "FLEET_RELOADER_OIDC_ISSUER_URL" -}}
{{- $_ := set $says . "None is open; put a rule into fleetReloader.networkPolicy.extraEgress" -}}
{{- end -}}
{{- $ofWebhooks := printf "Open are %s; put others into fleetReloader.networkPolicy.alertPorts" (include "fleet-reloader.webhookPorts" . | mustFromJson | join ", " | default "none") -}}
{{- range list "FLEET_RELOADER_WEBHOOK_URL" "ALERT_WEBHOOK_URL" "ALERT_WEBHOOK_PROXY" "FLEET_RELOADER_NOTIFY_WEBHOOK_URL" "FLEET_RELOADER_NOTIFY_WEBHOOK_PROXY" -}}
{{- $_ := set $says . $ofWebhooks -}}
{{- end -}}
{{- range $secret, $variables := (.Values.reloader.deployment.env | default dict).existing -}}
{{- range $name, $key := $variables -}}
{{- with get $says $name }}{{ $unknown = append $unknown (printf "%s (Secret %s). %s" $name $secret .) }}{{ end -}}
{{- end -}}
{{- end -}}
{{- toJson $unknown -}}
{{- end -}}
