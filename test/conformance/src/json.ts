/** A JSON answer that a check walks through; what is not there is undefined, never an exception. */
export class Json {
  readonly value: unknown;

  constructor(value: unknown) {
    this.value = value;
  }

  at(...path: readonly (string | number)[]): Json {
    let at = this.value;
    for (const key of path) {
      at = typeof at === "object" && at !== null ? Reflect.get(at, key) : undefined;
    }
    return new Json(at);
  }

  text(...path: readonly (string | number)[]): string {
    const { value } = this.at(...path);
    return typeof value === "string" ? value : "";
  }

  number(...path: readonly (string | number)[]): number | undefined {
    const { value } = this.at(...path);
    return typeof value === "number" ? value : undefined;
  }

  items(...path: readonly (string | number)[]): readonly Json[] {
    const { value } = this.at(...path);
    return Array.isArray(value) ? value.map((item) => new Json(item)) : [];
  }

  keys(...path: readonly (string | number)[]): readonly string[] {
    const { value } = this.at(...path);
    return typeof value === "object" && value !== null ? Object.keys(value) : [];
  }

  get name(): string {
    return this.text("metadata", "name");
  }

  get version(): string {
    return this.text("metadata", "resourceVersion");
  }

  get generation(): number | undefined {
    return this.number("metadata", "generation");
  }
}
