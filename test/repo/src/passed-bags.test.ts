import ts from "typescript";
import { expect, test } from "vitest";
import { root } from "./root.ts";

type Call = ts.CallExpression | ts.NewExpression;

/** Objects of dependencies or options, by their own name, by that of what they pick from, or by that of what they extend. */
const bagName = /(Options|Dependencies|Parts|Ports|Context)\b(?!\[)/;
/** Contexts of `domain` are data. */
const isMeant = (path: string) =>
  /\/(packages\/(?!testkit|domain)|services\/)[^/]+\/src\//.test(path) &&
  !/(\.test\.ts$|\/fixture\/|\/test\/|\/node_modules\/)/.test(path);
const { config } = ts.readConfigFile(`${root}/tsconfig.json`, ts.sys.readFile);
const { fileNames, options: settings } = ts.parseJsonConfigFileContent(config, ts.sys, root);
const options = { ...settings, lib: ["lib.es5.d.ts"], types: [] };
const host = ts.createCompilerHost(options);
/** Types of others are not read: a bag has fields, whatever their types are. */
const fileExists = (path: string) =>
  /\/node_modules\/(?!@fleet-reloader\/)/.test(path) ? false : host.fileExists(path);

/** The calls that pass on a bag unchanged, and whether the called function reads more than half of it. */
function passedBags(program: ts.Program) {
  const checker = program.getTypeChecker();
  const declarationOf = (node: ts.Node) =>
    (ts.isShorthandPropertyAssignment(node.parent)
      ? checker.getShorthandAssignmentValueSymbol(node.parent)
      : checker.getSymbolAtLocation(node)
    )?.valueDeclaration;
  const fieldsOf = (type: ts.TypeNode) =>
    checker.getPropertiesOfType(checker.getTypeFromTypeNode(type)).map(({ name }) => name);
  const boundBy = ({ elements }: ts.ObjectBindingPattern) =>
    elements.map(({ name, propertyName }) => (propertyName ?? name).getText());

  /** The type of a parameter or a field that is a bag. */
  const bagOf = (node: ts.Node): ts.TypeNode | undefined => {
    const isName = ts.isIdentifier(node) || ts.isPropertyAccessExpression(node);
    const named = isName ? declarationOf(node) : undefined;
    if (named === undefined || !(ts.isParameter(named) || ts.isPropertyDeclaration(named))) return undefined;
    const { type } = named;
    if (type === undefined || fieldsOf(type).length < 2) return undefined;
    const [made] = checker.getTypeFromTypeNode(type).symbol?.declarations ?? [];
    const bases = (made && ts.isInterfaceDeclaration(made) && made.heritageClauses) || [];
    return [type, ...bases].some((each) => bagName.test(each.getText())) ? type : undefined;
  };

  /** The fields that a function of ours reads when it is called, itself and through the functions that it passes the bag on to. */
  const readBy = (call: Call, at: number, seen: readonly ts.Node[] = []): readonly string[] | undefined => {
    const parameter = checker.getResolvedSignature(call)?.declaration?.parameters[at];
    if (parameter === undefined || !ts.isParameter(parameter) || parameter.type === undefined)
      return undefined;
    const { name, type, parent: called } = parameter;
    if (!isMeant(called.getSourceFile().fileName)) return undefined;
    if (ts.isObjectBindingPattern(name)) return boundBy(name);
    if (!("body" in called) || called.body === undefined) return fieldsOf(type);
    const read: string[] = [];
    const visit = (node: ts.Node): void => {
      if (ts.isIdentifier(node) && node !== name && declarationOf(node) === parameter)
        read.push(...(seen.includes(parameter) ? [] : usedBy(node, type, [...seen, parameter])));
      ts.forEachChild(node, visit);
    };
    visit(called);
    return read;
  };
  const usedBy = (node: ts.Identifier, type: ts.TypeNode, seen: readonly ts.Node[]): readonly string[] => {
    const { parent } = node;
    if (ts.isPropertyAccessExpression(parent)) return [parent.name.text];
    if (ts.isVariableDeclaration(parent) && ts.isObjectBindingPattern(parent.name))
      return boundBy(parent.name);
    const isCall = ts.isCallExpression(parent) || ts.isNewExpression(parent);
    const read = isCall ? readBy(parent, parent.arguments?.indexOf(node) ?? 0, seen) : undefined;
    return read ?? fieldsOf(type);
  };

  const passed: { place: string; isNeeded: boolean }[] = [];
  const visit = (node: ts.Node): void => {
    ts.forEachChild(node, visit);
    if (!ts.isCallExpression(node) && !ts.isNewExpression(node)) return;
    for (const [at, argument] of (node.arguments ?? []).entries()) {
      const type = bagOf(argument);
      const read = type && readBy(node, at);
      if (type === undefined || read === undefined) continue;
      const { fileName } = node.getSourceFile();
      const isNeeded = 2 * new Set(read).size > fieldsOf(type).length;
      passed.push({ place: `${fileName.slice(root.length + 1)}: ${node.getText()}`, isNeeded });
    }
  };
  for (const file of program.getSourceFiles()) if (isMeant(file.fileName)) visit(file);
  return passed;
}

test("a function that gets a bag of dependencies whole reads more than half of it", () => {
  const passed = passedBags(ts.createProgram(fileNames.filter(isMeant), options, { ...host, fileExists }));
  expect(passed.length).toBeGreaterThan(50);
  expect(passed.filter(({ isNeeded }) => !isNeeded)).toEqual([]);
}, 60_000);

test("a bag that is passed on whole is found, wherever it comes from", () => {
  const text = `interface Dependencies { readonly a: () => void; readonly b: number }
    interface Bag extends Dependencies { readonly c: number }
    function one({ a }: Bag) { a(); }
    function two(bag: Bag) { one(bag); }
    function all(bag: Bag) { one(bag); return [bag.b, bag.c]; }
    class Three { readonly #bag: Bag; constructor(bag: Bag) { this.#bag = bag; all(bag); } run() { two(this.#bag); } }`;
  const path = `${root}/packages/planted/src/bags.ts`;
  const getSourceFile: typeof host.getSourceFile = (name, language) =>
    name === path ? ts.createSourceFile(name, text, language, true) : undefined;
  const program = ts.createProgram([path], { noLib: true }, { ...host, getSourceFile });
  const found = passedBags(program).filter(({ isNeeded }) => !isNeeded);
  expect(found.map(({ place }) => place.split(": ")[1])).toEqual(["one(bag)", "one(bag)", "two(this.#bag)"]);
});
