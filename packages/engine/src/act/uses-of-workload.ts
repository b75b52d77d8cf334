import type { CompilePattern } from "@fleet-reloader/domain/annotation/name-list";
import type { ReloadedWorkload } from "@fleet-reloader/domain/hold/freeze-coverage";
import type { SourceKind } from "@fleet-reloader/domain/source/source";
import type { ManagedWorkload } from "../overview/fleet-overview.ts";

/** An entry of the reference index as freezes and acts ask of it what it uses. */
export function usesOfWorkload(
  { patterns, ref, sources, templateOwner }: ManagedWorkload,
  compile: CompilePattern,
): ReloadedWorkload {
  const used = sources.flatMap((key) => {
    const [kind, , name = ""] = key.split("/");
    return isSourceKind(kind) ? [{ kind, name }] : [];
  });
  return {
    ref,
    templateOwner,
    sources: used,
    uses: (source) =>
      used.some(({ kind, name }) => kind === source.kind && name === source.name) ||
      patterns.some(([kind, item]) => {
        const pattern = compile(`^${item}$`);
        return kind === source.kind && "matches" in pattern && pattern.matches(source.name);
      }),
  };
}

function isSourceKind(text: string | undefined): text is SourceKind {
  return text === "ConfigMap" || text === "Secret" || text === "SecretProviderClass";
}
