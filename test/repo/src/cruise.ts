import { join, relative } from "node:path";
import {
  cruise,
  type ICruiseResult,
  type IForbiddenRuleType,
  type IReporterOutput,
} from "dependency-cruiser";
import { root } from "./root.ts";

interface ICruiseOptionsFile {
  readonly forbidden: IForbiddenRuleType[];
  readonly options: object;
}

export interface Violation {
  readonly rule: string;
  readonly from: string;
  readonly to: string;
}

export interface CruiseReport {
  readonly modules: readonly string[];
  readonly dependencies: readonly { readonly from: string; readonly to: string }[];
  readonly violations: readonly Violation[];
}

/** Cruises folders (relative to the root) with the rules of the repository. */
export async function cruiseFolders(folders: readonly string[]): Promise<CruiseReport> {
  const config: { default: ICruiseOptionsFile } = await import(join(root, ".dependency-cruiser.mjs"));
  const { forbidden, options } = config.default;
  const output: IReporterOutput = await cruise(
    [...folders],
    { ruleSet: { forbidden }, validate: true, baseDir: root, ...options },
    {
      exportsFields: ["exports"],
      conditionNames: ["import", "node", "default"],
    },
  );
  if (typeof output.output === "string") throw new Error("dependency-cruiser gave text");
  const result: ICruiseResult = output.output;
  return {
    modules: result.modules.map((module) => relative(root, join(root, module.source))),
    dependencies: result.modules.flatMap(({ source, dependencies }) =>
      dependencies.map(({ resolved }) => ({ from: source, to: resolved })),
    ),
    violations: result.summary.violations.map(({ rule, from, to }) => ({ rule: rule.name, from, to })),
  };
}
