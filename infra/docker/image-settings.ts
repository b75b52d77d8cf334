/** What a Dockerfile's last stage says about how its image runs. */
export interface ImageSettings {
  readonly env: Readonly<Record<string, string>>;
  readonly entrypoint: readonly [string, ...string[]];
  readonly user: string;
  readonly ports: readonly number[];
}

export function readImageSettings(dockerfile: string): ImageSettings {
  const stage = dockerfile.slice(dockerfile.lastIndexOf("\nFROM "));
  const env = [...stage.matchAll(/^ENV (\w+)=(\S*)$/gm)].map(
    ([, name = "", value = ""]) => [name, value] as const,
  );
  const entrypoint: unknown = JSON.parse(/^ENTRYPOINT (\[.*\])$/m.exec(stage)?.[1] ?? "[]");
  const [program, ...args] = Array.isArray(entrypoint) ? entrypoint.map(String) : [];
  if (program === undefined) throw new Error("the Dockerfile has no ENTRYPOINT in the form of a list");
  return {
    env: Object.fromEntries(env),
    entrypoint: [program, ...args],
    user: /^USER (\S+)$/m.exec(stage)?.[1] ?? "",
    ports: [...stage.matchAll(/^EXPOSE (\d+)$/gm)].map(([, port]) => Number(port)),
  };
}
