import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { redisAclRules, redisRoles } from "../../packages/redis/src/access/redis-roles.ts";
import { ownValues } from "./own-values.ts";
import { peerValues } from "./peer-values.ts";
import type { Fields, Leaf, Section } from "./value.ts";

const chart = "infra/helm/fleet-reloader";
const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const made = "Made by `./dev generate`";
const values: Fields = { ...peerValues, ...ownValues };

/** What is made of the description of the values: path in the repository → text. */
export function chartPages(): ReadonlyMap<string, string> {
  return new Map([
    [`${chart}/values.yaml`, `# ${made} from infra/helm/*-values.ts.\n${yamlOf(values, "")}`],
    [`${chart}/values.schema.json`, `${JSON.stringify(jsonSchema(), undefined, 2)}\n`],
    [`${chart}/README.md`, readme()],
    [`${chart}/templates/_known-values.tpl`, knownValues()],
    [`${chart}/files/redis-users.yaml`, redisUsers()],
  ]);
}

function jsonSchema(): object {
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "fleet-reloader",
    description: made,
    type: "object",
    properties: propertiesOf(values),
  };
}

function propertiesOf(fields: Fields): object {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, schemaOf(field)]));
}

function schemaOf(field: Leaf | Section): object {
  if (field.type === "leaf") return { description: field.doc, ...field.schema };
  return {
    description: field.doc,
    type: ["object", "null"],
    properties: propertiesOf(field.fields),
    // Helm says of the first only which key is wrong, of the second which would be right.
    ...(field.isClosed
      ? { additionalProperties: false, propertyNames: { enum: Object.keys(field.fields) } }
      : {}),
  };
}

/** The keys of each section, by its path: what is near to one of them and none of them is refused by the templates. */
function knownValues(): string {
  const known = Object.fromEntries([["", Object.keys(values)], ...sectionsOf(values, "")]);
  return `{{/* ${made}: the keys of each section of the values, as JSON. */}}
{{- define "fleet-reloader.knownValues" -}}
${JSON.stringify(known)}
{{- end -}}
`;
}

/** The rules of each user of Redis, as templates read them. */
function redisUsers(): string {
  const users = redisRoles.map((role) => `${role}: ${JSON.stringify(redisAclRules(role).join(" "))}\n`);
  return `# ${made} from packages/redis/src/access.\n${users.join("")}`;
}

function sectionsOf(fields: Fields, path: string): readonly (readonly [string, readonly string[]])[] {
  return Object.entries(fields).flatMap(([name, field]) => {
    const at = `${path}${name}`;
    if (field.type === "leaf") return field.keys === undefined ? [] : [[at, field.keys] as const];
    // Other charts of a release have keys of their own there.
    if (at === "global") return [];
    return [[at, Object.keys(field.fields)] as const, ...sectionsOf(field.fields, `${at}.`)];
  });
}

/** JSON is YAML: only the keys are written as people write them. */
function yamlOf(fields: Fields, indent: string): string {
  return Object.entries(fields)
    .map(([name, field]) => {
      const head = `${commentOf(field.doc, indent)}${indent}${name}:`;
      return field.type === "leaf"
        ? `${head} ${JSON.stringify(field.value)}\n`
        : `${head}\n${yamlOf(field.fields, `${indent}  `)}`;
    })
    .join("");
}

const commentWidth = 118;

function commentOf(text: string, indent: string): string {
  const lines = [""];
  for (const word of text.split(" ")) {
    const line = lines.at(-1) ?? "";
    if (line !== "" && indent.length + line.length + word.length > commentWidth) lines.push(word);
    else lines[lines.length - 1] = line === "" ? word : `${line} ${word}`;
  }
  return lines.map((line) => `${indent}# ${line}\n`).join("");
}

/** Only what lies between the marks is made; the rest of the page is written by hand. */
function readme(): string {
  const page = readFileSync(join(root, chart, "README.md"), "utf8");
  const table = ["| Value | Default | Meaning |", "|---|---|---|", ...rowsOf(values, "")].join("\n");
  return page.replace(/(<!-- values:[^>]*-->\n)[\s\S]*(<!-- \/values -->)/, `$1${table}\n$2`);
}

function rowsOf(fields: Fields, path: string): readonly string[] {
  return Object.entries(fields).flatMap(([name, field]) => {
    const at = `${path}${name}`;
    if (field.type === "section") return rowsOf(field.fields, `${at}.`);
    const standard = field.value === null ? "" : `\`${JSON.stringify(field.value)}\``;
    return [`| \`${at}\` | ${standard} | ${field.doc.replaceAll("|", "\\|")} |`];
  });
}
