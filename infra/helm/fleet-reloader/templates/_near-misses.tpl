{{/*
A key that is nearly one of ours would be let through and do nothing: `reloader.watchGlobaly: false` would grant every Secret, and so would
`watchGlobally: false` outside of `reloader`; `reloader.resources` would limit nothing. Each is told with the key that was probably meant. Keys
that are near to none may be those of another version of Stakater Reloader's chart.
*/}}
{{- define "fleet-reloader.checkKeys" -}}
{{- $known := include "fleet-reloader.knownValues" . | mustFromJson -}}
{{- $problems := list -}}
{{- if eq (toString $.Values.reloader.enabled) "false" -}}
{{- $problems = append $problems "reloader.enabled is false, but no value turns the release off; remove it, and uninstall the release or give the dependency a condition in the parent chart" -}}
{{- end -}}
{{- range $path, $keys := $known -}}
{{- $section := $.Values -}}
{{- range $step := splitList "." $path | compact -}}
{{- $section = get ($section | default dict) $step -}}
{{- end -}}
{{- if kindIs "map" $section -}}
{{- range $key := keys $section | sortAlpha -}}
{{- /* `enabled` is no typo of enableHA: where it is true, it changes nothing. */ -}}
{{- if not (or (has $key $keys) (eq $key "enabled")) -}}
{{- $at := append (splitList "." $path | compact) $key | join "." -}}
{{- with include "fleet-reloader.meantPaths" (list $path $key $known) | mustFromJson -}}
{{- $problems = append $problems (printf "%s: no such value; did you mean %s? Correct or remove it" $at (join " or " .)) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- with $problems }}{{ fail (join "\n" .) }}{{ end -}}
{{- end -}}

{{/* Of (list SECTION KEY KNOWN), where KEY is none of SECTION, the values that were probably meant, as JSON. */}}
{{- define "fleet-reloader.meantPaths" -}}
{{- $path := index . 0 -}}
{{- $key := index . 1 -}}
{{- $known := index . 2 -}}
{{- $meant := list -}}
{{- $nearest := include "fleet-reloader.nearestKey" (list $key (get $known $path)) -}}
{{- if and (empty $path) (has $key $known.reloader) -}}
{{- $meant = list (printf "reloader.%s" $key) -}}
{{- else if $nearest -}}
{{- $meant = list (append (splitList "." $path | compact) $nearest | join ".") -}}
{{- else if and (eq $path "reloader.deployment.env") (regexMatch "^[A-Z_][A-Z0-9_]*$" $key) -}}
{{- $meant = list (printf "%s.open.%s" $path $key) -}}
{{- else if not (and (eq $path "reloader") (has $key (include "fleet-reloader.oldKeys" . | mustFromJson))) -}}
{{- $meant = include "fleet-reloader.deeperPaths" . | mustFromJson -}}
{{- end -}}
{{- toJson $meant -}}
{{- end -}}

{{/* Keys that other versions of Stakater Reloader's chart had in `reloader`, and that are in reloader.deployment here: the notes tell them. */}}
{{- define "fleet-reloader.oldKeys" -}}
["labels","replicas","volumeMounts","volumes"]
{{- end -}}

{{/*
Of (list SECTION KEY KNOWN) the values of this name in the sections of SECTION, as JSON. That of the Deployment comes before all, since most charts
have it further up; and next to `reloader` is `fleetReloader`.
*/}}
{{- define "fleet-reloader.deeperPaths" -}}
{{- $path := index . 0 -}}
{{- $key := index . 1 -}}
{{- $known := index . 2 -}}
{{- $meant := list -}}
{{- if and (has $path (list "" "reloader")) (has $key (get $known "reloader.deployment")) -}}
{{- $meant = list (printf "reloader.deployment.%s" $key) -}}
{{- else -}}
{{- range $section, $keys := $known -}}
{{- $parent := splitList "." $section | initial | join "." -}}
{{- $isNext := and (eq $path "reloader") (eq $section "fleetReloader") -}}
{{- if and $section (has $key $keys) (or $isNext (eq $parent $path)) }}{{ $meant = append $meant (printf "%s.%s" $section $key) }}{{ end -}}
{{- end -}}
{{- end -}}
{{- toJson $meant -}}
{{- end -}}

{{/* Of (list KEY KEYS) the key that is at most two letters away, and no more than a third of them; else empty. Case, - and _ do not count. */}}
{{- define "fleet-reloader.nearestKey" -}}
{{- $meant := index . 0 | lower | replace "-" "" | replace "_" "" -}}
{{- $nearest := "" -}}
{{- $limit := min 2 (div (len $meant) 3) -}}
{{- range $key := index . 1 -}}
{{- $bare := $key | lower | replace "-" "" | replace "_" "" -}}
{{- if le (sub (max (len $meant) (len $bare)) (min (len $meant) (len $bare))) $limit -}}
{{- $distance := include "fleet-reloader.distance" (list $meant $bare) | int64 -}}
{{- if le $distance $limit -}}
{{- $nearest = $key -}}
{{- /* Only what is nearer still may take its place. */ -}}
{{- $limit = sub $distance 1 -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $nearest -}}
{{- end -}}

{{/* How many letters of (list A B) are to be added, removed or replaced to make the one the other (Levenshtein). */}}
{{- define "fleet-reloader.distance" -}}
{{- $a := splitList "" (index . 0) -}}
{{- $b := splitList "" (index . 1) -}}
{{- $row := untilStep 0 (int (add (len $b) 1)) 1 -}}
{{- range $i, $one := $a -}}
{{- $next := list (add $i 1) -}}
{{- range $j, $other := $b -}}
{{- $replaced := add (index $row $j) (ternary 0 1 (eq $one $other)) -}}
{{- $next = append $next (min $replaced (add (index $row (add $j 1)) 1) (add (index $next $j) 1)) -}}
{{- end -}}
{{- $row = $next -}}
{{- end -}}
{{- last $row -}}
{{- end -}}
